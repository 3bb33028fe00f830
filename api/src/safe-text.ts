/**
 * The one way in which text from pages, models and users enters status, events, logs and pages of ours:
 * no escape, control or bidirectional characters, and a cap.
 */
// oxlint-disable-next-line no-control-regex -- control characters are exactly what is removed
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** `text` without unsafe characters, newlines folded to spaces, at most `limit` UTF-16 units with an ellipsis at the cut. */
export function safeText(text: string, limit = 300): string {
  const clean = text
    .replace(/[\n\t]+/g, ' ')
    .replace(UNSAFE, '')
    .trim()
    .toWellFormed();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).toWellFormed()}…`;
}
