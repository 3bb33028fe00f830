import type { World } from './world.ts';

/** One way in which things go wrong. */
export interface Case {
  /** Completes "the cache stays true when …". */
  name: string;
  /** Also in the short form. */
  short?: true;
  /** Watches the test's own kind instead of ConfigMaps. */
  widgets?: true;
  /** Makes things go wrong. Afterwards the cache must become true. Returns milliseconds worth showing. */
  run(world: World): Promise<number | void>;
  /** What `run` may return at most. */
  withinMs?: number;
  /** Requests over the whole case, refused connections included. Default 20. */
  requests?: number;
  /** The watcher is stopped in the middle, so its cache need not be true. */
  stopsEarly?: true;
}
