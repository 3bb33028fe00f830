import { setTimeout as sleep } from 'node:timers/promises';
import { GROUP_VERSION } from '@podwright/api/names';
import { type Client, createClient } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditedRequest, auditedWrites } from '../harness/audit-log.ts';
import { type ControlPlane, startControlPlane } from '../harness/control-plane.ts';
import { installCrds } from '../harness/crds.ts';
import { NAMESPACE, type OperatorProcess, prepareOperators, startOperator } from './operator-process.ts';

/**
 * Two operators as their containers run them, on a real API server: how long nobody leads, and that a leader which stood
 * still past its lease writes nothing. Sessions are created all the time, so that the leader always has something to write.
 */
const TENANT = 'tenant-leader';
const figures: string[] = [];
let plane: ControlPlane;
let admin: Client;
let operators: OperatorProcess[] = [];
const creating = new AbortController();
let created = 0;

beforeAll(async () => {
  plane = await startControlPlane();
  admin = createClient({ connection: plane.connection, userAgent: 'podwright-test' });
  await installCrds(admin);
  for (const name of [NAMESPACE, TENANT]) await admin.create(RESOURCE.namespaces, { metadata: { name } });
  const kind = (name: string) => ({ apiVersion: GROUP_VERSION, kind: name });
  await admin.create(RESOURCE.browserTenants, {
    ...kind('BrowserTenant'),
    metadata: { name: 'leader' },
    spec: { namespace: TENANT, limits: { concurrentSessions: 5000, queuedSessions: 5000 } },
  });
  await admin.create(RESOURCE.browserPools, {
    ...kind('BrowserPool'),
    metadata: { name: 'default', namespace: TENANT },
    spec: { image: 'browser:none', warm: { min: 2, max: 2 } },
  });
  await prepareOperators(plane);
  void createSessions();
});
afterAll(async () => {
  creating.abort();
  for (const operator of operators) operator.send('SIGKILL');
  await plane?.stop();
  console.log(figures.join('\n'));
});

async function createSessions(): Promise<void> {
  while (!creating.signal.aborted) {
    const metadata = { name: `s-${(created += 1)}`, namespace: TENANT };
    await admin.create(RESOURCE.browserSessions, { metadata, spec: {} }).catch(() => {});
    await sleep(100);
  }
}

let started = 0;
async function start(): Promise<OperatorProcess> {
  const operator = await startOperator({ plane, admin, name: `operator-${(started += 1)}` });
  operators.push(operator);
  await operator.ready();
  return operator;
}

const writesOf = async ({ user }: OperatorProcess): Promise<AuditedRequest[]> =>
  (await auditedWrites(plane.auditLogPath)).filter((write) => write.user === user);
const workOf = (writes: AuditedRequest[]): AuditedRequest[] => writes.filter(({ resource }) => resource !== 'leases');

async function holder(): Promise<string> {
  const lease = await admin.find(RESOURCE.leases, { namespace: NAMESPACE, name: 'podwright-operator' });
  return lease?.spec?.holderIdentity ?? '';
}

/** Waits until an operator holds the lease and writes as leader, and returns when both happened, in ms since the epoch. */
async function leads(operator: OperatorProcess, withinMs = 30_000): Promise<{ held: number; wrote: number }> {
  const deadline = Date.now() + withinMs;
  while (!(await holder()).startsWith(operator.name)) {
    if (Date.now() > deadline) throw new Error(`${operator.name} does not lead:\n${await operator.log()}`);
    await sleep(10);
  }
  const held = Date.now();
  for (;;) {
    const [first] = workOf(await writesOf(operator));
    if (first) return { held, wrote: first.at };
    if (Date.now() > deadline) throw new Error(`${operator.name} leads and writes nothing:\n${await operator.log()}`);
    await sleep(200);
  }
}

const tell = (what: string, from: number, { held, wrote }: { held: number; wrote: number }): void => {
  figures.push(`${what}: lease held after ${held - from} ms, first write after ${wrote - from} ms`);
};

let leader: OperatorProcess;
let standby: OperatorProcess;

test('the first operator leads, the second waits and writes nothing', async () => {
  leader = await start();
  await leads(leader);
  standby = await start();
  await sleep(2_000);
  expect(await writesOf(standby)).toEqual([]);
});

test('after SIGKILL the other writes within five seconds', async () => {
  const from = Date.now();
  leader.send('SIGKILL');
  const taken = await leads(standby);
  tell('SIGKILL', from, taken);
  expect(taken.wrote - from).toBeLessThan(5_000);
  [leader, standby] = [standby, await start()];
});

test('after SIGTERM the other writes within a second, and the first ends in order', async () => {
  const from = Date.now();
  leader.send('SIGTERM');
  const taken = await leads(standby);
  tell('SIGTERM', from, taken);
  expect(taken.wrote - from).toBeLessThan(1_000);
  expect(await leader.ended).toBe('0');
  expect(workOf(await writesOf(leader)).filter(({ at }) => at > taken.held)).toEqual([]);
  [leader, standby] = [standby, await start()];
});

test('a leader that stood still past its lease writes nothing when it goes on, and ends', async () => {
  for (const round of [1, 2]) {
    // Not always at the same moment of its work.
    await sleep(round * 37);
    const from = Date.now();
    leader.send('SIGSTOP');
    const taken = await leads(standby);
    tell(`SIGSTOP, round ${round}`, from, taken);
    await sleep(500);
    const resumed = Date.now();
    leader.send('SIGCONT');
    expect(await leader.ended).toBe('1');
    const late = (await writesOf(leader)).filter(({ at }) => at >= taken.held);
    expect(workOf(late)).toEqual([]);
    // It may try to renew, and is refused.
    expect(late.filter(({ code }) => code < 400)).toEqual([]);
    figures.push(`  resumed ${resumed - from} ms later: ${late.length} refused renewals, no other write`);
    [leader, standby] = [standby, await start()];
  }
});

test('no session was left behind by all this', async () => {
  creating.abort();
  await expect
    .poll(
      async () => {
        const { items } = await admin.list(RESOURCE.browserSessions, { namespace: TENANT });
        return items.filter(({ status }) => status?.phase === undefined).length;
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBe(0);
});
