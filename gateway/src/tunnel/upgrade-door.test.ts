import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { installUpgradeDoor } from './upgrade-door.ts';

type Parts = Parameters<typeof installUpgradeDoor>[0];

test.each(['//', 'http://', '//[/cdp/secret'])('an upgrade of %s is a bad request and not logged', async (url) => {
  const lines: string[] = [];
  const server = createServer();
  installUpgradeDoor({
    server,
    basePath: '',
    links: {} as Parts['links'],
    viewers: {} as Parts['viewers'],
    opener: {} as Parts['opener'],
    isDraining: () => false,
    log: pino({ level: 'info' }, { write: (line: string) => lines.push(line) }),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`GET ${url} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
  const answer = await text(socket);
  server.close();
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(lines.join('')).not.toMatch(/bug|secret|http:\/\//);
});
