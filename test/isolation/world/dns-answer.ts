/**
 * Names that say themselves what they resolve to. The label before `iso.test` is a list of modes joined by `--`, each
 * an address with dashes for dots and colons (`4-10-0-0-1` for IPv4, `6-fd00--1` cannot hold `--`, so `z` stands for
 * it: `6-fd00z1`). Several addresses are answered together. `then` changes with every question of a name:
 * `4-45-77-0-7.then.4-10-77-0-7.r1.iso.test` is public the first time and private ever after.
 */

const A = 1;
const AAAA = 28;
const CNAME = 5;

/** The answer to a query, by name and by how often it was asked for that type; `asked` is kept by the caller. */
export function answerDns(query: Buffer, asked: Map<string, number>): { name: string; reply: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const question = query.subarray(12, at + 5);
  const name = labels.join('.');
  const key = `${type} ${name}`;
  const count = asked.get(key) ?? 0;
  asked.set(key, count + 1);
  const answers = recordsOf(labels, type, count);
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  return { name, reply: Buffer.concat([header, question, ...answers]) };
}

function recordsOf(labels: string[], type: number, count: number): Buffer[] {
  if (labels[0] === 'cname') return [record(CNAME, encodeName(labels.slice(1, labels.indexOf('end'))))];
  const then = labels.indexOf('then');
  const chosen = then === -1 ? labels[0] : count === 0 ? labels[then - 1] : labels[then + 1];
  return (chosen ?? '').split('--').flatMap((mode) => {
    const text = mode.slice(2);
    if (mode.startsWith('4-') && type === A) return [record(A, Buffer.from(text.split('-').map(Number)))];
    if (mode.startsWith('6-') && type === AAAA) return [record(AAAA, sixBytes(text))];
    return [];
  });
}

/** No time to live: nobody may remember. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** `fd00z1` to the bytes of fd00::1. */
function sixBytes(text: string): Buffer {
  const [left = '', right = ''] = text.split('z');
  const groups = (part: string): string[] => part.split('-').filter((group) => group !== '');
  const missing = 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array.from({ length: missing }, () => '0'), ...groups(right)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

const encodeName = (labels: string[]): Buffer =>
  Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);
