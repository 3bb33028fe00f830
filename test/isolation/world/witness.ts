/**
 * Runs in a privileged pod on the network of a node, started by world.ts: listens where no browser may come, counts who
 * comes, answers where the pool opened a way, and serves names that change their address. One JSON command on stdin of
 * `node witness.ts ask` goes to the running server by its socket.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { type Socket, connect, createServer } from 'node:net';
import { answerDns } from './dns-answer.ts';

const CONTROL = '/tmp/witness.sock';

export interface Hit {
  /** Where it came to: `tcp 10.77.0.7:18081`, `udp …`, `dns <name>`. */
  at: string;
  /** Case id in the first bytes, as `/hit/<id>`; empty when there is none. */
  id: string;
  /** The first bytes, for people. */
  first: string;
}
export interface Request {
  method: string;
  url: string;
  headers?: [string, string][];
  body?: string;
}
export interface Response {
  status: number;
  body: string;
}
export type Command =
  | { do: 'addresses'; add: string[] }
  | { do: 'listen'; tcp: string[]; udp: string[]; open: string[]; dns?: string }
  | { do: 'inPod'; uid: string; addresses: string[]; tcp: string[]; udp: string[] }
  | { do: 'wire'; from: string; allow: string[] }
  | { do: 'wireCount' }
  | { do: 'connect'; uid?: string; to: string[] }
  | { do: 'resolve'; name: string }
  | { do: 'http'; uid: string; requests: Request[] }
  | { do: 'hits'; clear: boolean }
  | { do: 'stop' };

const hits: Hit[] = [];
const children: { kill(): boolean }[] = [];
const undo: (() => void)[] = [];
let report = (one: Hit): void => void hits.push(one);

function hit(at: string, bytes: Buffer): void {
  const first = bytes.toString('latin1', 0, 300);
  report({ at, id: /\/hit\/([\w.-]+)/.exec(first)?.[1] ?? '', first: first.split('\r\n', 2).join(' | ') });
}

/** `[::1]:80` and `10.0.0.1:80`. */
function split(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

/** `open`: the one address that the pool opens. It answers like a small site; a hit there is a positive control. */
async function listenTcp(address: string, open: boolean): Promise<void> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    let counted = false;
    socket.on('data', (chunk: Buffer) => {
      if (!counted || open) hit(`tcp ${address}`, chunk);
      counted = true;
      socket.end(open ? siteAnswer(chunk.toString('latin1')) : 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nHIT');
    });
    socket.on('close', () => counted || hit(`tcp ${address}`, Buffer.alloc(0)));
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen({ ...split(address), ipv6Only: true }, done);
  });
}

/** The allowed site: an empty page, redirects to anywhere, and headers that make a browser report somewhere. */
function siteAnswer(request: string): string {
  const target = /^[A-Z]+ (\S+)/.exec(request)?.[1] ?? '/';
  const url = new URL(target, 'http://site.invalid');
  const headers = ['Access-Control-Allow-Origin: *', 'Connection: close', 'Cache-Control: no-store'];
  const to = url.searchParams.get('to');
  if (url.pathname.startsWith('/redirect') && to !== null) {
    const status = url.searchParams.get('status') ?? '302';
    return ['HTTP/1.1 ' + status + ' Found', `Location: ${to}`, 'Content-Length: 0', ...headers, '', ''].join('\r\n');
  }
  for (const header of url.searchParams.getAll('header')) headers.push(header);
  const body = url.searchParams.get('body') ?? '<!doctype html><title>open</title><p>open';
  const type = url.searchParams.get('type') ?? 'text/html';
  return [
    'HTTP/1.1 200 OK',
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
}

async function listenUdp(address: string): Promise<void> {
  const { host, port } = split(address);
  const socket = createSocket(host.includes(':') ? { type: 'udp6', ipv6Only: true } : { type: 'udp4' });
  socket.on('message', (message) => hit(`udp ${address}`, message));
  await new Promise<void>((done, fail) => {
    socket.once('error', fail);
    socket.bind(port, host, () => done());
  });
}

/** A name server: names say themselves what they are to resolve to. Queries are counted as hits at `dns <name>`. */
function serveDns(address: string): Promise<void> {
  const { host, port } = split(address);
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (message, from) => {
    const { name, reply } = answerDns(message, asked);
    if (name !== '') hits.push({ at: `dns ${name}`, id: '', first: name });
    socket.send(reply, from.port, from.address);
  });
  return new Promise((done) => {
    socket.bind(port, host, () => done());
  });
}

/** In the node's own mounts: its tools, whatever this image has. */
const onNode = (...command: string[]): string =>
  execFileSync('nsenter', ['-t', '1', '-m', '-n', '--', ...command], { encoding: 'utf8' });

/** A process of a container of the pod: its network is the pod's. */
function processOf(podUid: string): string {
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (environment.includes(`POD_UID=${podUid}`)) return pid;
    } catch {
      // It has ended, or is a thread of the kernel.
    }
  }
  throw new Error(`no process of pod ${podUid} on this node`);
}

/** The same program again inside the network of a pod; its hits come back as lines. */
async function listenInPod(command: Extract<Command, { do: 'inPod' }>): Promise<void> {
  const pid = processOf(command.uid);
  for (const address of command.addresses) {
    execFileSync('nsenter', [
      '-t',
      '1',
      '-m',
      '--',
      'nsenter',
      `--net=/proc/${pid}/ns/net`,
      '--',
      'ip',
      'addr',
      'add',
      address,
      'dev',
      'lo',
    ]);
  }
  const child = spawn('nsenter', ['-t', pid, '-n', '--', process.execPath, import.meta.filename, 'inside'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  child.stdin.write(`${JSON.stringify(command)}\n`);
  await new Promise<void>((done, fail) => {
    let text = '';
    child.once('exit', (code) => fail(new Error(`the listener in the pod ended with ${code}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        if (line === 'ready') done();
        else hits.push(JSON.parse(line) as Hit);
      }
    });
  });
}

/** Counts every packet that a pod sends, before any policy sees it, but answers of its door and what `allow` names. */
function countWire({ from, allow }: Extract<Command, { do: 'wire' }>): void {
  const rule = (verb: string, ...match: string[]): string => onNode('iptables', '-w', '-t', 'raw', verb, ...match);
  try {
    rule('-N', 'PODWRIGHT-WIRE');
    undo.push(() => {
      rule('-F', 'PODWRIGHT-WIRE');
      rule('-X', 'PODWRIGHT-WIRE');
    });
  } catch {
    rule('-F', 'PODWRIGHT-WIRE');
  }
  rule('-A', 'PODWRIGHT-WIRE', '-p', 'tcp', '--sport', '9000', '-j', 'RETURN');
  rule('-A', 'PODWRIGHT-WIRE', '-p', 'udp', '--dport', '53', '-j', 'RETURN');
  rule('-A', 'PODWRIGHT-WIRE', '-p', 'tcp', '--dport', '53', '-j', 'RETURN');
  for (const address of allow) {
    const { host, port } = split(address);
    rule('-A', 'PODWRIGHT-WIRE', '-p', 'tcp', '-d', host, '--dport', String(port), '-j', 'RETURN');
  }
  rule('-A', 'PODWRIGHT-WIRE', '-m', 'comment', '--comment', 'counted');
  rule('-I', 'PREROUTING', '-s', from, '-j', 'PODWRIGHT-WIRE');
  undo.unshift(() => rule('-D', 'PREROUTING', '-s', from, '-j', 'PODWRIGHT-WIRE'));
}

function wireCount(): number {
  const listed = onNode('iptables', '-w', '-t', 'raw', '-L', 'PODWRIGHT-WIRE', '-v', '-x', '-n');
  return Number(/^\s*(\d+).*counted/m.exec(listed)?.[1] ?? Number.NaN);
}

async function tryConnect(to: string): Promise<boolean> {
  const socket = connect({ ...split(to), timeout: 2_000 });
  const reached = await new Promise<boolean>((done) => {
    socket.once('connect', () => done(true));
    for (const event of ['error', 'timeout'] as const) socket.once(event, () => done(false));
  });
  if (reached) socket.write('GET /hit/control HTTP/1.1\r\n\r\n');
  setTimeout(() => socket.destroy(), 100);
  return reached;
}

/** As it stands: a header may be repeated, and the path is not made tidy. */
async function send({ method, url, headers = [], body }: Request): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const target = /^http:\/\/([^/:]+):(\d+)(.*)$/.exec(url)!;
  const call = request({
    host: target[1],
    port: target[2],
    path: target[3],
    method,
    headers: headers.flat(),
    timeout: 8_000,
  });
  call.on('error', reject).on('timeout', () => call.destroy(new Error('no answer')));
  call.on('upgrade', (answer, socket) => {
    socket.destroy();
    resolve({ status: answer.statusCode ?? 0, body: '' });
  });
  call.on('response', (answer) => {
    let text = '';
    answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text.slice(0, 2_000) }));
  });
  call.end(body);
  return promise.catch((error: unknown) => ({ status: 0, body: String(error) }));
}

async function obey(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'addresses':
      for (const address of command.add) {
        onNode('ip', 'addr', 'replace', address, 'dev', 'lo');
        undo.push(() => onNode('ip', 'addr', 'del', address, 'dev', 'lo'));
      }
      return;
    case 'listen':
      for (const address of command.tcp) await listenTcp(address, false);
      for (const address of command.open) await listenTcp(address, true);
      for (const address of command.udp) await listenUdp(address);
      if (command.dns !== undefined) await serveDns(command.dns);
      return;
    case 'inPod':
      return listenInPod(command);
    case 'wire':
      return countWire(command);
    case 'wireCount':
      return wireCount();
    case 'connect':
      if (command.uid === undefined) return Promise.all(command.to.map(tryConnect));
      return JSON.parse(insidePod(command.uid, { do: 'connect', to: command.to })) as unknown;
    case 'resolve':
      return lookup(command.name).then(
        ({ address }) => address,
        () => '',
      );
    case 'http':
      return JSON.parse(insidePod(command.uid, command)) as unknown;
    case 'hits': {
      const found = [...hits];
      if (command.clear) hits.length = 0;
      return found;
    }
    case 'stop':
      for (const child of children) child.kill();
      for (const act of undo) act();
      setTimeout(() => process.exit(0), 50);
  }
}

/** One question asked from inside the network of a pod, by a process of the node: somebody who is allowed. */
function insidePod(uid: string, command: Command): string {
  const args = [
    '-t',
    processOf(uid),
    '-n',
    '--',
    process.execPath,
    import.meta.filename,
    'once',
    JSON.stringify(command),
  ];
  return execFileSync('nsenter', args, { encoding: 'utf8' });
}

/** The first line of a stream, which stays open. */
function readLine(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  return new Promise((done) => {
    stream.on('data', (chunk: Buffer | string) => {
      text += chunk.toString();
      if (text.includes('\n')) done(text);
    });
  });
}

async function main(mode: string | undefined, argument: string | undefined): Promise<void> {
  if (mode === 'inside') {
    const command = JSON.parse(await readLine(process.stdin)) as Extract<Command, { do: 'inPod' }>;
    for (const address of command.tcp) await listenTcp(address, false);
    for (const address of command.udp) await listenUdp(address);
    report = (one) => void process.stdout.write(`${JSON.stringify(one)}\n`);
    process.stdout.write('ready\n');
    return;
  }
  if (mode === 'once') {
    const command = JSON.parse(argument ?? '') as Command;
    if (command.do === 'connect') process.stdout.write(JSON.stringify(await Promise.all(command.to.map(tryConnect))));
    if (command.do === 'http') {
      const answers: Response[] = [];
      // One after the other: some rows of a table rest on the one before.
      for (const one of command.requests) answers.push(await send(one));
      process.stdout.write(JSON.stringify(answers));
    }
    process.exit(0);
  }
  if (mode === 'ask') {
    const socket = connect(CONTROL);
    socket.write(`${(await readLine(process.stdin)).trim()}\n`);
    for await (const chunk of socket) process.stdout.write(chunk as Buffer);
    process.exit(0);
  }
  rmSync(CONTROL, { force: true });
  createServer((socket) => {
    void readLine(socket)
      .then((line) => obey(JSON.parse(line) as Command))
      .then(
        (result) => socket.end(JSON.stringify({ result: result ?? null })),
        (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
      );
  }).listen(CONTROL);
}

await main(process.argv[2], process.argv[3]);
