import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, createTenant, installation } from '../harness/installation.ts';
import { kubectl, listObjects } from '../harness/kubectl.ts';
import { type PodOfSession, type World, buildProbe, createWorld, podOf } from './world/world.ts';

/**
 * Somebody who owns Chromium: a program of ours runs as the browser's user in the browser's container, and tries what
 * they would. It may do what is listed here, and nothing else.
 */
interface Result {
  name: string;
  got: string;
  detail?: string;
}

/** What succeeds, and why that is no way out. */
const MAY = {
  calls: ['socket: TCP over IPv4', 'socket: TCP over IPv6', 'socket: Unix'],
  files: [
    'write: a file in /session',
    'write: a file in /session/downloads',
    'write: a file in /session/uploads',
    'write: a file in /run/podwright',
    'write: a file in /tmp',
    'write: a file in /dev/shm',
    // The container's own first process.
    'write: /proc/1/oom_score_adj',
    // /dev/null in their places.
    'write: /proc/keys',
    'write: /proc/timer_list',
    'status: CapEff',
    'status: CapBnd',
    'status: NoNewPrivs',
    'status: Seccomp',
  ],
};

let world: World;
let tenant: TestTenant;
let folder: string;
const pods: Record<string, PodOfSession> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podwright-probe-'));
  const sandbox = { sandbox: { mode: 'Seccomp' } };
  [world, tenant] = await Promise.all([
    createWorld(),
    createTenant('inside', { pool: { network: { egress: 'Public' } } }),
    buildProbe(join(folder, 'probe')),
  ]);
  const pool = (await listObjects<{ spec: object }>('bpool', tenant.namespace))[0]!;
  const { applyObjects } = await import('../harness/kubectl.ts');
  await applyObjects([
    {
      apiVersion: 'podwright.dev/v1alpha1',
      kind: 'BrowserPool',
      metadata: { name: 'seccomp', namespace: tenant.namespace },
      spec: { ...pool.spec, ...sandbox },
    },
  ]);
  await tenant.session('auto');
  await tenant.session('closed', { network: { egress: 'None' } });
  await tenant.session('seccomp', { poolRef: { name: 'seccomp' } });
  for (const name of ['auto', 'closed', 'seccomp']) {
    const session = await tenant.phase(name, 'Ready');
    pods[name] = podOf([session], session.metadata.uid);
    await put(pods[name], join(folder, 'probe'), '/tmp/probe');
  }
}, 300_000);
afterAll(async () => {
  await Promise.all([tenant?.remove(), world?.remove(), rm(folder, { recursive: true, force: true })]);
});

const inBrowser = (pod: PodOfSession, ...command: string[]): Promise<string> =>
  kubectl('exec', '-n', tenant.namespace, pod.name, '-c', 'browser', '--', ...command);

async function put(pod: PodOfSession, from: string, to: string): Promise<void> {
  const child = spawn(
    'kubectl',
    [
      'exec',
      '-i',
      '-n',
      tenant.namespace,
      pod.name,
      '-c',
      'browser',
      '--',
      'sh',
      '-c',
      `cat > ${to} && chmod 0700 ${to}`,
    ],
    {
      stdio: ['pipe', 'ignore', 'inherit'],
    },
  );
  createReadStream(from).pipe(child.stdin);
  const code = await new Promise<number | null>((done) => child.on('close', done));
  if (code !== 0) throw new Error(`the probe did not get into ${pod.name}`);
}

async function probe(pod: PodOfSession, ...args: string[]): Promise<Result[]> {
  const printed = await inBrowser(pod, '/tmp/probe', ...args);
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
}
const succeeded = (results: Result[]): string[] =>
  results
    .filter(({ got }) => got === 'ok')
    .map(({ name }) => name)
    .toSorted();

describe.each(['auto', 'seccomp'])('in a pod of sandbox mode %s', (name) => {
  test('no system call leads out or into another process', async () => {
    const results = await probe(pods[name]!, 'calls');
    expect(results.length).toBeGreaterThan(75);
    expect(succeeded(results)).toEqual(MAY.calls.toSorted());
  });

  test('nor in a user namespace of its own, with every capability there', async () => {
    const results = await probe(pods[name]!, 'userns');
    expect(results.length).toBeGreaterThan(75);
    // Its own user and group are 0 already, and so is what it may call itself.
    const own = ["a user namespace of one's own", 'setuid root', 'setgid root'];
    expect(succeeded(results).filter((one) => !own.includes(one))).toEqual(MAY.calls.toSorted());
  });

  test('nothing is written but its own folders, nothing read but its own files, nobody else is seen', async () => {
    const results = await probe(pods[name]!, 'files');
    expect(results.length).toBeGreaterThan(60);
    expect(succeeded(results)).toEqual(MAY.files.toSorted());
    const facts = Object.fromEntries(
      results.filter(({ name: one }) => one.startsWith('status: ')).map((one) => [one.name.slice(8), one.detail]),
    );
    expect(facts).toEqual({ CapEff: '0000000000000000', CapBnd: '0000000000000000', NoNewPrivs: '1', Seccomp: '2' });
  });
});

describe('the network', () => {
  let services: string[];
  beforeAll(async () => {
    const { namespace } = installation();
    const list = await listObjects<{
      metadata: { name: string };
      spec: { clusterIP: string; ports: { port: number }[] };
    }>('services', namespace);
    services = list
      .filter(({ spec }) => spec.clusterIP !== 'None')
      .map(({ spec }) => `${spec.clusterIP}:${spec.ports[0]!.port}`);
  });

  /** Everything inside: witnesses, parts of the installation, the control plane, other browsers. */
  const inner = (): string[] => [
    ...world.closed,
    ...services,
    `${process.env['KUBERNETES_HOST'] ?? '10.96.0.1'}:443`,
    `${world.nodeAddress}:6443`,
    `${world.nodeAddress}:10250`,
    `${world.nodeAddress}:22`,
    `${pods['seccomp']!.address}:9000`,
  ];

  test('somebody whom no policy stops reaches what is tried', async () => {
    const tried = [...world.closed, ...world.openAddresses, `${world.nodeAddress}:10250`, `${world.nodeAddress}:6443`];
    const reached = await world.fromNeighbour(tried);
    expect(tried.filter((_, index) => !reached[index])).toEqual([]);
  });

  test.each([
    ['auto', true],
    ['closed', false],
  ])(
    'a direct connection from the browser of session %s reaches the Internet: %s, and nothing inside',
    async (name, internet) => {
      await world.hits();
      const results = await probe(pods[name]!, 'net', ...inner(), ...world.openAddresses.slice(1));
      const tcp = results.filter(({ name: one }) => one.startsWith('tcp '));
      expect(succeeded(tcp)).toEqual(
        internet
          ? world.openAddresses
              .slice(1)
              .map((one) => `tcp ${one}`)
              .toSorted()
          : [],
      );
      expect(await world.closedHits()).toEqual([]);
      // Its own pod's ports are loopback to it. What they answer:
      const doors = Object.fromEntries(
        results.filter(({ name: one }) => !one.startsWith('tcp ')).map((one) => [one.name, one.detail]),
      );
      for (const [door, answer] of Object.entries(doors)) {
        if (door.startsWith("the launcher's socket")) expect(answer, door).toBe('403');
        else if (door.startsWith('the egress proxy')) expect(['403', '502'], door).toContain(answer);
        else if (door.endsWith('GET /healthz')) expect(answer).toBe('200');
        else expect(['401', '404'], door).toContain(answer);
      }
    },
  );

  test('a file that leads elsewhere is not served', async () => {
    const pod = pods['auto']!;
    const make =
      'cd /session/downloads && ln -sf /etc/passwd link && ln -sf /proc/self/environ environ && ln -sf /app app && mkfifo fifo 2>/dev/null; echo plain > plain; ls';
    expect((await inBrowser(pod, 'sh', '-c', make)).split('\n')).toEqual(
      expect.arrayContaining(['link', 'environ', 'plain']),
    );
    const { api } = await import('../harness/installation.ts');
    const uid = (await tenant.get('auto'))!.metadata.uid;
    const listed = await api<{ files: { path: string }[] }>(tenant.apiKey, 'GET', `/api/v3/browsers/${uid}/downloads`);
    expect(JSON.stringify(listed.body)).toContain('plain');
    for (const name of ['link', 'environ', 'app', 'fifo'])
      expect(JSON.stringify(listed.body)).not.toContain(`"${name}"`);
  });
});

test('no pod of a session mounts a token of the API server, or anything of its node', async () => {
  interface Pod {
    spec: { volumes: object[]; automountServiceAccountToken: boolean; hostUsers?: boolean };
  }
  const found = await listObjects<Pod>('pods', tenant.namespace, 'podwright.dev/pool');
  expect(found.length).toBeGreaterThanOrEqual(3);
  for (const { spec } of found) {
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.volumes.filter((volume) => !('emptyDir' in volume))).toEqual([]);
  }
});
