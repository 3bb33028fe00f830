/** One call of a handler. */
export interface Telling {
  type: 'added' | 'changed' | 'removed';
  name: string;
  uid: string;
  resourceVersion: string;
}

/**
 * Reads a story as a careful controller would, and says what is wrong with it: an object is added once, changes only
 * forwards and as itself, and is removed once; a name that passes to another object is told as removed and added.
 * At its end the story has told exactly `final`.
 */
export function problemsOf(
  story: readonly Telling[],
  final: readonly { name: string; uid: string; resourceVersion: string }[],
): string[] {
  const problems: string[] = [];
  const known = new Map<string, Telling>();
  for (const told of story) {
    const before = known.get(told.name);
    if (told.type === 'added') {
      if (before) problems.push(`${told.name} was added twice`);
      known.set(told.name, told);
    } else if (!before) {
      problems.push(`${told.name} was ${told.type} without being there`);
    } else if (before.uid !== told.uid) {
      problems.push(`${told.name} was ${told.type} as another object of that name`);
      if (told.type === 'changed') known.set(told.name, told);
      else known.delete(told.name);
    } else if (told.type === 'changed') {
      const step = BigInt(told.resourceVersion) - BigInt(before.resourceVersion);
      if (step < 0n) problems.push(`${told.name} went back in time`);
      if (step === 0n) problems.push(`a change of ${told.name} was told twice`);
      known.set(told.name, told);
    } else known.delete(told.name);
  }
  for (const { name, uid, resourceVersion } of final) {
    const told = known.get(name);
    known.delete(name);
    if (!told) problems.push(`${name} was never told`);
    else if (told.uid !== uid) problems.push(`${name} was told as another object`);
    else if (told.resourceVersion !== resourceVersion) problems.push(`the last change of ${name} was not told`);
  }
  for (const name of known.keys()) problems.push(`that ${name} is gone was not told`);
  return problems;
}
