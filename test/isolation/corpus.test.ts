import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilAnswering } from '../harness/cdp-ready.ts';
import { type CdpClient, connectCdp } from '../harness/cdp-client.ts';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { type TestTenant, api, createTenant } from '../harness/installation.ts';
import { eventually, listObjects } from '../harness/kubectl.ts';
import { CDP_CASES, targetCases } from './corpus/cdp-cases.ts';
import { type Outcome, closeOtherPages, tryCdp, tryPerson, withHits } from './corpus/drive.ts';
import { PAGE_VECTORS, type Vector, WORKER_VECTORS, runInPage } from './corpus/page-vectors.ts';
import { personCases } from './corpus/person-cases.ts';
import { type Target, allTargets, mainTargets } from './corpus/targets.ts';
import { startTypist } from './world/rfb-typist.ts';
import type { Hit } from './world/witness.ts';
import { PLACE, PORT_OF, type PodOfSession, type World, createWorld, podOf } from './world/world.ts';

/**
 * Four actors try to get out of a browser, against witnesses that count whoever comes. Every case runs before the tests
 * begin; each test then looks at one. `ISOLATION=short` leaves out what differs only in the spelling of an address.
 */
const short = process.env['ISOLATION'] === 'short';
const BATCH = 24;
/** For the table of run.ts. */
const ARTIFACTS = resolve(import.meta.dirname, '../../.artifacts/isolation');

let world: World;
let tenant: TestTenant;
let browser: { id: string; cdpUrl: string; liveUrl: string };
let pod: PodOfSession;
let cdp: CdpClient;
let sessionId: string;
let targetId: string;

const found: Record<'page' | 'worker' | 'cdp' | 'person', Outcome[]> = { page: [], worker: [], cdp: [], person: [] };
/** Hits without a case, and packets on the wire, by actor. */
const strays: Record<string, { hits: Hit[]; packets: number }> = {};
let reachedOpen = new Set<string>();
let witnessed: { address: string; reached: boolean; counted: boolean }[] = [];
let ownPorts: string[] = [];

interface PageCase {
  name: string;
  id: string;
  url: string;
  run: string;
}
const casesOf = (vectors: readonly Vector[], targets: readonly Target[], prefix: string): PageCase[] =>
  vectors.flatMap(({ name, run }, v) =>
    targets.map((target, t) => {
      const id = `${prefix}-${v}-${t}`;
      return { name: `${name} to ${target.name}`, id, run, url: `http://${target.host}/hit/${id}` };
    }),
  );

async function runBatches(cases: readonly PageCase[], where: 'page' | 'worker' | 'sharedWorker'): Promise<void> {
  for (let at = 0; at < cases.length; at += BATCH) {
    const expression = runInPage(cases.slice(at, at + BATCH), world.open, where);
    const how = { expression, awaitPromise: true, userGesture: true, returnByValue: true };
    const evaluated = cdp.send('Runtime.evaluate', how, sessionId);
    // A case that took the page away ends the whole batch; then the batch proves nothing.
    const answer = await Promise.race([evaluated, sleep(20_000, { result: {}, exceptionDetails: 'no answer' })]);
    const { result, exceptionDetails } = answer as { result: { value?: number }; exceptionDetails?: unknown };
    if (result.value !== Math.min(BATCH, cases.length - at)) {
      const names = cases.slice(at, at + BATCH).map(({ name }) => name);
      throw new Error(`a batch broke: ${JSON.stringify([exceptionDetails ?? answer, names])}`);
    }
    await closeOtherPages(cdp, targetId);
  }
}

async function openPage(): Promise<void> {
  await cdp.send('Page.navigate', { url: `${world.open}/` }, sessionId);
  const title = async () => {
    const { result } = await cdp.send(
      'Runtime.evaluate',
      { expression: 'document.title', returnByValue: true },
      sessionId,
    );
    return (result as { value?: string }).value;
  };
  await eventually('the open site is shown', title, (seen) => seen === 'open', 15_000);
}

/** Runs one actor, and sorts what the witnesses have heard. */
async function act(actor: keyof typeof found, ids: string[], run: () => Promise<Outcome[]>): Promise<void> {
  console.log(`${actor}: ${ids.length} cases`);
  const before = await world.ask<number>({ do: 'wireCount' });
  const outcomes = await run();
  const hits = await world.closedHits();
  const after = await world.ask<number>({ do: 'wireCount' });
  found[actor] = withHits(outcomes, ids, hits);
  strays[actor] = { hits: hits.filter(({ id }) => !ids.includes(id)), packets: after - before };
}

beforeAll(async () => {
  const pool = {
    network: { egress: 'Public', allowInternal: [{ cidr: `${PLACE.private10}/32`, ports: [PORT_OF.open] }] },
  };
  [world, tenant] = await Promise.all([createWorld(), createTenant('corpus', { pool })]);
  browser = (await api<typeof browser>(tenant.apiKey, 'POST', '/api/v3/browsers', {})).body;
  await untilAnswering(browser.cdpUrl);
  pod = podOf(await listObjects<BrowserSession>('bs', tenant.namespace), browser.id);
  await world.watchPod(pod);
  await checkWitnesses();
  await world.ask({ do: 'wire', from: pod.address, allow: world.openAddresses });

  cdp = await connectCdp(browser.cdpUrl);
  const { targetInfos } = (await cdp.send('Target.getTargets')) as {
    targetInfos: { targetId: string; type: string }[];
  };
  targetId = targetInfos.find(({ type }) => type === 'page')!.targetId;
  sessionId = ((await cdp.send('Target.attachToTarget', { targetId, flatten: true })) as { sessionId: string })
    .sessionId;
  await openPage();

  const open: Target[] = [{ name: 'the open site', host: `${PLACE.private10}:${PORT_OF.open}` }];
  await world.hits();
  console.log('positive controls');
  await runBatches(casesOf(PAGE_VECTORS, open, 'open-page'), 'page');
  await runBatches(casesOf(WORKER_VECTORS, open, 'open-worker'), 'worker');
  await runBatches(casesOf(WORKER_VECTORS, open, 'open-shared'), 'sharedWorker');
  reachedOpen = new Set((await world.hits()).map(({ id }) => id));

  const main = mainTargets(world);
  const all = allTargets(world, pod.address);
  const some = short ? main.slice(0, 2) : main;
  // Twice: a name may lead elsewhere the second time.
  const twice = ["await fetch(url, { mode: 'no-cors' }).catch(() => 0); await fetch(url, { mode: 'no-cors' })"];
  const everywhere: Vector[] = [
    { name: 'fetch, twice,', run: twice[0]! },
    ...PAGE_VECTORS.filter(({ name }) => name === 'a frame'),
  ];
  const page = [...casesOf(PAGE_VECTORS, some, 'page'), ...casesOf(everywhere, all, 'page-all')];
  const worker = casesOf(WORKER_VECTORS, some, 'worker');
  const shared = casesOf(WORKER_VECTORS, some, 'shared').map((one) => ({
    ...one,
    name: `${one.name}, from a shared worker`,
  }));
  await act(
    'page',
    page.map(({ id }) => id),
    async () => {
      await runBatches(page, 'page');
      return page.map(({ name }) => ({ name }));
    },
  );
  await act(
    'worker',
    [...worker, ...shared].map(({ id }) => id),
    async () => {
      await runBatches(worker, 'worker');
      await runBatches(shared, 'sharedWorker');
      return [...worker, ...shared].map(({ name }) => ({ name }));
    },
  );

  const cdpCases = [...CDP_CASES, ...targetCases(short ? all.slice(0, 20) : all)];
  const idOf = (text: string): string => /\/hit\/([\w-]+)/.exec(text)?.[1] ?? '-';
  await act(
    'cdp',
    cdpCases.map(({ params }) => idOf(JSON.stringify(params ?? ''))),
    async () => {
      const outcomes: Outcome[] = [];
      for (const one of cdpCases) outcomes.push(await tryCdp(one, { cdp, cdpUrl: browser.cdpUrl, sessionId }));
      return outcomes;
    },
  );

  await closeOtherPages(cdp, targetId);
  await openPage();
  const typist = await startTypist(browser.liveUrl);
  const person = personCases(all).filter((_, index) => !short || index % 3 === 0);
  await act(
    'person',
    person.map(({ address = '' }) => idOf(address)),
    async () => {
      const outcomes: Outcome[] = [];
      for (const one of person) outcomes.push(await tryPerson(one, typist, cdp));
      return outcomes;
    },
  );
  typist.close();
}, 600_000);

afterAll(async () => {
  cdp?.close();
  await Promise.all([tenant?.remove(), world?.remove()]);
});

/** Somebody who may comes to every witness, and is counted. */
async function checkWitnesses(): Promise<void> {
  await world.hits();
  const inPod = ['127.0.0.1:18081', '[::1]:18081', `${pod.address}:18081`];
  const reached = await world.fromNeighbour(world.closed);
  const inside = await world.ask<boolean[]>({ do: 'connect', uid: pod.uid, to: inPod });
  const counted = new Set((await world.closedHits()).map(({ at }) => at.replace(' (another pod)', '')));
  const isCounted = (address: string): boolean =>
    counted.has(`tcp ${address}`) || (address.startsWith(`${world.neighbour}:`) && counted.has('tcp 0.0.0.0:18081'));
  witnessed = [...world.closed, ...inPod].map((address, index) => ({
    address,
    reached: [...reached, ...inside][index] ?? false,
    counted: isCounted(address),
  }));
  const asked = [9222, 9000, 3128].map((port, index) => ({
    method: 'GET',
    url: `http://127.0.0.1:${port}${['/json/version', '/healthz', '/'][index]}`,
  }));
  const answers = await world.ask<{ status: number }[]>({ do: 'http', uid: pod.uid, requests: asked });
  ownPorts = answers.map(({ status }, index) => `${asked[index]!.url} ${status}`);
}

describe('the witnesses', () => {
  test('count everybody who may come to them', () => {
    expect(witnessed.length).toBeGreaterThan(25);
    expect(witnessed.filter(({ reached, counted }) => !reached || !counted)).toEqual([]);
  });
  test('the ports of the pod itself answer a process that may ask', () => {
    expect(ownPorts).toEqual([
      'http://127.0.0.1:9222/json/version 200',
      'http://127.0.0.1:9000/healthz 200',
      'http://127.0.0.1:3128/ 403',
    ]);
  });
});

describe.each([
  ['page', PAGE_VECTORS, 'open-page'],
  ['worker', WORKER_VECTORS, 'open-worker'],
  ['shared worker', WORKER_VECTORS, 'open-shared'],
] as const)('from a %s, the open site', (_, vectors, prefix) => {
  test.each(vectors.map(({ name, control = true }, index) => [name, control, index] as const))(
    'by %s: %s',
    (_name, control, index) => {
      expect(reachedOpen.has(`${prefix}-${index}-0`)).toBe(control);
    },
  );
});

describe.each(['page', 'worker', 'cdp', 'person'] as const)('%s', (actor) => {
  test('no case got anywhere', () => {
    expect(found[actor].filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(found[actor].length).toBeGreaterThan(short ? 20 : 50);
  });
  test('no witness heard of anything else, and no packet left the pod', () => {
    expect(strays[actor]).toEqual({ hits: [], packets: 0 });
  });
});

test('the whole corpus has its size', () => {
  const rows = Object.entries(found).map(([actor, outcomes]) => ({
    actor,
    cases: outcomes.length,
    hits: strays[actor]?.hits.length ?? -1,
    problems: outcomes.filter(({ problem }) => problem !== undefined).length,
    packets: strays[actor]?.packets ?? -1,
  }));
  mkdirSync(ARTIFACTS, { recursive: true });
  writeFileSync(join(ARTIFACTS, 'corpus.json'), JSON.stringify(rows));
  expect(Object.values(found).flat().length).toBeGreaterThanOrEqual(short ? 200 : 400);
});
