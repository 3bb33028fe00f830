import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';

/** Latency of one plain write to the API server, over and over: what nobody can be faster than in this run. */
export function startBaseline(options: { client: Client; namespace: string; everyMs: number }): {
  /** Milliseconds of those since the last call. */
  take(): number[];
  stop(): Promise<void>;
} {
  const { client, namespace } = options;
  const target = { namespace, name: 'baseline' };
  let samples: number[] = [];
  const stopping = new AbortController();
  let count = 0;
  async function run(): Promise<void> {
    await client.create(RESOURCE.configMaps, { metadata: target });
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      await client.patch(RESOURCE.configMaps, target, {
        type: 'merge',
        body: { data: { count: String((count += 1)) } },
      });
      samples.push(performance.now() - startedAt);
      await sleep(options.everyMs);
    }
  }
  const running = run();
  // Told by `stop`; until then the run that it is beside has the first word.
  running.catch(() => {});
  return {
    take() {
      const taken = samples;
      samples = [];
      return taken;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
