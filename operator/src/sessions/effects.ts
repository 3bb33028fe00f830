import type { Pod } from '@podwright/kube/objects';

/** What a decision wants done. Executed in order; each may fail and be wanted again by the next pass. */
export type Effect =
  | { do: 'addFinalizer' }
  | { do: 'removeFinalizer' }
  /** One guarded patch on one warm pod after the other; a new pod when none could be had. */
  | { do: 'claimWarm' }
  | { do: 'createPod' }
  /** In the background: ask the pod until it is ready. */
  | { do: 'awaitDoor'; pod: Pod }
  | { do: 'bind'; pod: Pod }
  | { do: 'claimProfile' }
  | { do: 'loadProfile'; pod: Pod }
  | { do: 'releaseProfile' }
  /** In the background: the keeper fetches what the pod kept. */
  | { do: 'collect'; pod: Pod }
  | { do: 'deletePod'; pod: Pod; graceSeconds: number }
  | { do: 'deleteSession' }
  /** Leaves a word where it outlives the object and its namespace. */
  | { do: 'tombstone'; words: string };
