import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** Folders of the programs, as `kind/control-plane.sh` prints them. */
export interface ControlPlanePrograms {
  etcd: string;
  kubernetes: string;
}

const SCRIPT = resolve(import.meta.dirname, '../../../kind/control-plane.sh');

/** Builds what is missing, which takes long once; its progress goes to stderr. */
export async function controlPlanePrograms(signal?: AbortSignal): Promise<ControlPlanePrograms> {
  const script = spawn(SCRIPT, { stdio: ['ignore', 'pipe', 'inherit'], ...(signal && { signal }) });
  let printed = '';
  script.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(script, 'close')) as [number | null];
  const [etcd, kubernetes] = printed.trim().split('\n');
  if (code !== 0 || etcd === undefined || kubernetes === undefined)
    throw new Error(`kind/control-plane.sh ended with ${code}; its messages are above`);
  return { etcd, kubernetes };
}
