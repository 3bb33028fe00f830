/**
 * JSON read so that two readers cannot disagree about it.
 * Two members of one name are where parsers differ (first wins, last wins): the supervisor would judge one and Chromium act on the other.
 */

/** The value of `text`; throws a SyntaxError when it is not JSON or an object in it has two members of one name. */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Outside strings every colon belongs to one member, so both counts agree exactly when no member was overwritten.
  if (countColons(text) !== countMembers(value)) throw new SyntaxError('an object has two members of one name');
  return value;
}

const COLON = 58;
const QUOTE = 34;
const BACKSLASH = 92;

function countColons(text: string): number {
  let colons = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COLON) colons += 1;
    else if (code === QUOTE) at = endOfString(text, at + 1);
  }
  return colons;
}

/** Index of the quote that closes the string whose content starts at `from`. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
  }
  return text.length;
}

function countMembers(root: unknown): number {
  let members = 0;
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const children = Object.values(value);
    if (!Array.isArray(value)) members += children.length;
    for (const child of children) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return members;
}
