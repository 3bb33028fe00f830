import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from '@podwright/runs/testing/redis-server';
import { type LinkSession, REVOKED_CHANNEL, createLinks } from './links.ts';
import { createGatewaySecret } from './secret.ts';
import { createTickets } from './tickets.ts';
import { openCredential, sealCredential } from './viewer-credential.ts';

let server: RedisServer;
let redis: Redis;
const secret = createGatewaySecret('not a real key, but a text that nobody else has');
const session: LinkSession = { uid: 'u-1', name: 's', namespace: 'tenant-demo', tenant: 'demo' };

beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});
beforeEach(() => redis.flushall());

describe('links', () => {
  test('are the same on every poll and replica, and stored only as hashes', async () => {
    const first = await createLinks({ redis, secret }).of(session);
    const second = await createLinks({ redis, secret }).of(session);
    expect(second).toEqual(first);
    const stored = (await Promise.all((await redis.keys('*link*')).map((key) => redis.dump(key)))).join(' ');
    for (const token of Object.values(first.tokens)) expect(stored).not.toContain(token);
  });

  test('open one kind of door of one session', async () => {
    const links = createLinks({ redis, secret });
    const { tokens } = await links.of(session);
    expect(await links.resolve(tokens.cdp)).toMatchObject({ uid: 'u-1', kind: 'cdp' });
    expect(await links.resolve(tokens.view)).toMatchObject({ kind: 'view' });
    await expect(links.resolve('x'.repeat(43))).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('end when revoked; the replicas are told and new ones take their place', async () => {
    const links = createLinks({ redis, secret });
    const { tokens } = await links.of(session);
    const { hash } = await links.resolve(tokens.view);
    const listener = new Redis(server.url);
    await listener.subscribe(REVOKED_CHANNEL);
    const told = new Promise<string>((resolve) => listener.on('message', (_channel, text: string) => resolve(text)));
    await links.revoke('u-1');
    expect(JSON.parse(await told)).toContain(hash);
    listener.disconnect();
    expect(await links.stands(hash)).toBe(false);
    await expect(links.resolve(tokens.view)).rejects.toMatchObject({ code: 'gone' });
    const next = await links.of(session);
    expect(next.tokens.view).not.toBe(tokens.view);
    expect(await links.resolve(next.tokens.view)).toMatchObject({ kind: 'view' });
  });

  test('of a signing key that was replaced still work, and end with the new ones', async () => {
    const before = await createLinks({ redis, secret }).of(session);
    const links = createLinks({ redis, secret: createGatewaySecret('the key that came after it') });
    const after = await links.of(session);
    expect(after.tokens.cdp).not.toBe(before.tokens.cdp);
    for (const { tokens } of [before, after]) expect(await links.resolve(tokens.cdp)).toMatchObject({ uid: 'u-1' });
    await links.revoke('u-1');
    for (const { tokens } of [before, after]) {
      await expect(links.resolve(tokens.cdp)).rejects.toMatchObject({ code: 'gone' });
    }
  });

  test('end with the session and do not come back', async () => {
    const links = createLinks({ redis, secret });
    const { tokens } = await links.of(session);
    await links.stop('u-1', '2026-01-01T00:00:00.000Z');
    expect((await links.of(session)).stoppedAt).toBe('2026-01-01T00:00:00.000Z');
    await expect(links.resolve(tokens.cdp)).rejects.toMatchObject({ code: 'gone' });
  });
});

describe('tickets', () => {
  test('work once', async () => {
    const tickets = createTickets({ redis, now: Date.now });
    const { token } = await tickets.issue(session, 'view');
    expect(await tickets.use(token)).toEqual({ ...session, mode: 'view' });
    await expect(tickets.use(token)).rejects.toThrow('used already');
  });
  test('that never were are gone', async () => {
    await expect(createTickets({ redis, now: Date.now }).use('t_nothing')).rejects.toThrow('This link has ended.');
  });
  test('two at once: one wins', async () => {
    const tickets = createTickets({ redis, now: Date.now });
    const { token } = await tickets.issue(session, 'control');
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => tickets.use(token)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('the credential of a viewer page', () => {
  const credential = { ...session, mode: 'view' as const, linkHash: null, viewer: 'v', expiresAt: 1000 };
  test('opens until it runs out', () => {
    const text = sealCredential(secret, credential);
    expect(openCredential(secret, text, 999)).toEqual(credential);
    expect(openCredential(secret, text, 1000)).toBeNull();
    expect(text).toMatch(/^[A-Za-z0-9_.-]+$/);
  });
  test('cannot be changed or made elsewhere', () => {
    const text = sealCredential(secret, credential);
    const other = Buffer.from(JSON.stringify({ ...credential, mode: 'control' })).toString('base64url');
    expect(openCredential(secret, `${other}.${text.split('.')[1]}`, 0)).toBeNull();
    expect(openCredential(createGatewaySecret('another'), text, 0)).toBeNull();
    expect(openCredential(secret, 'nonsense', 0)).toBeNull();
  });
});
