import type { BrowserSession } from '@podwright/api/kinds/session';
import { ANNOTATION } from '@podwright/api/names';
import { conditionOf } from './draft.ts';

/**
 * How many sessions from manifests a namespace was given a place in the last minute. What the API makes is counted by the
 * gateway, which refuses; an object that is there already can only wait.
 */
export interface ManifestRate {
  /** What the last leader admitted, from the cache. */
  inherit(session: BrowserSession): void;
  admitted(namespace: string): void;
  stateOf(namespace: string, perMinute: number): { perMinute: number; left: number; nextAt: number | undefined };
}

const WINDOW_MS = 60_000;

export const isFromManifest = ({ metadata }: BrowserSession): boolean =>
  metadata.annotations?.[ANNOTATION.origin] === undefined;

export function createManifestRate(options: { now: () => number }): ManifestRate {
  const { now } = options;
  const instants = new Map<string, number[]>();

  function recent(namespace: string): number[] {
    const kept = (instants.get(namespace) ?? []).filter((at) => at > now() - WINDOW_MS);
    if (kept.length === 0) instants.delete(namespace);
    else instants.set(namespace, kept);
    return kept;
  }
  const add = (namespace: string, at: number): void => {
    instants.set(
      namespace,
      [...recent(namespace), at].toSorted((a, b) => a - b),
    );
  };

  return {
    inherit(session) {
      const admitted = conditionOf(session.status, 'Admitted');
      if (admitted?.status !== 'True' || !isFromManifest(session)) return;
      const at = Date.parse(admitted.lastTransitionTime);
      if (at > now() - WINDOW_MS) add(session.metadata.namespace ?? '', at);
    },
    admitted: (namespace) => add(namespace, now()),
    stateOf(namespace, perMinute) {
      const used = recent(namespace);
      const left = Math.max(0, perMinute - used.length);
      // The one whose minute ends next makes room; with a limit of zero nobody ever does.
      const oldest = used.at(-perMinute);
      return { perMinute, left, nextAt: left > 0 || oldest === undefined ? undefined : oldest + WINDOW_MS };
    },
  };
}
