/**
 * `make test-crash`: the operator is killed at every write of a reference scenario, before and after the server has it,
 * and with the answer lost; then random schedules of faults. Ends with the table of writes and a verdict.
 * SCHEDULES=n (20) and SEED=s choose the schedules, MATRIX=off leaves the writes out, ONLY=text takes those whose words
 * contain it, FROM=n begins with the nth, LANES=n (2) says how many control planes work side by side.
 * `--short`: every fourth write, one fault each, two schedules.
 */
import { startFleet } from './fleet.ts';
import { type LoneOperator, startLoneOperator } from './lone-operator.ts';
import { type Cell, type Reference, type Verdict, cellsOf, createReplays } from './matrix.ts';
import { progress } from './progress.ts';
import { runSchedule } from './run-schedule.ts';
import { describe, scheduleOf } from './schedule.ts';
import { printTable } from './table.ts';
import { type World, startWorld } from './world.ts';

const short = process.argv.includes('--short');
const lanes = Number(process.env['LANES'] ?? 2);
const only = process.env['ONLY'] ?? '';
const withMatrix = process.env['MATRIX'] !== 'off';
const schedules = Number(process.env['SCHEDULES'] ?? (short ? 2 : 20));
// The short form is part of `make test`, which must not be green today and red tomorrow: new seeds are for the long one.
const seed = Number(process.env['SEED'] ?? (short ? 386_755 : Date.now() % 1_000_000));

/** Writes before this one are left out: a matrix that was interrupted goes on. */
const from = Number(process.env['FROM'] ?? 1);

const stopping = new AbortController();
let enough = false;
process.once('SIGTERM', () => stopping.abort(new Error('SIGTERM')));
process.once('SIGINT', () => {
  console.log('nothing new is begun; once more ends it at once');
  enough = true;
  process.once('SIGINT', () => stopping.abort(new Error('SIGINT')));
});

interface Lane {
  world: World;
  operator: LoneOperator;
}
let scenarios = 0;
const numberOf = (): number => (scenarios += 1);
const lanesUp: Lane[] = [];
const cells = new Map<Cell, Verdict>();
const random = new Map<number, Verdict>();

async function startLane(): Promise<Lane> {
  const world = await startWorld({ signal: stopping.signal });
  const operator = await startLoneOperator(world);
  const lane = { world, operator };
  lanesUp.push(lane);
  return lane;
}

async function playMatrix(reference: Reference): Promise<void> {
  const chosen = cellsOf(reference.writes, short).filter(
    ({ write, number }) => number >= from && write.words.includes(only),
  );
  console.log(`${reference.writes.length} writes in the reference scenario, ${chosen.length} replays`);
  const report = progress('replays', chosen.length);
  const left = chosen.values();
  await Promise.all(
    lanesUp.map(async ({ world, operator }) => {
      const replays = createReplays(world, operator, numberOf);
      for (const cell of left) {
        if (enough) return;
        stopping.signal.throwIfAborted();
        const verdict = await replays.replay(cell, reference);
        cells.set(cell, verdict);
        const words = `${cell.write.words} (${cell.write.occurrence}), ${cell.fault}`;
        report(verdict.is === 'broken' ? `${words}: ${verdict.problems.join('; ')}` : undefined);
      }
    }),
  );
  printTable(reference.writes, cells);
}

async function playSchedules(reference: Reference): Promise<void> {
  console.log(`${schedules} random schedules from SEED=${seed}`);
  const report = progress('schedules', schedules);
  const left = Array.from({ length: schedules }, (_, index) => seed + index).values();
  await Promise.all(
    lanesUp.map(async ({ world, operator }) => {
      await operator.stop();
      const fleet = await startFleet(world);
      for (const one of left) {
        if (enough) break;
        stopping.signal.throwIfAborted();
        const troubles = scheduleOf(one);
        const verdict = await runSchedule({ world, fleet, name: `crash-${numberOf()}`, troubles, reference });
        random.set(one, verdict);
        console.log(`seed ${one}: ${verdict.is === 'held' ? 'held' : 'BROKEN'}: ${describe(troubles)}`);
        if (verdict.is === 'broken') for (const line of verdict.log) console.log(`    ${line}`);
        report(
          verdict.is === 'broken'
            ? `${verdict.problems.join('; ')}; again: make test-crash MATRIX=off SCHEDULES=1 SEED=${one}`
            : undefined,
        );
      }
      await fleet.stop();
    }),
  );
}

try {
  for (let lane = 0; lane < lanes; lane += 1) await startLane();
  const { world, operator } = lanesUp[0]!;
  const reference = await createReplays(world, operator, numberOf).reference();
  if (withMatrix) await playMatrix(reference);
  if (schedules > 0) await playSchedules(reference);
} finally {
  await Promise.all(lanesUp.map(({ world }) => world.stop()));
}
const all = [...cells.values(), ...random.values()];
const broken = all.filter(({ is }) => is === 'broken').length;
const held = all.filter(({ is }) => is === 'held').length;
const missed = all.length - broken - held;
console.log(`test-crash: ${held} held, ${broken} broken, ${missed} did not come up${enough ? '; interrupted' : ''}`);
// A write that no replay makes any more is not tested: a few statuses may depend on timing, many may not.
process.exitCode = broken === 0 && held > 0 && missed <= all.length / 20 && !enough ? 0 : 1;
