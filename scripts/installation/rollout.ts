import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from './steps.ts';
import { lastWords, podTroubles, workloadStates } from './workloads.ts';

const PATIENCE_MS = 5 * 60_000;
/** A container may fail a few times while what it needs comes up; after this long it is the reason. */
const TROUBLE_MS = 90_000;

/** Waits until every part is up, with a line as each one gets there; rejects with what keeps it. */
export async function waitForParts(step: Step): Promise<void> {
  const started = Date.now();
  const told = new Set<string>();
  for (;;) {
    const states = await workloadStates();
    for (const { name, ready, wanted, done } of states) {
      if (done && !told.has(name)) {
        told.add(name);
        step.say(`${name} ${ready}/${wanted}`);
      }
    }
    if (states.length > 0 && states.every(({ done }) => done)) return;
    const waited = Date.now() - started;
    const troubles = waited > TROUBLE_MS ? await podTroubles() : [];
    if (troubles.length > 0 || waited > PATIENCE_MS) {
      const missing = states.filter(({ done }) => !done).map(({ name, ready, wanted }) => `${name} ${ready}/${wanted}`);
      const words = await Promise.all(
        troubles.map(async ({ pod, namespace, what }) => `${pod}: ${what}\n${await lastWords(pod, namespace)}`),
      );
      throw new Error(`these parts do not come up: ${missing.join(', ')}\n\n${words.join('\n\n')}`);
    }
    await sleep(1000);
  }
}
