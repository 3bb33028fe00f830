import type { Logger } from 'pino';

const EVERY_MS = 30_000;

/** A connection that is away fails many times a second; one line now and then says it as well. */
export function createOutageLog(options: { log: Logger; what: string; now: () => number }): (error: Error) => void {
  const { log, what, now } = options;
  let lastAt = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  return (error) => {
    if (now() - lastAt < EVERY_MS) {
      unsaid += 1;
      return;
    }
    log.warn({ error: error.message, unsaid }, `${what} does not answer`);
    lastAt = now();
    unsaid = 0;
  };
}
