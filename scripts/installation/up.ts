/**
 * `make up`, from the third step on: cluster and images side by side, the chart, a key, the sample, and what to do next.
 * Every step looks for what is done already, so it can be interrupted and run again.
 */
import { ensureKey } from './api-key.ts';
import { installChart } from './chart.ts';
import { makeImages } from './images.ts';
import { modelsFromEnvironment } from './models.ts';
import { findPlace, gatewayUrl } from './place.ts';
import { printReport } from './report.ts';
import { waitForParts } from './rollout.ts';
import { run } from './run.ts';
import { runSample } from './sample.ts';
import { createSteps } from './steps.ts';

const before = Number(process.argv[process.argv.indexOf('--elapsed') + 1] ?? 0) * 1000;
const steps = createSteps({ total: 8, firstNumber: 3, startedAt: Date.now() - before });

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    console.error('\nInterrupted. Run make up again: it goes on from here.');
    process.exit(130);
  });
}

try {
  const place = await findPlace();
  const nodes = process.env['NODES'] ? ['--nodes', process.env['NODES']] : [];
  const models = modelsFromEnvironment(process.env);
  const [images] = await both(
    steps.run('images, built where something changed', (step) => makeImages(place, step)),
    steps.run(`cluster ${place.cluster}`, (step) =>
      run('kind/cluster.sh', ['up', place.cluster, ...nodes], { onLine: (line) => step.say(line) }),
    ),
  );
  await steps.run('images into the nodes, those that are not there', async (step) => {
    if (images.archives.length === 0) return;
    await run('kind/cluster.sh', ['load', place.cluster, ...images.archives], { onLine: (line) => step.say(line) });
  });
  const publicUrl = await gatewayUrl(place);
  const key = await steps.run('chart and key', async (step) => {
    await installChart({ images, publicUrl, models }, step);
    return ensureKey(place);
  });
  await steps.run('parts, until all are ready', waitForParts);
  const sample = await steps.run('sample session', (step) => runSample(step));
  await printReport({ place, publicUrl, key, sample, demoModel: models.entries.length === 0 });
  console.log(`up: ready after ${steps.elapsed()}`);
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  console.error(`\nup: failed after ${steps.elapsed()}. make status says more; make up can be run again.`);
  process.exit(1);
}

/** Both results; when one fails the other is still waited for, so that no half-done work goes on unseen. */
async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second]);
  if (a.status === 'rejected') throw a.reason;
  if (b.status === 'rejected') throw b.reason;
  return [a.value, b.value];
}
