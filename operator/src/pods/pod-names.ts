import { createHash } from 'node:crypto';

/** Name of the pod that is made for one session. Made again after a lost answer it is "already exists", never a second pod. */
export const coldPodName = (sessionUid: string): string => `bs-${sessionUid}`;

/** Name of a warm pod. `random` gives 8 hex characters. */
export const warmPodName = (pool: string, random: string): string => `${pool.slice(0, 40)}-warm-${random}`;

/** `text` as a label value: names may be 253 characters long, label values 63. Long ones end in a hash. */
export function labelValue(text: string): string {
  if (text.length <= 63) return text;
  return `${text.slice(0, 52)}-${createHash('sha256').update(text).digest('hex').slice(0, 10)}`;
}
