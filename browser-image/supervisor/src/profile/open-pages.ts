import type { CdpLink } from '../browser/cdp-link.ts';
import { originOf } from '../browser/origin-log.ts';
import type { Pages } from '../browser/pages.ts';
import { collectSessionStorage } from './collect-in-page.ts';

/** What only the open pages can tell. */
export interface OpenPages {
  /** sessionStorage by origin; of two pages of one origin the newer one's. */
  sessions: Map<string, { name: string; value: string }[]>;
  /** Origins of frames that share a process with their page, and so are no targets of their own. */
  frames: Set<string>;
  /** Pages that did not answer: a dialog is open, or a script does not end. */
  silent: number;
}

interface FrameTree {
  frame: { id: string; securityOrigin: string };
  childFrames?: FrameTree[];
}

/** A page that works answers at once. */
const PAGE_MS = 2_000;
/** Our own world in the page: what the page did to its globals is not there. */
const WORLD = 'podwright';

export async function readOpenPages(link: CdpLink, pages: Pages): Promise<OpenPages> {
  const found: OpenPages = { sessions: new Map(), frames: new Set(), silent: 0 };
  const asked = pages
    .attached()
    .filter(({ url }) => originOf(url) !== undefined)
    .map(({ sessionId }) => within(PAGE_MS, readPage(link, sessionId)));
  for (const answer of await Promise.allSettled(asked)) {
    if (answer.status === 'rejected') {
      found.silent += 1;
      continue;
    }
    const { origin, entries, origins } = answer.value;
    if (entries.length > 0) found.sessions.set(origin, entries);
    for (const frame of origins) found.frames.add(frame);
  }
  return found;
}

async function readPage(link: CdpLink, sessionId: string) {
  const { frameTree } = await link.send<{ frameTree: FrameTree }>('Page.getFrameTree', {}, sessionId);
  const { executionContextId } = await link.send<{ executionContextId: number }>(
    'Page.createIsolatedWorld',
    { frameId: frameTree.frame.id, worldName: WORLD },
    sessionId,
  );
  const { result } = await link.send<{ result: { value?: ReturnType<typeof collectSessionStorage> } }>(
    'Runtime.evaluate',
    {
      expression: `(${collectSessionStorage.toString()})()`,
      contextId: executionContextId,
      returnByValue: true,
    },
    sessionId,
  );
  const { origin = '', entries = [] } = result.value ?? {};
  return { origin, entries, origins: originsOf(frameTree) };
}

const originsOf = ({ frame, childFrames = [] }: FrameTree): string[] => [
  ...(originOf(frame.securityOrigin) === undefined ? [] : [frame.securityOrigin]),
  ...childFrames.flatMap(originsOf),
];

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the page does not answer')), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
