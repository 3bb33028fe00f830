/** Why a run is let go of in the middle. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** Redis was away for too long: without a journal nothing may be done. */
export class StoreLostError extends Error {
  override readonly name = 'StoreLostError';
}

/** What people and the platform want of a run while it is worked on. */
export interface RunControl {
  /** Aborts at once, with CancelledError, SupersededError or StoreLostError as reason. */
  signal: AbortSignal;
  /** True: give the run back at the end of this step. */
  shouldHandBack(): boolean;
  paused(): boolean;
  /** Resolves when the run is no longer paused, or is to be handed back. */
  resumed(): Promise<void>;
}
