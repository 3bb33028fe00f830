/**
 * `node /app/keeper-rewrap.mjs [KID]`, in the keeper's pod: waits until the keeper holds wrapping key KID as its current
 * one (absent: whichever it is), has all data keys wrapped by it, and prints how far it is. Exits with 1 when a profile
 * could not be rewrapped, or the key does not arrive.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PORT } from '@podwright/api/names';
import type { RewrapProgress } from './rewrapper.ts';

/** A kubelet brings a changed Secret into a running pod within about two minutes. */
const ARRIVAL_MS = 240_000;
const PAUSE_MS = 1_000;
const wanted = process.argv[2];
const url = `http://127.0.0.1:${process.env['PODWRIGHT_ADMIN_PORT'] ?? PORT.keeperAdmin}/rewrap`;

async function ask(method: 'GET' | 'POST'): Promise<RewrapProgress> {
  const answer = await fetch(url, { method, signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`the keeper answers ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as RewrapProgress;
}

const started = Date.now();
let progress = await ask('POST');
while (progress.current !== (wanted ?? progress.current)) {
  if (Date.now() - started > ARRIVAL_MS)
    throw new Error(`key ${wanted} has not arrived; ${progress.current} is current`);
  console.log(`key ${progress.current} is current; waiting for ${wanted}`);
  await sleep(5 * PAUSE_MS);
  progress = await ask('POST');
}
// The round that ran when the key arrived may have begun with the key before it.
while (progress.state === 'running') {
  await sleep(PAUSE_MS);
  progress = await ask('GET');
}
progress = await ask('POST');
for (;;) {
  const { profiles, rewrapped, upToDate, failed } = progress;
  console.log(`${profiles} profiles: ${rewrapped} rewrapped, ${upToDate} up to date, ${failed.length} failed`);
  if (progress.state !== 'running') break;
  await sleep(PAUSE_MS);
  progress = await ask('GET');
}
for (const { profile, because } of progress.failed) console.log(`  ${profile}: ${because}`);
const retired = progress.retired.length === 0 ? 'no other is held' : `still held: ${progress.retired.join(', ')}`;
const verdict = progress.state === 'done' ? 'every data key is wrapped by' : 'NOT every data key is wrapped by';
console.log(`${verdict} key ${progress.current}; ${retired}`);
process.exitCode = progress.state === 'done' ? 0 : 1;
