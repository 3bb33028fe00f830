/** Prints how far a long suite is and how long it will take, at most every ten seconds, and every problem at once. */
export function progress(what: string, total: number): (problem: string | undefined) => void {
  const startedAt = performance.now();
  let done = 0;
  let printedAt = startedAt;
  return (problem) => {
    done += 1;
    if (problem !== undefined) console.log(`BROKEN ${problem}`);
    const now = performance.now();
    if (now - printedAt < 10_000 && done < total) return;
    printedAt = now;
    const seconds = (now - startedAt) / 1000;
    const left = Math.round((seconds / done) * (total - done));
    console.log(`${done}/${total} ${what}, ${Math.round(seconds)} s, about ${left} s left`);
  };
}
