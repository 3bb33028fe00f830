import { type CdpRule, VIEWPORT_METHODS, cdpRule } from '@podwright/api/cdp-rules';
import { checkParams, rewriteParams } from './params.ts';
import { parseStrictJson } from './strict-json.ts';

/**
 * What happens to one message of a client.
 * `forward`: as it came. `replace`: `text` goes instead. `answer`: the browser never sees it, the client gets `text`.
 * `detach`: the client gets `text`, then its connection is closed. `close`: the message cannot be read at all.
 */
export type Verdict =
  | { kind: 'forward'; method: string; takesViewport: boolean }
  | { kind: 'replace'; method: string; takesViewport: boolean; text: string }
  | { kind: 'answer'; method: string; text: string }
  | { kind: 'detach'; method: string; text: string }
  | { kind: 'close'; because: string };

/** Chromium's own code for a command that failed. */
const SERVER_ERROR = -32_000;
const INVALID_REQUEST = -32_600;
/** `Target.sendMessageToTarget` inside itself, at most. */
const MAX_NESTING = 4;

interface Message {
  id: number;
  method: string;
  params: Record<string, unknown>;
  sessionId?: string;
}

/** Judges the text of one message sent on a connection to the browser endpoint or to one page. Pure. */
export function judge(text: string, endpoint: 'browser' | 'page', depth = 0): Verdict {
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch {
    return { kind: 'close', because: 'not a JSON message without repeated members' };
  }
  const message = readMessage(value);
  if (message === undefined) {
    return { kind: 'answer', method: '', text: errorText(value, INVALID_REQUEST, 'Message must have id and method') };
  }
  // To Chromium an empty session is none.
  const sentTo = endpoint === 'browser' && !message.sessionId ? 'browser' : 'page';
  return apply(cdpRule(message.method, sentTo), message, depth);
}

function apply(rule: CdpRule, message: Message, depth: number): Verdict {
  const { method } = message;
  const takesViewport = VIEWPORT_METHODS.has(method);
  switch (rule.verdict) {
    case 'allow':
      return { kind: 'forward', method, takesViewport };
    case 'refuse':
      return refused(message, rule.because);
    case 'check': {
      const because = checkParams(rule.check, message.params);
      return because === undefined ? { kind: 'forward', method, takesViewport } : refused(message, because);
    }
    case 'rewrite':
      return {
        kind: 'replace',
        method,
        takesViewport,
        text: JSON.stringify({ ...message, params: rewriteParams(rule.rewrite, message.params) }),
      };
    case 'detach':
      return { kind: 'detach', method, text: answerText(message, {}) };
    case 'unwrap':
      return unwrap(message, depth);
  }
}

/** Judges the message inside a `Target.sendMessageToTarget`; a refusal answers the outer command, which the client waits for. */
function unwrap(message: Message, depth: number): Verdict {
  const inner = message.params['message'];
  if (typeof inner !== 'string' || depth >= MAX_NESTING) return refused(message, 'the message inside cannot be read');
  const verdict = judge(inner, 'page', depth + 1);
  switch (verdict.kind) {
    case 'forward':
      return verdict;
    case 'replace':
      return {
        ...verdict,
        text: JSON.stringify({ ...message, params: { ...message.params, message: verdict.text } }),
      };
    case 'detach':
      return { kind: 'detach', method: verdict.method, text: answerText(message, {}) };
    case 'answer':
      return refused({ ...message, method: verdict.method || message.method }, 'the message inside is refused');
    case 'close':
      return verdict;
  }
}

function refused(message: Message, because: string): Verdict {
  const words = `${isMethodName(message.method) ? message.method : 'This method'} is refused by the policy of this browser: ${because}`;
  return { kind: 'answer', method: message.method, text: errorText(message, SERVER_ERROR, words) };
}

/** Whether a client's text has the form of a method; any other may be as long as a message and is repeated nowhere. */
export const isMethodName = (text: string): boolean => /^[A-Za-z.]{1,100}$/.test(text);

/** The text of an error that answers `message`; used for refusals outside the table too, such as a browser that is being evicted. */
export function refusalOf(text: string, words: string): string {
  return errorText(JSON.parse(text), SERVER_ERROR, words);
}

function readMessage(value: unknown): Message | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { id, method, params, sessionId } = value as Record<string, unknown>;
  if (typeof id !== 'number' || !Number.isInteger(id) || typeof method !== 'string') return undefined;
  if (params !== undefined && (typeof params !== 'object' || params === null || Array.isArray(params)))
    return undefined;
  if (sessionId !== undefined && typeof sessionId !== 'string') return undefined;
  return {
    id,
    method,
    params: (params ?? {}) as Record<string, unknown>,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

const answerText = ({ id, sessionId }: Message, result: object): string =>
  JSON.stringify(sessionId === undefined ? { id, result } : { id, result, sessionId });

function errorText(value: unknown, code: number, message: string): string {
  const { id, sessionId } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return JSON.stringify({
    ...(typeof id === 'number' ? { id } : {}),
    error: { code, message },
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
  });
}
