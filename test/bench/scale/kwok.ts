import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type { Client } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import { controlPlanePrograms } from '../../harness/control-plane/programs.ts';
import { type ServerProcess, startServer } from '../../harness/control-plane/server-process.ts';

/** kwok's pods get addresses of this network: loopback, so that a simulator on this machine can answer there. */
const POD_NETWORK = '127.64.0.0/12';

/** Builds kwok when it is not in the cache; a minute or two once. Returns the folder of the program and its stages. */
async function kwokFolder(signal: AbortSignal): Promise<string> {
  const script = spawn(resolve(import.meta.dirname, 'kwok.sh'), { stdio: ['ignore', 'pipe', 'inherit'], signal });
  let printed = '';
  script.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = (await once(script, 'close')) as [number | null];
  if (code !== 0) throw new Error(`kwok.sh ended with ${code}; its messages are above`);
  return printed.trim();
}

/**
 * Nodes without machines: the real kube-scheduler places pods on them, and kwok plays their kubelets: a pod is running
 * and ready as soon as it is placed, and gone when it is deleted.
 */
export async function startNodes(options: {
  client: Client;
  kubeconfig: string;
  directory: string;
  nodes: number;
  signal: AbortSignal;
}): Promise<{ stop(): Promise<void> }> {
  const { client, directory, kubeconfig } = options;
  const kwok = await kwokFolder(options.signal);
  const { kubernetes } = await controlPlanePrograms(options.signal);
  const running: ServerProcess[] = [
    startServer({
      program: join(kwok, 'kwok'),
      flags: [
        `--kubeconfig=${kubeconfig}`,
        `--config=${join(kwok, 'stages.yaml')}`,
        '--manage-all-nodes=true',
        `--cidr=${POD_NETWORK}`,
        '--node-ip=127.0.0.1',
        '--node-lease-duration-seconds=40',
      ],
      logFile: join(directory, 'kwok.log'),
    }),
    startServer({
      program: join(kubernetes, 'kube-scheduler'),
      flags: [
        `--kubeconfig=${kubeconfig}`,
        '--leader-elect=false',
        '--secure-port=0',
        // Its own limit of 50 requests a second is below what is measured here.
        '--kube-api-qps=1000',
        '--kube-api-burst=2000',
      ],
      logFile: join(directory, 'scheduler.log'),
    }),
  ];
  for (let number = 1; number <= options.nodes; number += 1)
    await client.create(RESOURCE.nodes, { metadata: { name: `kwok-${number}` } });
  return {
    async stop() {
      await Promise.all(running.map((server) => server.stop(0)));
    },
  };
}
