/**
 * `make verify`: what can be known without running anything: format, lint, types, boundaries, generated files, dead code,
 * shell scripts, Go code and the chart. Checks run two at a time; the output of a failed one follows its line.
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const shellScripts = globSync(['{kind,scripts,browser-image}/**/*.sh', '.ci/run'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
});

const checks: [name: string, command: string[]][] = [
  ['format', ['npx', 'oxfmt', '--check']],
  ['lint', ['npx', 'oxlint', '--type-aware', '--deny-warnings']],
  ['types', ['npx', 'tsc', '--noEmit', '-p', 'tsconfig.json']],
  ['types of the viewer page', ['npx', 'tsc', '-p', 'gateway/src/viewer/page']],
  ['boundaries', ['node', 'scripts/check-boundaries.ts']],
  ['generated files', ['node', 'scripts/generate.ts', '--check']],
  ['dead code', ['npx', 'knip']],
  ['shell scripts', ['shellcheck', ...shellScripts]],
  ['launcher', ['go', 'vet', '-C', 'browser-image/launcher', './...']],
  ['chart', ['helm', 'lint', '--strict', 'charts/podwright']],
];

const started = Date.now();
const failed: string[] = [];
const waiting = [...checks];
await Promise.all([worker(), worker()]);
console.log(failed.length === 0 ? `verify: ok, ${checks.length} checks` : `verify: failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function worker(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const [name, command] = check;
    const { code, text } = await run(command);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
    if (code !== 0) {
      failed.push(name);
      console.log(text.trimEnd());
    }
  }
}

function run(command: string[]): Promise<{ code: number; text: string }> {
  const child = spawn(command[0]!, command.slice(1), { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((done) => {
    child.on('error', (error) => done({ code: 1, text: `${command[0]}: ${error.message}` }));
    child.on('close', (code) => done({ code: code ?? 1, text }));
  });
}
