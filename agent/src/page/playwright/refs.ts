import type { ElementHandle } from 'playwright-core';
import type { ActionResult } from '../browser.ts';
import {
  type Snapshot,
  type SnapshotNode,
  describeNode,
  findAgain,
  identityOf,
  parseRef,
  toSnapshot,
} from '../snapshot.ts';
import type { CollectedPage } from './collect-page.ts';

/** How many earlier snapshots are remembered, to say what an old ref meant. */
const REMEMBERED = 10;

export interface Refs {
  /** Takes a new look in. The number, and with it every ref, stays when the page is the same as before. */
  take(collected: CollectedPage): Snapshot;
  current(): Snapshot | null;
  resolve(ref: string): Promise<{ element: ElementHandle; node: SnapshotNode } | Extract<ActionResult, { ok: false }>>;
}

export function createRefs(firstNumber: number): Refs {
  let number = firstNumber - 1;
  let identity = '';
  let current: Snapshot | null = null;
  let collected: CollectedPage | null = null;
  const earlier = new Map<number, Snapshot>();

  const refuse = (code: 'unknown_ref' | 'stale_ref', text: string) =>
    ({ ok: false, code, text, pageChanged: false }) as const;

  return {
    take(next) {
      const nextIdentity = identityOf(next);
      if (nextIdentity !== identity || current === null) {
        number += 1;
        identity = nextIdentity;
      }
      collected?.dispose();
      collected = next;
      current = toSnapshot(number, next);
      earlier.set(number, current);
      earlier.delete(number - REMEMBERED);
      return current;
    },
    current: () => current,
    async resolve(ref) {
      const parsed = parseRef(ref);
      if (!parsed || !current || !collected) return refuse('unknown_ref', `"${ref}" is no ref; refs look like s1e2.`);
      if (parsed.snapshot !== number) {
        const old = earlier.get(parsed.snapshot)?.nodes.find((node) => node.ref === ref);
        if (!old) return refuse('unknown_ref', `${ref} was in no snapshot; the present one is s${number}.`);
        const again = findAgain(old, current);
        const hint = again
          ? ` ${again.ref} is now the only such control.`
          : ' No control of the present page is surely the same.';
        return refuse(
          'stale_ref',
          `${ref} was ${describeNode(old)} in an earlier snapshot; the page has changed since.${hint}`,
        );
      }
      const node = current.nodes.find((candidate) => candidate.ref === ref);
      if (!node) return refuse('unknown_ref', `Snapshot s${number} has no element ${parsed.element}.`);
      const element = await collected.element(parsed.element - 1).catch(() => null);
      if (!element) return refuse('stale_ref', `${ref} was ${describeNode(node)}; its frame has been replaced since.`);
      return { element, node };
    },
  };
}
