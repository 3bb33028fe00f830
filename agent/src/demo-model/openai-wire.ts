import type { Answer, Conversation, TokenCounts, Turn } from './conversation.ts';

/** The wire of OpenAI's chat completions, as far as an agent uses it. */

interface ChatRequest {
  model?: string;
  max_tokens?: number;
  max_completion_tokens?: number;
  messages?: { role: string; content?: unknown; tool_calls?: { function?: { arguments?: string } }[] }[];
  tools?: { function?: { name?: string } }[];
}

export function readChatRequest(body: unknown): Conversation {
  const request = body as ChatRequest;
  const turns: Turn[] = [];
  let system = '';
  for (const message of request.messages ?? []) {
    const text = textOf(message.content);
    if (message.role === 'system' || message.role === 'developer') system += text;
    else if (message.role === 'user') turns.push({ role: 'user', text });
    else if (message.role === 'tool') turns.push({ role: 'result', text });
    else if (message.role === 'assistant') {
      const calls = (message.tool_calls ?? []).map(
        (call) => JSON.parse(call.function?.arguments ?? '{}') as Record<string, unknown>,
      );
      turns.push({ role: 'assistant', text, calls });
    }
  }
  return {
    model: request.model ?? '',
    system,
    turns,
    tool: request.tools?.[0]?.function?.name ?? null,
    maxTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
  };
}

/** Content is a text or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as { text?: string }[]).map((part) => part.text ?? '').join('\n');
}

export function writeChatResponse(options: {
  conversation: Conversation;
  answer: Answer;
  tokens: TokenCounts;
  finish: 'stop' | 'length';
  /** Replaces the arguments of the call, for replies that are broken on purpose. */
  argumentsText?: string;
}): object {
  const { answer, tokens } = options;
  const message =
    answer.kind === 'words'
      ? { role: 'assistant', content: answer.text }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: answer.tool, arguments: options.argumentsText ?? JSON.stringify(answer.input) },
            },
          ],
        };
  const done = answer.kind === 'words' ? 'stop' : 'tool_calls';
  return {
    id: 'chatcmpl-demo',
    object: 'chat.completion',
    created: 0,
    model: options.conversation.model,
    choices: [{ index: 0, message, finish_reason: options.finish === 'length' ? 'length' : done }],
    usage: {
      prompt_tokens: tokens.input,
      completion_tokens: tokens.output,
      total_tokens: tokens.input + tokens.output,
      prompt_tokens_details: { cached_tokens: tokens.cached },
    },
  };
}
