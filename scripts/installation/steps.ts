/**
 * Steps of `make up` on the terminal: a line when one begins, lines of what it is doing, a line with its time at the end.
 * Steps that run side by side share the screen, so every line carries its step's name.
 */
export interface Step {
  /** One line of progress. */
  say(line: string): void;
}

export function createSteps(options: { total: number; firstNumber: number; startedAt: number }): {
  run<T>(name: string, work: (step: Step) => Promise<T>): Promise<T>;
  elapsed(): string;
} {
  let number = options.firstNumber - 1;
  const print = (line: string): void => console.log(line);
  return {
    async run(name, work) {
      number += 1;
      const mine = `[${number}/${options.total}]`;
      const started = Date.now();
      print(`${mine} ${name}`);
      const short = name.split(/[:,]/)[0] ?? name;
      try {
        // Lines of kind/progress.sh name their job themselves.
        const named = (line: string): string => (/^[\w -]+: part \d/.test(line) ? line : `${short}: ${line}`);
        const result = await work({ say: (line) => print(`      ${named(line)}`) });
        print(`${mine} ${short}: done in ${duration(Date.now() - started)}`);
        return result;
      } catch (error) {
        print(`${mine} ${short}: FAILED after ${duration(Date.now() - started)}`);
        throw error;
      }
    },
    elapsed: () => duration(Date.now() - options.startedAt),
  };
}

/** `41 s` or `3 min 05 s`. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
