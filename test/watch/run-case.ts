import { randomBytes } from 'node:crypto';
import type { ControlPlane } from '../harness/control-plane.ts';
import { WIDGETS } from './access.ts';
import type { Case } from './case.ts';
import { stopped } from './cases/lifecycle.ts';
import { problemsOf } from './story.ts';
import type { Subject } from './subject.ts';
import { type World, createWorld, listed } from './world.ts';

export interface Outcome {
  /** What was wrong; empty when nothing was. */
  problems: string[];
  /** The figure of the case, if it has one. */
  tookMs: number | undefined;
  requests: number;
  /** Most requests in any one second. */
  peak: number;
}

/** More requests than this in any second are a storm. */
const PEAK = 12;
const REQUESTS = 20;
const STOP_WITHIN_MS = 2_000;

/** Runs one case on one implementation, in a namespace of its own, and judges it. Throws only when the test itself is broken. */
export async function runCase(options: { case: Case; subject: Subject; plane: ControlPlane }): Promise<Outcome> {
  const wanted = options.case;
  const world = await createWorld({
    plane: options.plane,
    subject: options.subject,
    namespace: `watch-${randomBytes(4).toString('hex')}`,
    ...(wanted.widgets && { resource: WIDGETS }),
  });
  const problems: string[] = [];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => {
      problems.push(error instanceof Error ? error.message : String(error));
    });
  };
  let tookMs: number | undefined;
  try {
    await attempt(async () => {
      tookMs = (await wanted.run(world)) ?? undefined;
      if (tookMs !== undefined && wanted.withinMs !== undefined && tookMs > wanted.withinMs)
        problems.push(`it took ${seconds(tookMs)}, more than ${seconds(wanted.withinMs)}`);
    });
    if (!wanted.stopsEarly) {
      if (problems.length === 0) await attempt(async () => void (await world.settled()));
      problems.push(...(await judgeStory(world)));
    }
    const { requests, peak } = load(world);
    if (requests > (wanted.requests ?? REQUESTS)) problems.push(`it made ${requests} requests`);
    if (peak > PEAK) problems.push(`it made ${peak} requests in one second`);
    if (!wanted.stopsEarly) await attempt(() => judgeStop(world));
    return { problems: [...new Set(problems)], tookMs, requests, peak };
  } finally {
    await world.close();
  }
}

async function judgeStory(world: World): Promise<string[]> {
  const final = await listed(world.admin, world.resource, world.namespace);
  return problemsOf(
    world.watcher()?.story ?? [],
    final.map(({ metadata: { name, uid, resourceVersion } }) => ({ name, uid, resourceVersion })),
  ).slice(0, 3);
}

async function judgeStop(world: World): Promise<void> {
  const watcher = world.watcher();
  if (!watcher) return;
  world.proxy.onRequest = undefined;
  const took = await stopped(world, watcher);
  if (took > STOP_WITHIN_MS) throw new Error(`it took ${seconds(took)} to stop`);
}

function load({ proxy }: World): { requests: number; peak: number } {
  const at = proxy.seen.map((seen) => seen.at);
  const peak = Math.max(0, ...at.map((from) => at.filter((other) => other >= from && other < from + 1_000).length));
  return { requests: at.length + proxy.tcp.refused, peak };
}

export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
