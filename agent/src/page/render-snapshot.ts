import { safeText } from '@podwright/api/safe-text';
import type { Snapshot, SnapshotNode } from './snapshot.ts';

/** Characters of a rendered snapshot at most: about 3,000 tokens. */
export const SNAPSHOT_CHARACTERS = 12_000;

/**
 * The snapshot as lines for a model. When all of it does not fit, the part that begins at the visible area is shown and
 * the rest is counted, so that nothing disappears silently: scrolling or `find` brings it up.
 */
export function renderSnapshot(snapshot: Snapshot, limit = SNAPSHOT_CHARACTERS): string {
  const lines = mergeTexts(snapshot.nodes).map((node) => ({ place: node.place, text: renderNode(node) }));
  const total = lines.reduce((sum, line) => sum + line.text.length + 1, 0);
  if (total <= limit) return lines.map((line) => line.text).join('\n');

  const first = Math.max(
    0,
    lines.findIndex((line) => line.place !== 'above'),
  );
  const shown: string[] = [];
  let used = 0;
  let next = first;
  for (; next < lines.length; next += 1) {
    const { text } = lines[next]!;
    if (used + text.length + 1 > limit) break;
    shown.push(text);
    used += text.length + 1;
  }
  if (first > 0) shown.unshift(`(${first} lines above are not shown: scroll up, or use find)`);
  if (next < lines.length) shown.push(`(${lines.length - next} lines below are not shown: scroll down, or use find)`);
  return shown.join('\n');
}

/** Neighbouring texts of one group become one line; texts of table cells stay readable that way. */
function mergeTexts(nodes: readonly SnapshotNode[]): SnapshotNode[] {
  const merged: SnapshotNode[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    if (last && node.kind === 'text' && last.kind === 'text' && last.depth === node.depth && last.depth > 0) {
      merged[merged.length - 1] = { ...last, name: `${last.name} | ${node.name}` };
    } else merged.push(node);
  }
  return merged;
}

export function renderNode(node: SnapshotNode): string {
  const indent = '  '.repeat(Math.min(node.depth, 8));
  switch (node.kind) {
    case 'text':
      return `${indent}${safeText(node.name, 1_000)}`;
    case 'heading':
      return `${indent}${'#'.repeat(Number(node.role) || 1)} ${safeText(node.name)}`;
    case 'image':
      return `${indent}image ${quoted(node.name)}`;
    case 'group':
      return `${indent}${node.role}${node.name ? ` ${quoted(node.name)}` : ''}:`;
    case 'frame':
      return `${indent}frame ${quoted(node.name)}:`;
    case 'control':
  }
  return `${indent}[${node.ref}] ${node.role} ${quoted(node.name)}${attributes(node)}`;
}

const quoted = (text: string): string => `"${safeText(text, 160).replaceAll('"', "'")}"`;

function attributes(node: SnapshotNode): string {
  const parts: string[] = [];
  if (node.href !== undefined) parts.push(`-> ${safeText(node.href, 200)}`);
  if (node.value !== undefined && node.value !== '') parts.push(`value=${quoted(node.value)}`);
  if (node.placeholder !== undefined && node.placeholder !== node.name)
    parts.push(`placeholder=${quoted(node.placeholder)}`);
  if (node.checked !== undefined) parts.push(node.checked ? 'checked' : 'unchecked');
  if (node.expanded !== undefined) parts.push(node.expanded ? 'expanded' : 'collapsed');
  if (node.disabled === true) parts.push('disabled');
  if (node.options) parts.push(`options: ${node.options.map(quoted).join(', ')}`);
  return parts.length === 0 ? '' : ` ${parts.join(' ')}`;
}
