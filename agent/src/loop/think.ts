import type { ModelEntry } from '@podwright/api/models';
import type { ModelMessage } from 'ai';
import type { AskModel, ModelReply } from '../models/call-model.ts';
import { ModelCallError } from '../models/classify-error.ts';
import { type Usage, affordableOutput, guessTokens } from '../models/price.ts';
import type { Tool } from '../tools/tool.ts';
import { SYSTEM_PROMPT } from './prompt.ts';
import { STEP_TOOL, parseReply, replySchema } from './reply.ts';
import type { Reply } from './step-record.ts';

/** Replies that cannot be used are sent back this often. */
const REPAIRS = 2;
const OUTPUT_TOKENS = 4_000;

/** No call fits into the money that is left. */
export class BudgetError extends Error {
  override readonly name = 'BudgetError';
}

export interface Thinker {
  /** A usable reply to the present situation. Throws BudgetError or ModelCallError. */
  think(messages: ModelMessage[], signal: AbortSignal): Promise<Reply>;
}

export function createThinker(options: {
  ask: AskModel;
  tools: readonly Tool[];
  price: ModelEntry['price'];
  /** Money left in micro-USD; null: no limit. */
  moneyLeft: () => number | null;
  /** Called after every call, also one whose reply is useless: it was paid. */
  onUsage: (usage: Usage) => Promise<void>;
}): Thinker {
  const schema = replySchema(options.tools);
  const tool = { name: STEP_TOOL, description: 'Think shortly, then act.', schema };
  const fixedTokens = guessTokens(SYSTEM_PROMPT) + guessTokens(JSON.stringify(schema));

  const askOnce = async (messages: ModelMessage[], most: number, signal: AbortSignal): Promise<ModelReply> => {
    const input = fixedTokens + guessTokens(JSON.stringify(messages));
    const maxOutputTokens = affordableOutput(options.moneyLeft(), input, most, options.price);
    if (maxOutputTokens === null) throw new BudgetError('The next call of the model would exceed the money limit.');
    const reply = await options.ask({ system: SYSTEM_PROMPT, messages, tool, maxOutputTokens, signal });
    await options.onUsage(reply.usage);
    return reply;
  };

  return {
    async think(messages, signal) {
      let asked = messages;
      let most = OUTPUT_TOKENS;
      for (let repair = 0; ; repair += 1) {
        const reply = await askOnce(asked, most, signal);
        const parsed = parseReply(reply.toolInputs, reply.text, options.tools);
        if (parsed.ok) return parsed.reply;
        const cutOff = reply.finishReason === 'length';
        if (repair >= REPAIRS) throw malformed(parsed.problem);
        if (cutOff) most *= 2;
        const problem = cutOff ? 'Your reply was cut off because it was too long. Be shorter.' : parsed.problem;
        const correction = `Your last reply could not be used. ${problem} Call the tool ${STEP_TOOL} again.`;
        asked = [...messages, { role: 'user', content: correction }];
      }
    },
  };
}

const malformed = (problem: string): ModelCallError =>
  new ModelCallError(
    {
      kind: 'model_malformed',
      status: null,
      retryable: false,
      retryAfterMs: null,
      message: `The model did not follow the protocol: ${problem}`,
    },
    undefined,
  );
