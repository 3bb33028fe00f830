import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { installation } from '../../harness/installation.ts';
import { applyObjects, eventually, kubectl } from '../../harness/kubectl.ts';
import type { Command, Hit } from './witness.ts';

const run = promisify(execFile);

/**
 * Addresses of the world, on the node's loopback device: what a pod sends there leaves it, passes the policies, and
 * arrives when nothing stops it. The public ones stand for the Internet, which a test has not.
 */
export const PLACE = {
  public: '45.77.0.7',
  otherPublic: '45.77.0.8',
  private10: '10.77.0.7',
  private172: '172.31.77.7',
  private192: '192.168.77.7',
  carrier: '100.64.77.7',
  benchmark: '198.18.77.7',
  metadata: '169.254.169.254',
  linkLocal: '169.254.77.7',
} as const;
/** IPv6 forms, on the loopback of the browser's own pod: nothing but the browser's proxy stands before them. */
export const PLACE_6 = {
  nat64: '64:ff9b::a4d:7',
  localNat64: '64:ff9b:1::a4d:7',
  sixToFour: '2002:a4d:7::1',
  uniqueLocal: 'fd77::7',
  metadata: 'fd00:ec2::254',
} as const;
export const PORT_OF = { open: 18080, closed: 18081, web: 80, tls: 443 } as const;

export interface PodOfSession {
  uid: string;
  name: string;
  address: string;
}

export interface World {
  /** Where the pool opens a way: a small site whose hits are positive controls. */
  open: string;
  nodeAddress: string;
  /** Address of an ordinary pod without any policy, with a listener on the closed port. */
  neighbour: string;
  namespace: string;
  ask<T>(command: Command): Promise<T>;
  hits(clear?: boolean): Promise<Hit[]>;
  /** Hits where no browser may come. */
  closedHits(clear?: boolean): Promise<Hit[]>;
  /** Adds listeners on the loopback and on the own address of a pod, by its UID. */
  watchPod(pod: PodOfSession): Promise<void>;
  /** Every closed TCP address of the world. */
  closed: string[];
  /** The open site, and the Internet. */
  openAddresses: string[];
  /** Tries TCP connections from the neighbour, whom no policy stops. */
  fromNeighbour(addresses: readonly string[]): Promise<boolean[]>;
  remove(): Promise<void>;
}

/** The pod of a session, by what its status says. */
export function podOf(sessions: readonly BrowserSession[], uid: string): PodOfSession {
  const status = sessions.find(({ metadata }) => metadata.uid === uid)?.status;
  if (status?.podUID === undefined || status.podIP === undefined) throw new Error(`session ${uid} has no pod`);
  return { uid: status.podUID, address: status.podIP, name: status.podName ?? '' };
}

const WORLD = 'podwright-test/world';
const FILES = ['witness.ts', 'dns-answer.ts'];

export async function createWorld(): Promise<World> {
  const namespace = `world-${randomBytes(3).toString('hex')}`;
  const [image, node] = await Promise.all([imageOfParts(), aNode()]);
  // One world at a time: its addresses are the node's. What a run that was killed left behind goes first.
  await kubectl('delete', 'namespace', '-l', `${WORLD}=true`, '--timeout=90s');
  const labels = { 'pod-security.kubernetes.io/enforce': 'privileged', [WORLD]: 'true' };
  await applyObjects([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } }]);
  const data = Object.fromEntries(FILES.map((name) => [name, readFileSync(join(import.meta.dirname, name), 'utf8')]));
  await applyObjects([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'witness', namespace }, data },
    pod(namespace, 'witness', node.name, {
      hostNetwork: true,
      hostPID: true,
      containers: [container(image, { privileged: true, runAsUser: 0, runAsNonRoot: false })],
    }),
    pod(namespace, 'neighbour', node.name, { containers: [container(image, { runAsUser: 10_000 })] }),
  ]);
  await kubectl('wait', '--for=condition=Ready', 'pod/witness', 'pod/neighbour', '-n', namespace, '--timeout=90s');
  const neighbour = (
    await kubectl('get', 'pod', 'neighbour', '-n', namespace, '-o', 'jsonpath={.status.podIP}')
  ).trim();

  const ask = async <T>(command: Command, from = 'witness'): Promise<T> => {
    const answer = await exec(namespace, from, JSON.stringify(command));
    const { result, error } = JSON.parse(answer) as { result: T; error?: string };
    if (error !== undefined) throw new Error(`${command.do}: ${error}`);
    return result;
  };

  const places = Object.values(PLACE);
  const inner = places.filter((host) => host !== PLACE.public && host !== PLACE.otherPublic);
  const closedOf = (host: string): string[] => [`${host}:${PORT_OF.closed}`];
  const closed = [
    ...inner.flatMap(closedOf),
    ...inner.map((host) => `${host}:${PORT_OF.web}`),
    ...inner.map((host) => `${host}:${PORT_OF.tls}`),
    ...closedOf(node.address),
  ];
  const internet = [PLACE.public, PLACE.otherPublic].flatMap((host) =>
    Object.values(PORT_OF).map((port) => `${host}:${port}`),
  );
  await ask({ do: 'addresses', add: places.map((host) => `${host}/32`) });
  await eventually(
    'the control socket of the neighbour answers',
    () => ask<Hit[]>({ do: 'hits', clear: true }, 'neighbour'),
    () => true,
  );
  await ask({
    do: 'listen',
    tcp: closed,
    open: [`${PLACE.private10}:${PORT_OF.open}`, ...internet],
    dns: `${node.address}:18053`,
    udp: [...places, node.address].flatMap((host) => [`${host}:443`, `${host}:3478`, `${host}:18081`]),
  });
  await ask({ do: 'listen', tcp: [`0.0.0.0:${PORT_OF.closed}`], open: [], udp: ['0.0.0.0:18081'] }, 'neighbour');
  const hits = async (clear = true): Promise<Hit[]> => {
    const [near, far] = await Promise.all([
      ask<Hit[]>({ do: 'hits', clear }),
      ask<Hit[]>({ do: 'hits', clear }, 'neighbour'),
    ]);
    return [...near, ...far.map((one) => ({ ...one, at: `${one.at} (another pod)` }))];
  };
  await rememberNames(node.address);
  await eventually(
    'names below iso.test resolve',
    () => ask<string>({ do: 'resolve', name: `4-10-77-0-7.${randomBytes(3).toString('hex')}.iso.test` }, 'neighbour'),
    (address) => address === PLACE.private10,
    120_000,
  );

  return {
    open: `http://${PLACE.private10}:${PORT_OF.open}`,
    nodeAddress: node.address,
    neighbour,
    namespace,
    closed: [...closed, `${neighbour}:${PORT_OF.closed}`],
    openAddresses: [`${PLACE.private10}:${PORT_OF.open}`, ...internet],
    ask,
    hits,
    async closedHits(clear = true) {
      const fine = new Set([`${PLACE.private10}:${PORT_OF.open}`, ...internet].map((one) => `tcp ${one}`));
      return (await hits(clear)).filter(({ at }) => !fine.has(at) && !at.startsWith('dns '));
    },
    watchPod: ({ uid, address }) =>
      ask({
        do: 'inPod',
        uid,
        addresses: Object.values(PLACE_6).map((one) => `${one}/128`),
        tcp: [
          ...['127.0.0.1', '[::1]', address, ...Object.values(PLACE_6).map((one) => `[${one}]`)].flatMap(closedOf),
          '127.0.0.1:80',
        ],
        udp: ['127.0.0.1:443', '127.0.0.1:3478', '127.0.0.1:18081'],
      }),
    fromNeighbour: (to) => ask<boolean[]>({ do: 'connect', to: [...to] }, 'neighbour'),
    async remove() {
      await ask({ do: 'stop' }).catch(() => undefined);
      await kubectl('delete', 'namespace', namespace, '--wait=false');
    },
  };
}

const corefile = () => kubectl('get', 'configmap', 'coredns', '-n', 'kube-system', '-o', 'jsonpath={.data.Corefile}');
const withoutNames = (text: string): string => text.replace(/\niso\.test:53 \{[^}]*\}\n?/g, '\n').trimEnd();

async function writeCorefile(text: string): Promise<void> {
  const body = JSON.stringify({ data: { Corefile: text } });
  await kubectl('patch', 'configmap', 'coredns', '-n', 'kube-system', '--type=merge', '-p', body);
  // The kubelet brings files of a ConfigMap when it looks at the pod, and a change of the pod makes it look.
  const mark = `podwright-test/names=${randomBytes(3).toString('hex')}`;
  await kubectl('annotate', 'pods', '-n', 'kube-system', '-l', 'k8s-app=kube-dns', '--overwrite', mark);
}

/** Has the cluster's own name server ask the witness for names below `iso.test`. It stays so: see `forgetNames`. */
async function rememberNames(address: string): Promise<void> {
  const before = await corefile();
  const wanted = `${withoutNames(before)}\niso.test:53 {\n    forward . ${address}:18053\n}\n`;
  if (wanted.trimEnd() !== before.trimEnd()) await writeCorefile(wanted);
}

/** Takes the names out of the cluster's name server again. */
export async function forgetNames(): Promise<void> {
  const before = await corefile();
  if (withoutNames(before) !== before.trimEnd()) await writeCorefile(`${withoutNames(before)}\n`);
}

const imageOfParts = async (): Promise<string> => {
  const path = 'jsonpath={.spec.template.spec.containers[0].image}';
  return (await kubectl('get', 'deploy', 'podwright-gateway', '-n', installation().namespace, '-o', path)).trim();
};

async function aNode(): Promise<{ name: string; address: string }> {
  const { items } = JSON.parse(await kubectl('get', 'nodes', '-o', 'json')) as {
    items: { metadata: { name: string }; status: { addresses: { type: string; address: string }[] } }[];
  };
  const node = items.at(-1)!;
  const address = node.status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
  return { name: node.metadata.name, address };
}

const pod = (namespace: string, name: string, nodeName: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: name } },
  spec: {
    nodeName,
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    volumes: [{ name: 'program', configMap: { name: 'witness' } }],
    ...spec,
  },
});
const container = (image: string, securityContext: object): object => ({
  name: 'main',
  image,
  command: ['node', '/program/witness.ts'],
  securityContext,
  volumeMounts: [{ name: 'program', mountPath: '/program' }],
});

/** Runs `witness.ts ask` in a pod with `input` on its standard input. */
async function exec(namespace: string, name: string, input: string): Promise<string> {
  const child = spawn('kubectl', ['exec', '-i', '-n', namespace, name, '--', 'node', '/program/witness.ts', 'ask'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let problems = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (problems += chunk.toString()));
  child.stdin.end(`${input}\n`);
  const code = await new Promise<number | null>((done) => child.on('close', done));
  if (code !== 0) throw new Error(`asking ${name}: ${problems.trim()}`);
  return out;
}

/** Builds the probe for the machine of the pods, once. */
export async function buildProbe(target: string): Promise<void> {
  const cwd = join(import.meta.dirname, '../probe');
  await run('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', target, '.'], {
    cwd,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=mod' },
  });
}
