import type { Answer, Conversation } from './conversation.ts';
import { readObservation } from './read-observation.ts';
import { type Move, isSampleTask, shop } from './shopper.ts';

/**
 * What the demo model answers, decided from the messages alone: the same messages, the same answer. Beside the sample it
 * knows four commands for trying out clients: `echo:X`, `json:{…}`, `fail:why` and `slow:N`.
 */
export function decide(conversation: Conversation): Answer {
  const first = conversation.turns.find((turn) => turn.role === 'user')?.text ?? '';
  const task = (/<task>\n([\s\S]*?)\n<\/task>/.exec(first)?.[1] ?? '').trim();
  if (conversation.tool === null) return { kind: 'words', text: task.split(/(?<=[.!?])\s/)[0] ?? task };

  const actions = conversation.turns.flatMap((turn) =>
    turn.role === 'assistant' ? turn.calls.flatMap(actionsOf) : [],
  );
  const shown = conversation.turns.findLast((turn) => turn.role === 'user')?.text ?? '';
  const page = readObservation(shown);
  const move =
    command(task, actions) ?? (isSampleTask(task) ? shop({ task, schema: schemaOf(first), page, actions }) : refuse());
  return {
    kind: 'call',
    tool: conversation.tool,
    input: {
      seen: page ? `A page with ${page.controls.length} controls at ${page.url}.` : 'No page.',
      plan: 'Do what the demo model can do.',
      next: move.next,
      actions: [move.action],
    },
  };
}

/** Seconds that `echo:` lets pass, so that a client sees a run in progress. */
const ECHO_SECONDS = 2.5;
const SLOW_STEP_SECONDS = 2;

function command(task: string, actions: readonly Record<string, unknown>[]): Move | null {
  const [, name, rest = ''] = /^(echo|json|fail|slow):([\s\S]*)$/.exec(task) ?? [];
  const waited = actions.reduce(
    (sum, action) => sum + (action['tool'] === 'wait_for' ? Number(action['seconds'] ?? 0) : 0),
    0,
  );
  switch (name) {
    case 'echo':
      return waited < ECHO_SECONDS ? wait(ECHO_SECONDS) : done(true, 'Said it back.', rest.trim());
    case 'json':
      return done(true, 'Gave the value back.', parse(rest));
    case 'fail':
      return done(false, rest.trim() || 'It was told to fail.', null);
    case 'slow': {
      const left = Math.min(Number(rest) || 0, 600) - waited;
      return left > 0
        ? wait(Math.min(left, SLOW_STEP_SECONDS))
        : done(true, `Took ${waited} seconds.`, `waited ${waited} seconds`);
    }
    default:
      return null;
  }
}

const wait = (seconds: number): Move => ({
  next: `Wait for ${seconds} seconds.`,
  action: { tool: 'wait_for', seconds },
});
const done = (success: boolean, summary: string, output: unknown): Move => ({
  next: 'End the run.',
  action: { tool: 'done', success, summary, output },
});
const refuse = (): Move =>
  done(
    false,
    'This is the bundled demo model. It can do the sample task on the demo shop only; configure a real model for anything else.',
    null,
  );

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const actionsOf = (call: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(call['actions']) ? (call['actions'] as Record<string, unknown>[]) : [];

function schemaOf(text: string): Record<string, unknown> | null {
  const line = /must match this JSON Schema:\n(\{.*\})/.exec(text)?.[1];
  return line === undefined ? null : (JSON.parse(line) as Record<string, unknown>);
}
