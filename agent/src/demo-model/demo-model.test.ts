import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAskModel } from '../models/call-model.ts';
import { createProviderModel } from '../models/provider.ts';
import { parseReply, replySchema } from '../loop/reply.ts';
import { listen, stopListening } from '../testing/http.ts';
import { TOOLS } from '../tools/all.ts';
import { type Fault, type ModelCall, createDemoModel } from './demo-model.ts';

const calls: ModelCall[] = [];
let faults: (Fault | null)[] = [];
const server = createDemoModel({ planFault: () => faults.shift() ?? null, onCall: (call) => calls.push(call) });
let base: string;
beforeAll(async () => {
  base = await listen(server);
});
afterAll(() => stopListening(server));

const PRICE = { input: '1', cachedInput: '0.1', output: '2' };
const tool = { name: 'step', description: 'Act.', schema: replySchema(TOOLS) };
const ask = (provider: 'openai' | 'openai-compatible' | 'anthropic', task: string, model = 'demo') => {
  const entry = { name: 'demo', provider, model, baseUrl: `${base}/v1`, contextLimit: 100_000, price: PRICE };
  return createAskModel({ entry, model: createProviderModel(entry, {}), random: () => 0.5, firstDelayMs: 10 })({
    system: 'You are a test.',
    messages: [
      { role: 'user', content: `<task>\n${task}\n</task>` },
      {
        role: 'user',
        content: 'Current page:\n<page-content>\nAddress: about:blank\nTitle: \n\n(the page is empty)\n</page-content>',
      },
    ],
    tool,
    maxOutputTokens: 1_000,
    signal: new AbortController().signal,
  });
};
const actions = async (...parameters: Parameters<typeof ask>) => {
  const reply = await ask(...parameters);
  const parsed = parseReply(reply.toolInputs, reply.text, TOOLS);
  return parsed.ok ? parsed.reply.actions : parsed.problem;
};

describe.each(['openai', 'openai-compatible', 'anthropic'] as const)('over the wire of %s', (provider) => {
  test('a call of the tool and its tokens come through the real SDK', async () => {
    expect(await actions(provider, 'json:{"a":1}')).toEqual([
      { tool: 'done', parameters: { success: true, summary: 'Gave the value back.', output: { a: 1 } } },
    ]);
    const { usage } = await ask(provider, 'fail:no');
    const counted = calls.at(-1)?.tokens;
    expect(usage).toEqual({ input: counted?.input, cachedInput: counted?.cached, output: counted?.output });
  });

  test('a rate limit and a server error are tried again', async () => {
    faults = ['429', '500'];
    expect(await actions(provider, 'echo:hello')).toMatchObject([{ tool: 'wait_for' }]);
  });

  test('a connection that breaks in the middle of the answer is tried again', async () => {
    faults = ['broken'];
    expect(await actions(provider, 'echo:hello')).toMatchObject([{ tool: 'wait_for' }]);
  });

  test('a refused key ends at once and tells the status', async () => {
    const before = calls.length;
    faults = ['401'];
    await expect(ask(provider, 'echo:hello')).rejects.toMatchObject({ failure: { kind: 'model_error', status: 401 } });
    expect(calls.length - before).toBe(1);
  });

  test('a provider that goes on failing is given up after five calls', async () => {
    const before = calls.length;
    await expect(ask(provider, 'echo:hello', 'demo+500')).rejects.toMatchObject({
      failure: { kind: 'model_unavailable', status: 500 },
    });
    expect(calls.length - before).toBe(5);
  });

  test.each(['malformed', 'truncated'] as const)('a %s call comes back as something to repair', async (fault) => {
    faults = [fault];
    expect(await actions(provider, 'echo:hello')).toEqual(expect.any(String));
  });
});

test('another task is refused with plain words', async () => {
  expect(await actions('openai', 'Book a flight to Oslo.')).toMatchObject([
    { tool: 'done', parameters: { success: false, summary: expect.stringContaining('bundled demo model') } },
  ]);
});
