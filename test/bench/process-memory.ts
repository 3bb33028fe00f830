import { randomBytes } from 'node:crypto';
import { applyObjects, eventually, getObject, kubectl } from '../harness/kubectl.ts';

export interface ProcessMemory {
  /** Arguments joined by spaces. */
  commandLine: string;
  /** Proportional set size in KiB. */
  pssKib: number;
}

/**
 * Runs on the node, in a privileged pod that sees its processes: a browser's own containers may not look into each
 * other. Prints the processes of the pods whose UIDs are its arguments, found by the names of their cgroups.
 */
const reader = `
const { readFileSync, readdirSync } = require('node:fs');
const uids = process.argv.slice(1).flatMap((uid) => [uid, uid.replaceAll('-', '_')]);
const found = [];
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
  try {
    const cgroup = readFileSync('/proc/' + pid + '/cgroup', 'utf8');
    if (!uids.some((uid) => cgroup.includes('pod' + uid))) continue;
    const pss = /^Pss:\\s+(\\d+) kB/m.exec(readFileSync('/proc/' + pid + '/smaps_rollup', 'utf8'));
    const commandLine = readFileSync('/proc/' + pid + '/cmdline', 'utf8').replaceAll('\\0', ' ').trim();
    if (pss && commandLine) found.push({ commandLine, pssKib: Number(pss[1]) });
  } catch (error) {
    // The process ended while it was looked at.
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
  }
}
console.log(JSON.stringify(found));
`;

/** The processes of pods on a node. `image` must be on that node and hold Node. */
export async function readProcesses(options: {
  node: string;
  image: string;
  podUids: readonly string[];
}): Promise<ProcessMemory[]> {
  const name = `bench-memory-${randomBytes(3).toString('hex')}`;
  await applyObjects([
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
    },
  ]);
  try {
    await applyObjects([readerPod(name, options)]);
    const phase = await eventually(
      'the reader on the node is done',
      async () => (await getObject<{ status: { phase: string } }>('pod', 'reader', name))?.status.phase,
      (seen) => seen === 'Succeeded' || seen === 'Failed',
    );
    const printed = await kubectl('logs', 'reader', '-n', name);
    if (phase !== 'Succeeded') throw new Error(`the reader failed: ${printed}`);
    return JSON.parse(printed) as ProcessMemory[];
  } finally {
    await kubectl('delete', 'namespace', name, '--ignore-not-found', '--timeout=60s');
  }
}

function readerPod(namespace: string, options: { node: string; image: string; podUids: readonly string[] }): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'reader', namespace },
    spec: {
      nodeName: options.node,
      hostPID: true,
      restartPolicy: 'Never',
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          name: 'reader',
          image: options.image,
          imagePullPolicy: 'IfNotPresent',
          command: ['node', '-e', reader, ...options.podUids],
          securityContext: { privileged: true, runAsUser: 0, runAsNonRoot: false },
        },
      ],
    },
  };
}
