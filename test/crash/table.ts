import { FAULTS, type WriteId } from './faults.ts';
import type { Cell, Verdict } from './matrix.ts';

const MARK = { held: 'ok', missed: '-', broken: 'BROKEN' } as const;

/** The matrix of writes and faults as a Markdown table, then what was broken, with the operator's last words. */
export function printTable(writes: readonly WriteId[], results: ReadonlyMap<Cell, Verdict>): void {
  console.log(`\n| # | write | ${FAULTS.join(' | ')} |`);
  console.log(`| ---: | --- | ${FAULTS.map(() => '---').join(' | ')} |`);
  for (const [index, { words, occurrence }] of writes.entries()) {
    const row = [...results].filter(([cell]) => cell.number === index + 1);
    if (row.length === 0) continue;
    const marks = FAULTS.map((fault) => {
      const verdict = row.find(([cell]) => cell.fault === fault)?.[1];
      return verdict ? MARK[verdict.is] : '';
    });
    console.log(`| ${index + 1} | ${words}${occurrence > 1 ? ` (${occurrence})` : ''} | ${marks.join(' | ')} |`);
  }
  for (const [cell, verdict] of results) {
    if (verdict.is !== 'broken') continue;
    console.log(`\n#${cell.number} ${cell.write.words} (${cell.write.occurrence}), ${cell.fault}:`);
    for (const problem of verdict.problems) console.log(`  ${problem}`);
    for (const line of verdict.log) console.log(`    ${line}`);
  }
  console.log();
}
