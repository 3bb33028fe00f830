import type { ConfigMap } from '@podwright/kube/objects';
import type { ResourceType } from '@podwright/kube/resource';
import type { Telling } from './story.ts';

/** Every kind that is watched here looks like a ConfigMap, as far as anybody looks. */
export type Item = ConfigMap;

/** One cache of one kind that is kept up by a watch: what the cases are run on. */
export interface Watcher {
  items(): Item[];
  /** Everything its handlers were told, in order. */
  readonly story: readonly Telling[];
  /** Calls the handler for every change from now on. */
  onChange(handler: (told: Telling) => unknown): void;
  stop(): Promise<void>;
}

export interface WatcherOptions {
  kubeconfig: string;
  resource: ResourceType<Item>;
  namespace: string;
  /** Silence after which it gives a connection up; the implementation's own where it is not given. */
  quietMs?: number;
}

/** An implementation. */
export interface Subject {
  name: string;
  start(options: WatcherOptions): Promise<Watcher>;
}
