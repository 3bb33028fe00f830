/**
 * What a page looks like to a model: its text and controls in reading order. A control carries a ref such as `s3e12`
 * (snapshot 3, element 12); a ref belongs to its snapshot and is refused in any other.
 */

/** One thing on the page, as found by the collector in the page. Text is already collapsed and capped. */
export interface PageNode {
  kind: 'text' | 'heading' | 'image' | 'control' | 'group' | 'frame';
  /** Nesting of groups and frames, 0 at the top. */
  depth: number;
  /** Role of a control or group (`link`, `textbox`, `item`, `row`, `dialog` …); heading level for headings. */
  role: string;
  /** Accessible name of a control, words of a text. */
  name: string;
  /** Where the thing is against the visible part of its frame. */
  place: 'above' | 'in' | 'below';
  /** Address of a link, as written in the page. */
  href?: string;
  /** Present value of a field; `•••` for passwords. */
  value?: string;
  placeholder?: string;
  checked?: boolean;
  disabled?: boolean;
  expanded?: boolean;
  /** Labels of the options of a select, at most 30. */
  options?: string[];
}

/** A node with its place in the snapshot; controls are numbered over all frames. */
export interface SnapshotNode extends PageNode {
  ref: string | null;
}

export interface Snapshot {
  /** Rises when the page is another one than before; refs carry it. */
  number: number;
  url: string;
  title: string;
  nodes: SnapshotNode[];
}

const REF = /^s(\d+)e(\d+)$/;

export function parseRef(ref: string): { snapshot: number; element: number } | null {
  const match = REF.exec(ref.trim());
  return match ? { snapshot: Number(match[1]), element: Number(match[2]) } : null;
}

/** Numbers the controls of collected nodes. */
export function toSnapshot(number: number, page: { url: string; title: string; nodes: PageNode[] }): Snapshot {
  let element = 0;
  const nodes = page.nodes.map((node) => {
    if (node.kind !== 'control') return { ...node, ref: null };
    element += 1;
    return { ...node, ref: `s${number}e${element}` };
  });
  return { number, url: page.url, title: page.title, nodes };
}

/**
 * What makes two views of a page the same one: its address, texts and controls in order. Values, ticks and the scroll
 * position are left out, because filling a form does not make its refs wrong.
 */
export function identityOf(page: { url: string; nodes: readonly PageNode[] }): string {
  const parts = page.nodes.map((node) => [node.kind, node.depth, node.role, node.name, node.href ?? ''].join('\u0001'));
  return [page.url, ...parts].join('\u0002');
}

/** One word per thing, for sentences about it: `link "Next"`. */
export const describeNode = (node: PageNode): string =>
  `${node.role} "${node.name || node.placeholder || node.value || ''}"`;

/**
 * The control of `now` that an old one most likely is: the only one of the same role, name and address.
 * Null when there is none or more than one, because a guess would click something else.
 */
export function findAgain(old: SnapshotNode, now: Snapshot): SnapshotNode | null {
  const same = now.nodes.filter(
    (node) => node.ref !== null && node.role === old.role && node.name === old.name && node.href === old.href,
  );
  return same.length === 1 ? (same[0] ?? null) : null;
}

/** Lines of the whole snapshot, visible or not, that contain `words`; for the find tool. */
export function findNodes(snapshot: Snapshot, words: string, limit: number): SnapshotNode[] {
  const wanted = words.toLowerCase();
  const has = (text: string | undefined) => text !== undefined && text.toLowerCase().includes(wanted);
  return snapshot.nodes
    .filter((node) => has(node.name) || has(node.value) || has(node.placeholder) || node.options?.some(has))
    .slice(0, limit);
}
