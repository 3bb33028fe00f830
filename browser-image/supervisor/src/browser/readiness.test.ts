import { describe, expect, test } from 'vitest';
import type { SandboxMode } from '@podwright/api/kinds/pool';
import type { LauncherFacts } from '@podwright/api/pod-launcher';
import type { SandboxFacts } from '@podwright/api/pod-door';
import { checkIsolation } from './isolation.ts';
import { type Observation, decideNotReady } from './readiness.ts';
import { sandboxShortfall } from './sandbox-proof.ts';

const SANDBOX = {
  found: 'Seccomp',
  rendererPidLevels: 2,
  rendererSeccompFilters: 2,
  containerSeccomp: 2,
  userNamespace: false,
  noNewPrivileges: true,
  capabilities: '0',
} as const;
const FACTS: LauncherFacts = {
  chromium: { pid: 7, running: true, version: '156' },
  display: { running: true, width: 1920, height: 1080 },
  vnc: { running: true },
  sandbox: SANDBOX,
};
const READY: Observation = { version: 'Chrome/156', pages: 1, facts: FACTS, chromiumAdequate: true };

describe('a pod is not ready', () => {
  test.each<[string, Partial<Observation>, RegExp]>([
    ['while the launcher is silent', { facts: undefined }, /launcher/],
    [
      'without Chromium',
      { facts: { ...FACTS, chromium: { ...FACTS.chromium, running: false } } },
      /Chromium is not running/,
    ],
    ['without a display', { facts: { ...FACTS, display: { ...FACTS.display, running: false } } }, /display/],
    ['without a VNC server', { facts: { ...FACTS, vnc: { running: false } } }, /VNC/],
    ['while Chromium does not answer', { version: undefined }, /answered a command/],
    ['without a page', { pages: 0 }, /no page/],
    ['before Chromium was asked for its sandbox', { chromiumAdequate: undefined }, /asked/],
    ['before a renderer runs', { facts: { ...FACTS, sandbox: null } }, /renderer/],
    ['without a sandbox', { facts: { ...FACTS, sandbox: { ...SANDBOX, found: 'None' } } }, /without a sandbox/],
    ['when Chromium denies its sandbox', { chromiumAdequate: false }, /not adequately/],
  ])('%s', (_, seen, words) => {
    expect(decideNotReady({ ...READY, ...seen }, 'Auto')).toMatch(words);
  });
});

test('a pod is ready with all of it, also when Chromium cannot be asked', () => {
  expect(decideNotReady(READY, 'Auto')).toBeUndefined();
  expect(decideNotReady({ ...READY, chromiumAdequate: null }, 'Auto')).toBeUndefined();
});

test.each<[SandboxMode, SandboxFacts['found'], boolean]>([
  ['Auto', 'Seccomp', true],
  ['Auto', 'UserNamespace', true],
  ['Auto', 'None', false],
  ['Seccomp', 'UserNamespace', true],
  ['UserNamespace', 'UserNamespace', true],
  ['UserNamespace', 'Seccomp', false],
  ['RuntimeClass', 'RuntimeClass', true],
  ['RuntimeClass', 'None', false],
  ['None', 'None', true],
])('mode %s is met by %s: %s', (mode, found, met) => {
  const facts = { ...SANDBOX, found, chromiumAdequate: true };
  expect(sandboxShortfall(mode, facts) === undefined).toBe(met);
});

describe('isolation', () => {
  const run = async (results: (string[] | Error)[]) => {
    const reports: object[] = [];
    const last = results.at(-1)!;
    await checkIsolation({
      canaries: ['10.0.0.1:443'],
      launcher: {
        async probe() {
          const result = results.shift() ?? last;
          if (result instanceof Error) throw result;
          return result;
        },
      },
      report: (isolation) => reports.push(isolation),
      pause: async () => undefined,
      signal: new AbortController().signal,
    });
    return reports;
  };

  test('holds when no canary gets through', async () => {
    expect(await run([[]])).toEqual([{ checked: true, reached: [] }]);
  });

  test('waits for policies that come late, and for the launcher', async () => {
    expect(await run([new Error('not up'), ['10.0.0.1:443'], []])).toEqual([
      { checked: false, reached: ['10.0.0.1:443'] },
      { checked: true, reached: [] },
    ]);
  });

  test('does not hold when canaries get through to the end', async () => {
    expect((await run([['10.0.0.1:443']])).at(-1)).toEqual({ checked: true, reached: ['10.0.0.1:443'] });
  });
});
