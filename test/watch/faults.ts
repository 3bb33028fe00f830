import type { Fault, SeenRequest } from '../harness/http-fault-proxy.ts';
import { Reset } from '../harness/http-fault-proxy.ts';
import type { World } from './world.ts';

export const listsOf = (world: World): SeenRequest[] => world.proxy.seen.filter(({ kind }) => kind === 'list');
export const watchesOf = (world: World): SeenRequest[] => world.proxy.seen.filter(({ kind }) => kind === 'watch');

/** Lets `fault` happen to the next requests of a kind, `times` of them. */
export function next(world: World, kind: 'list' | 'watch' | 'any', fault: Fault, times = 1): void {
  let left = times;
  world.proxy.onRequest = (seen) => {
    if (left === 0 || (kind !== 'any' && seen.kind !== kind)) return undefined;
    left -= 1;
    return fault;
  };
}

/** To every request, until the returned function is called. */
export function always(world: World, fault: (seen: SeenRequest) => Fault | undefined): () => void {
  world.proxy.onRequest = fault;
  return () => {
    world.proxy.onRequest = undefined;
  };
}

/** A refusal as the API server words it. */
export function refusal(status: number, reason: string, headers: Record<string, string> = {}): Fault {
  return { answer: { status, headers, body: statusOf(status, reason) } };
}

export const statusOf = (code: number, reason: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: `made up: ${reason}`,
  reason,
  code,
});

export const errorLine = (code: number, reason: string): string =>
  `${JSON.stringify({ type: 'ERROR', object: statusOf(code, reason) })}\n`;

/** Rewrites the lines of a watch: each is replaced by what `change` returns. */
export function lines(change: (line: string) => string[] | Promise<string[]>): Fault {
  return {
    async *body(chunks) {
      let rest = '';
      for await (const chunk of chunks) {
        rest += chunk.toString('utf8');
        const whole = rest.split('\n');
        rest = whole.pop() ?? '';
        for (const line of whole) for (const out of await change(line)) yield `${out}\n`;
      }
    },
  };
}

/** Passes at most so many bytes; returns whether there were as many. */
async function* firstBytes(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer, boolean> {
  let left = bytes;
  for await (const chunk of chunks) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return true;
  }
  return false;
}

/** Passes so many bytes and resets the connection. */
export function resetAfter(bytes: number): Fault {
  return {
    async *body(chunks) {
      if (!(yield* firstBytes(chunks, bytes))) return;
      // What was passed is on its way before the reset overtakes it.
      await pause(50);
      throw new Reset();
    },
  };
}

/** Passes so many bytes and ends in good order. */
export function endAfter(bytes: number): Fault {
  return {
    async *body(chunks) {
      yield* firstBytes(chunks, bytes);
    },
  };
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** Many objects, twenty requests at a time. */
export async function createMany(world: World, prefix: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  await inTurn(names, 20, (name) => world.create(name));
  return names;
}

export async function inTurn<T>(items: T[], atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
