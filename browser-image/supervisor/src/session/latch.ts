/**
 * The session this pod serves: the first valid one for the pod's life.
 * A second one means that two owners believe the pod is theirs; then it must serve neither.
 */
export interface Latch {
  /** True when the pod belongs to `sessionUid` now; false when it belongs to another. */
  take(sessionUid: string): boolean;
  readonly sessionUid: string | undefined;
}

export function createLatch(): Latch {
  let taken: string | undefined;
  return {
    take(sessionUid) {
      taken ??= sessionUid;
      return taken === sessionUid;
    },
    get sessionUid() {
      return taken;
    },
  };
}
