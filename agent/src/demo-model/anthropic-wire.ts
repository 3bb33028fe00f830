import type { Answer, Conversation, TokenCounts, Turn } from './conversation.ts';

/** The wire of Anthropic's messages, as far as an agent uses it. */

interface Block {
  type: string;
  text?: string;
  input?: Record<string, unknown>;
  content?: string | Block[];
}

interface MessagesRequest {
  model?: string;
  max_tokens?: number;
  system?: string | Block[];
  messages?: { role: string; content?: string | Block[] }[];
  tools?: { name?: string }[];
}

export function readMessagesRequest(body: unknown): Conversation {
  const request = body as MessagesRequest;
  const turns: Turn[] = [];
  for (const message of request.messages ?? []) {
    const blocks = blocksOf(message.content);
    if (message.role === 'assistant') {
      const calls = blocks.filter((block) => block.type === 'tool_use').map((block) => block.input ?? {});
      turns.push({ role: 'assistant', text: textOf(blocks), calls });
      continue;
    }
    // Several turns of a user arrive as blocks of one message.
    for (const block of blocks) {
      if (block.type === 'tool_result') turns.push({ role: 'result', text: textOf(blocksOf(block.content)) });
      else if (block.type === 'text') turns.push({ role: 'user', text: block.text ?? '' });
    }
  }
  return {
    model: request.model ?? '',
    system: textOf(blocksOf(request.system)),
    turns,
    tool: request.tools?.[0]?.name ?? null,
    maxTokens: request.max_tokens ?? null,
  };
}

const blocksOf = (content: string | Block[] | undefined): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
const textOf = (blocks: Block[]): string => blocks.map((block) => block.text ?? '').join('\n');

export function writeMessagesResponse(options: {
  conversation: Conversation;
  answer: Answer;
  tokens: TokenCounts;
  finish: 'stop' | 'length';
}): object {
  const { answer, tokens } = options;
  const content =
    answer.kind === 'words'
      ? [{ type: 'text', text: answer.text }]
      : [{ type: 'tool_use', id: 'toolu_1', name: answer.tool, input: answer.input }];
  const done = answer.kind === 'words' ? 'end_turn' : 'tool_use';
  return {
    id: 'msg_demo',
    type: 'message',
    role: 'assistant',
    model: options.conversation.model,
    content,
    stop_reason: options.finish === 'length' ? 'max_tokens' : done,
    stop_sequence: null,
    usage: {
      input_tokens: tokens.input - tokens.cached,
      cache_read_input_tokens: tokens.cached,
      cache_creation_input_tokens: 0,
      output_tokens: tokens.output,
    },
  };
}
