import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createVncDoor } from '../door/vnc-door.ts';
import { type Activity, createActivity } from '../session/activity.ts';
import { type Program, start, until } from '../testing/processes.ts';

let folder: string;
let vnc: Program;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'podwright-vnc-'));
  const display = 200 + Math.floor(Math.random() * 500);
  vnc = start('Xtigervnc', [
    `:${display}`,
    '-rfbport=-1',
    `-rfbunixpath=${join(folder, 'vnc.sock')}`,
    '-SecurityTypes=None',
    '-geometry',
    '640x480',
    '-nolisten',
    'tcp',
  ]);
  await until('the VNC server', () => existsSync(join(folder, 'vnc.sock')));
});
afterAll(async () => {
  await vnc.end();
  rmSync(folder, { recursive: true, force: true });
});

/** The viewer door on a real port; the gate in front of it is not part of this. */
async function setUp(scope: 'view' | 'control', options: { interactive?: boolean } = {}) {
  const clock = { now: 1000 };
  const now = () => clock.now;
  const activity: Activity = createActivity({ now });
  const door = createVncDoor({
    vncSocketPath: join(folder, 'vnc.sock'),
    interactive: () => options.interactive ?? true,
    activity,
    now,
    log: pino({ level: 'silent' }),
  });
  const server = createServer();
  const served: Promise<void>[] = [];
  server.on('upgrade', (request, socket, head) => {
    const claims = { issuer: 'gateway', scope, subject: 's', tokenId: 't', viewer: 'anna' } as const;
    served.push(door.serve({ request, socket: socket as import('node:net').Socket, head, claims }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const viewer = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/vnc`);
  const received: Buffer[] = [];
  viewer.on('message', (data: Buffer) => received.push(data));
  await once(viewer, 'open');
  const bytes = () => Buffer.concat(received);
  const more = async (length: number) => until(`${length} bytes`, () => bytes().length >= length);
  await more(12);
  viewer.send('RFB 003.008\n');
  await more(14);
  viewer.send(Buffer.from([1]));
  await more(18);
  viewer.send(Buffer.from([0]));
  await more(18 + 24);
  return { clock, activity, door, viewer, bytes, more, served, close: () => server.close() };
}

test('a viewer gets the picture of the display, and control counts as activity', async () => {
  const { clock, activity, door, viewer, bytes, more, served, close } = await setUp('control');
  const init = bytes().subarray(18);
  expect([init.readUInt16BE(0), init.readUInt16BE(2)]).toEqual([640, 480]);
  expect(door.count()).toEqual({ view: 0, control: 1 });

  const before = bytes().length;
  viewer.send(Buffer.from([2, 0, 0, 1, 0, 0, 0, 0]));
  viewer.send(Buffer.from([3, 0, 0, 0, 0, 0, 2, 0x80, 1, 0xe0]));
  await more(before + 640 * 480);

  clock.now = 5000;
  viewer.send(Buffer.from([5, 0, 0, 10, 0, 10]));
  await until('the activity', () => activity.lastActiveAt === 5000);
  viewer.close();
  await Promise.all(served);
  expect(door.count()).toEqual({ view: 0, control: 0 });
  close();
});

test.each([
  ['who has the right to view', 'view' as const, true],
  ['of a session that is not interactive', 'control' as const, false],
])('a viewer %s cannot act', async (_, scope, interactive) => {
  const { clock, activity, door, viewer, bytes, more, close } = await setUp(scope, { interactive });
  expect(door.count()).toEqual({ view: 1, control: 0 });
  clock.now = 5000;
  const before = bytes().length;
  viewer.send(Buffer.from([5, 1, 0, 10, 0, 10, 4, 1, 0, 0, 0, 0, 0, 0x61]));
  viewer.send(Buffer.from([3, 0, 0, 0, 0, 0, 0, 10, 0, 10]));
  await more(before + 10);
  expect(activity.lastActiveAt).toBe(1000);
  viewer.close();
  close();
});

test('a viewer whose stream cannot be read is closed', async () => {
  const { viewer, close } = await setUp('control');
  const closed = once(viewer, 'close');
  viewer.send(Buffer.from([99]));
  const [code] = (await closed) as [number];
  expect(code).toBe(1008);
  close();
});

test('viewers are closed with the reason of the door', async () => {
  const { door, viewer, close } = await setUp('view');
  const closed = once(viewer, 'close');
  door.closeAll({ code: 4001, reason: 'session ended' });
  const [code] = (await closed) as [number];
  expect(code).toBe(4001);
  close();
});
