/**
 * Loaded before the operator by tests (`node --import`), and understood by nobody else.
 * TEST_HOLD: wait for a line on stdin. TEST_CLOCK_FILE: a wall clock that is wrong by the milliseconds in that file,
 * read again at every SIGUSR2; timers and the monotonic clock go on as they are.
 */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';

const clockFile = process.env['TEST_CLOCK_FILE'];
if (clockFile !== undefined) {
  const Real = Date;
  let offset = Number(readFileSync(clockFile, 'utf8'));
  process.on('SIGUSR2', () => (offset = Number(readFileSync(clockFile, 'utf8'))));
  class SteppedDate extends Real {
    constructor(...values: [] | ConstructorParameters<DateConstructor>) {
      if (values.length === 0) super(Real.now() + offset);
      else super(...values);
    }
    static override now(): number {
      return Real.now() + offset;
    }
  }
  globalThis.Date = SteppedDate as DateConstructor;
}

if (process.env['TEST_HOLD'] !== undefined) await once(process.stdin, 'data');
process.stdin.destroy();
