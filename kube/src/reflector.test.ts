import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { createClient } from './client.ts';
import { startReflector } from './reflector.ts';
import { RESOURCE } from './resource.ts';

/**
 * Faults that a real API server shows only now and then, spoken over real HTTP. What it does every day is tested on a
 * real one: test/cluster/kube-reflector.test.ts.
 */
const silent = { info() {}, warn() {}, error() {} };
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

const map = (name: string, version: number) => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version), creationTimestamp: '' },
});
const list = (version: number, ...names: string[]) => ({
  items: names.map((name) => map(name, version)),
  metadata: { resourceVersion: String(version) },
});
const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };

type Answer = (response: ServerResponse, url: URL) => void;
const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
/** Sends lines; the stream stays open unless it is told to end or break. */
const stream =
  (lines: string[], then: 'open' | 'end' | 'break' = 'open'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(lines.join(''));
    if (then === 'end') response.end();
    if (then === 'break') setTimeout(() => response.socket?.resetAndDestroy(), 20);
  };

/** A server that answers lists and watches from scripts; the last answer of each is repeated. */
async function setUp(script: { lists: Answer[]; watches: Answer[] }, quietMs = 5_000, now = Date.now) {
  const asked: string[] = [];
  const next = (answers: Answer[]): Answer => (answers.length > 1 ? answers.shift()! : answers[0]!);
  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const watching = url.searchParams.get('watch') === 'true';
    asked.push(watching ? `watch ${url.searchParams.get('resourceVersion')}` : 'list');
    next(watching ? script.watches : script.lists)(response, url);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const [requests, watches] = [new Agent(), new Agent()];
  const client = createClient({
    connection: {
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      namespace: 'ns',
      requests,
      watches,
      headers: async () => ({}),
      renew: async () => false,
      close: async () => {},
    },
    userAgent: 'test',
  });
  const reflector = startReflector({ client, resource: RESOURCE.configMaps, now, log: silent, quietMs });
  const story: string[] = [];
  reflector.onChange(({ type, object }) => story.push(`${type} ${object.metadata.name}`));
  endings.push(async () => {
    await reflector.stop();
    await Promise.all([requests.destroy(), watches.destroy()]);
    server.closeAllConnections();
    server.close();
  });
  return { reflector, asked, story };
}

async function until(what: () => boolean): Promise<void> {
  for (let waited = 0; !what(); waited += 10) {
    if (waited > 8_000) throw new Error('it did not happen');
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

test('a position that expired in the stream leads to a new list, whose differences are told', async () => {
  const { asked, story } = await setUp({
    lists: [json(200, list(5, 'a', 'b')), json(200, list(9, 'b', 'c'))],
    watches: [stream([line('ERROR', gone)], 'end'), stream([])],
  });
  await until(() => asked.includes('watch 9'));
  expect(asked).toEqual(['list', 'watch 5', 'list', 'watch 9']);
  expect(story).toEqual(['added a', 'added b', 'removed a', 'changed b', 'added c']);
});

test('a position that is refused outright does the same', async () => {
  const { asked } = await setUp({
    lists: [json(200, list(5)), json(200, list(9))],
    watches: [json(410, gone), stream([])],
  });
  await until(() => asked.includes('watch 9'));
});

test.each<[string, Answer]>([
  ['refused for a moment', json(429, { code: 429, reason: 'TooManyRequests' }, { 'retry-after': '1' })],
  ['answered with 500', json(500, { code: 500, reason: 'InternalError' })],
  ['answered with what is no JSON', (response) => response.writeHead(503).end('<html>')],
  ['broken in the middle of an event', stream(['{"type":"ADDED","object":{"metadata":{"na'], 'break')],
  ['ended in the middle of an event', stream(['{"type":"ADDED","object":{"metadata":{"na'], 'end')],
])('a watch %s goes on from where it was, without a list', async (_name, fault) => {
  const { asked, story } = await setUp({
    lists: [json(200, list(5))],
    watches: [fault, stream([line('ADDED', map('late', 6))])],
  });
  await until(() => story.includes('added late'));
  expect(asked).toEqual(['list', 'watch 5', 'watch 5']);
});

test('a list that fails is tried again, and synced waits for it', async () => {
  const { reflector, asked } = await setUp({
    lists: [json(500, {}), json(503, {}), json(200, list(5, 'a'))],
    watches: [stream([])],
  });
  await reflector.synced(AbortSignal.timeout(5_000));
  expect(asked.slice(0, 3)).toEqual(['list', 'list', 'list']);
  expect(reflector.store.size).toBe(1);
});

test('a bookmark moves the position', async () => {
  const { asked } = await setUp({
    lists: [json(200, list(5))],
    watches: [stream([line('BOOKMARK', { metadata: { resourceVersion: '77' } })], 'end'), stream([])],
  });
  await until(() => asked.includes('watch 77'));
});

test.each<[string, Answer, boolean]>([
  ['was accepted', stream([line('BOOKMARK', { metadata: { resourceVersion: '6' } })]), true],
  ['is only asked for', () => {}, false],
])('half a minute after its list a reflector is healthy if its watch %s', async (_name, answer, expected) => {
  const clock = { skip: 0 };
  const script = { lists: [json(200, list(5))], watches: [answer] };
  const { reflector, asked } = await setUp(script, 5_000, () => Date.now() + clock.skip);
  await until(() => asked.includes('watch 5'));
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  clock.skip = 31_000;
  expect(reflector.health().healthy).toBe(expected);
});

test('silence longer than agreed counts as a dead connection', async () => {
  const { asked } = await setUp({ lists: [json(200, list(5))], watches: [stream([])] }, 1_000);
  await until(() => asked.filter((one) => one === 'watch 5').length >= 2);
});

test('a server that ends every watch at once is not run into a loop', async () => {
  const { asked } = await setUp({ lists: [json(200, list(5))], watches: [stream([], 'end')] });
  await new Promise((resolve) => {
    setTimeout(resolve, 1_000);
  });
  expect(asked.length).toBeLessThan(10);
});

test('a server that was restored from a backup is believed', async () => {
  const { story, asked } = await setUp({
    lists: [json(200, list(500, 'a')), json(200, list(20, 'b'))],
    watches: [json(410, gone), stream([])],
  });
  await until(() => asked.includes('watch 20'));
  expect(story).toEqual(['added a', 'removed a', 'added b']);
});
