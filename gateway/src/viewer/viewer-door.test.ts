import type { IncomingMessage } from 'node:http';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { type RedisServer, startRedisServer } from '@podwright/runs/testing/redis-server';
import { type LinkSession, createLinks, hashOf } from '../links/links.ts';
import { createGatewaySecret } from '../links/secret.ts';
import { createTickets } from '../links/tickets.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { createViewerDoor } from './viewer-door.ts';

let server: RedisServer;
let redis: Redis;
const secret = createGatewaySecret('a text that nobody else has');
const session: LinkSession = { uid: crypto.randomUUID(), name: 's', namespace: 'n', tenant: 't' };
const HOST = 'b.example.com';

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});
beforeEach(() => redis.flushall());

function setUp(spec: object = {}, status: object = { phase: 'Ready' }) {
  const object = { metadata: { uid: session.uid }, spec, status } as unknown as BrowserSession;
  const cache = { read: async () => object, byUid: () => object } as unknown as SessionCache;
  const links = createLinks({ redis, secret });
  const tickets = createTickets({ redis, now: Date.now });
  const door = createViewerDoor({ links, tickets, secret, cache, hosts: new Set([HOST]), now: Date.now });
  return { door, links, tickets };
}
const upgrade = (headers: Record<string, string>): IncomingMessage => ({ headers }) as unknown as IncomingMessage;
const socket = (credential: string, changed: Record<string, string> = {}) =>
  upgrade({
    host: HOST,
    origin: `https://${HOST}`,
    'sec-websocket-protocol': `binary, podwright.${credential}`,
    ...changed,
  });

describe('a viewer', () => {
  test('gets a credential for its link and reaches the picture with it', async () => {
    const { door, links } = setUp();
    const { tokens } = await links.of(session);
    const { credential, mode } = await door.trade(session.uid, tokens.control, HOST);
    expect(mode).toBe('control');
    expect(await door.admitSocket(socket(credential), session.uid)).toMatchObject({
      kind: 'control',
      path: '/vnc',
      protocol: 'binary',
      session: { uid: session.uid },
    });
  });

  test('only watches a session whose viewers only watch, whatever its link was for', async () => {
    const { door, links } = setUp({ viewer: { interactive: false } });
    const { tokens } = await links.of(session);
    expect((await door.trade(session.uid, tokens.control, HOST)).mode).toBe('view');
  });

  test.each([
    ['from another origin', { origin: 'https://evil.example' }, 'forbidden'],
    ['without an origin', { origin: '' }, 'forbidden'],
    ['under another name', { host: 'evil.example' }, 'forbidden'],
    ['without a credential', { 'sec-websocket-protocol': 'binary' }, 'unauthorized'],
    ['with a made-up credential', { 'sec-websocket-protocol': 'binary, podwright.a.b' }, 'unauthorized'],
  ])('%s is refused', async (_name, changed, code) => {
    const { door, links } = setUp();
    const { credential } = await door.trade(session.uid, (await links.of(session)).tokens.view, HOST);
    await expect(
      door.admitSocket(socket(credential, changed as Record<string, string>), session.uid),
    ).rejects.toMatchObject({ code });
  });

  test('of one session does not reach another', async () => {
    const { door, links } = setUp();
    const { credential } = await door.trade(session.uid, (await links.of(session)).tokens.view, HOST);
    await expect(door.admitSocket(socket(credential), crypto.randomUUID())).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });

  test('loses its right with its link', async () => {
    const { door, links } = setUp();
    const { credential } = await door.trade(session.uid, (await links.of(session)).tokens.view, HOST);
    await links.revoke(session.uid);
    await expect(door.admitSocket(socket(credential), session.uid)).rejects.toMatchObject({ code: 'gone' });
    await expect(door.check(session.uid, { authorization: `Viewer ${credential}` })).rejects.toMatchObject({
      code: 'gone',
    });
  });

  test('that came by a ticket loses its right with the link of that right, and so does a ticket not yet traded', async () => {
    const { door, links, tickets } = setUp();
    const linkHash = hashOf((await links.of(session)).tokens.control);
    const issue = async () => (await tickets.issue(session, 'control', linkHash)).token;
    const { credential } = await door.trade(session.uid, await issue(), HOST);
    const waiting = await issue();
    expect(await door.admitSocket(socket(credential), session.uid)).toMatchObject({ linkHash });
    await links.revoke(session.uid);
    await expect(door.admitSocket(socket(credential), session.uid)).rejects.toMatchObject({ code: 'gone' });
    await expect(door.trade(session.uid, waiting, HOST)).rejects.toMatchObject({ code: 'gone' });
  });

  test('is turned away from a session that has ended', async () => {
    const { door, links } = setUp({}, { phase: 'Stopped' });
    const { credential } = await door.trade(session.uid, (await links.of(session)).tokens.view, HOST);
    await expect(door.admitSocket(socket(credential), session.uid)).rejects.toMatchObject({ code: 'gone' });
  });

  test('does not spend its ticket under a name that the viewer is not served under', async () => {
    const { door, tickets } = setUp();
    const { token } = await tickets.issue(session, 'view');
    await expect(door.trade(session.uid, token, 'evil.example')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await door.trade(session.uid, token, HOST)).mode).toBe('view');
    await expect(door.trade(session.uid, token, HOST)).rejects.toMatchObject({ code: 'ticket_used' });
  });

  test('does not open the debugging door with its link, nor a viewer with that of the door', async () => {
    const { door, links } = setUp();
    const { tokens } = await links.of(session);
    await expect(door.trade(session.uid, tokens.cdp, HOST)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
