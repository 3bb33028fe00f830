import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { readMessagesRequest, writeMessagesResponse } from './anthropic-wire.ts';
import { type Conversation, type TokenCounts, countTokens } from './conversation.ts';
import { decide } from './decide.ts';
import { readChatRequest, writeChatResponse } from './openai-wire.ts';

/** Ways to fail on purpose: an HTTP status, or a reply that is broken, cut off, or never comes to its end. */
export const FAULTS = ['429', '500', '401', 'malformed', 'truncated', 'broken', 'hang'] as const;
export type Fault = (typeof FAULTS)[number];

export interface ModelCall {
  wire: 'openai' | 'anthropic';
  conversation: Conversation;
  fault: Fault | null;
  /** Null when no answer was given. */
  tokens: TokenCounts | null;
}

const BODY_LIMIT = 8_000_000;

/**
 * A server that speaks OpenAI's chat completions and Anthropic's messages and knows the sample only. A fault is asked for
 * by header `x-demo-fault`, by a model name that ends in `+<fault>`, or by `planFault`.
 */
export function createDemoModel(
  options: { planFault?: (call: number) => Fault | null; onCall?: (call: ModelCall) => void } = {},
): Server {
  let calls = 0;

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0];
    if (path === '/healthz') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
      return;
    }
    const wire = path === '/v1/chat/completions' ? 'openai' : path === '/v1/messages' ? 'anthropic' : null;
    if (wire === null || request.method !== 'POST') {
      json(response, 404, { error: { type: 'not_found_error', message: 'There is no such endpoint.' } });
      return;
    }
    calls += 1;
    const body = JSON.parse(await readBody(request)) as unknown;
    const conversation = wire === 'openai' ? readChatRequest(body) : readMessagesRequest(body);
    const fault = options.planFault?.(calls) ?? askedFault(request, conversation);
    const answer = decide(conversation);
    const tokens = countTokens(conversation, answer);
    const isAnswered = fault !== 'hang' && fault !== '429' && fault !== '500' && fault !== '401';
    options.onCall?.({ wire, conversation, fault, tokens: isAnswered ? tokens : null });
    if (fault === 'hang') return;
    if (!isAnswered) {
      json(
        response,
        Number(fault),
        { error: { type: 'demo_fault', message: `Fault ${fault} was asked for.` } },
        { 'retry-after-ms': '50' },
      );
      return;
    }
    const finish = fault === 'truncated' ? 'length' : 'stop';
    const full = answer.kind === 'call' ? JSON.stringify(answer.input) : answer.text;
    if (wire === 'openai') {
      const argumentsText =
        fault === 'malformed' ? '{"actions": "none' : fault === 'truncated' ? full.slice(0, full.length / 2) : full;
      send(response, fault, writeChatResponse({ conversation, answer, tokens, finish, argumentsText }));
      return;
    }
    const input = fault === 'malformed' ? { actions: 'none' } : fault === 'truncated' ? { seen: 'cut' } : null;
    const given = answer.kind === 'call' && input ? { ...answer, input } : answer;
    send(response, fault, writeMessagesResponse({ conversation, answer: given, tokens, finish }));
  };

  return createServer((request, response) => {
    respond(request, response).catch(() => {
      if (!response.headersSent)
        json(response, 400, { error: { type: 'invalid_request_error', message: 'The request cannot be read.' } });
    });
  });
}

function askedFault(request: IncomingMessage, conversation: Conversation): Fault | null {
  const asked = request.headers['x-demo-fault'] ?? /\+(\w+)$/.exec(conversation.model)?.[1];
  return FAULTS.find((fault) => fault === asked) ?? null;
}

function send(response: ServerResponse, fault: Fault | null, body: object): void {
  if (fault !== 'broken') {
    json(response, 200, body);
    return;
  }
  const text = JSON.stringify(body);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > BODY_LIMIT) throw new RangeError('the request is too large');
  }
  return Buffer.concat(chunks).toString('utf8');
}
