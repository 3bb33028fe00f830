import type { ElementHandle, Frame, JSHandle, Page } from 'playwright-core';
import { within } from '../../within.ts';
import type { PageNode } from '../snapshot.ts';
import { type Collected, collectInPage } from './collect-in-page.ts';

/** Nodes of one frame at most; beyond it the page is cut and says so. */
const FRAME_NODES = 20_000;
const FRAMES = 20;
const FRAME_DEPTH = 4;
const FRAME_DEADLINE_MS = 3_000;

export interface CollectedPage {
  url: string;
  title: string;
  nodes: PageNode[];
  /** Element of the `index`th control (from 0) of `nodes`. Null when its frame is gone. */
  element(index: number): Promise<ElementHandle | null>;
  dispose(): void;
}

/** One look at a page with all its frames, in reading order. Throws when the main frame gives no answer. */
export async function collectPage(page: Page, signal: AbortSignal): Promise<CollectedPage> {
  const nodes: PageNode[] = [];
  const controls: { of: JSHandle<Collected>; index: number }[] = [];
  const handles: JSHandle<Collected>[] = [];
  let frames = 0;

  const collectFrame = async (frame: Frame, depth: number): Promise<void> => {
    frames += 1;
    const collected = await within(frame.evaluateHandle(collectInPage, FRAME_NODES), FRAME_DEADLINE_MS, signal);
    handles.push(collected);
    // As text it takes a tenth of the time that Playwright needs for as many objects.
    const json = await within(
      collected.evaluate((all) => JSON.stringify({ nodes: all.nodes, cut: all.cut })),
      FRAME_DEADLINE_MS,
      signal,
    );
    const found = JSON.parse(json) as { nodes: PageNode[]; cut: boolean };
    let element = -1;
    for (const node of found.nodes) {
      nodes.push({ ...node, depth: node.depth + depth });
      if (node.kind !== 'control' && node.kind !== 'frame') continue;
      element += 1;
      if (node.kind === 'control') controls.push({ of: collected, index: element });
      else if (frames < FRAMES && depth < FRAME_DEPTH) await collectInside(collected, element, depth + node.depth + 1);
    }
    if (found.cut) {
      const name = `(the page has more than ${FRAME_NODES} parts; the rest is left out)`;
      nodes.push({ kind: 'text', depth, role: '', name, place: 'below' });
    }
  };

  const collectInside = async (of: JSHandle<Collected>, index: number, depth: number): Promise<void> => {
    try {
      const holder = await elementAt(of, index);
      const frame = await holder?.contentFrame();
      if (frame) await collectFrame(frame, depth);
    } catch (error) {
      signal.throwIfAborted();
      // A frame that is loading or hangs must not blind the run for the rest of the page.
      if (page.isClosed()) throw error;
      nodes.push({ kind: 'text', depth, role: '', name: '(this frame does not answer yet)', place: 'in' });
    }
  };

  await collectFrame(page.mainFrame(), 0);
  const title = await within(page.title(), FRAME_DEADLINE_MS, signal);
  return {
    url: page.url(),
    title,
    nodes,
    async element(index) {
      const control = controls[index];
      return control ? elementAt(control.of, control.index) : null;
    },
    dispose() {
      for (const handle of handles) handle.dispose().catch(() => {});
    },
  };
}

async function elementAt(of: JSHandle<Collected>, index: number): Promise<ElementHandle | null> {
  const handle = await of.evaluateHandle((all, at) => all.elements[at] ?? null, index);
  return handle.asElement();
}
