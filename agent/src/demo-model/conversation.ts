/** What a request says, whichever wire it came over. */
export interface Conversation {
  model: string;
  system: string;
  turns: Turn[];
  /** Name of the tool that must be called; null: words are wanted. */
  tool: string | null;
  maxTokens: number | null;
}

export type Turn =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: Record<string, unknown>[] }
  | { role: 'result'; text: string };

export type Answer = { kind: 'words'; text: string } | { kind: 'call'; tool: string; input: Record<string, unknown> };

export interface TokenCounts {
  /** All tokens of the prompt, those from the cache included. */
  input: number;
  cached: number;
  output: number;
}

/** Four characters are a token here; the system text counts as cached from the second turn on. */
export function countTokens(conversation: Conversation, answer: Answer): TokenCounts {
  const tokens = (text: string): number => Math.ceil(text.length / 4);
  const system = tokens(conversation.system);
  const turns = conversation.turns.reduce((sum, turn) => sum + tokens(JSON.stringify(turn)), 0);
  const began = conversation.turns.some((turn) => turn.role === 'assistant');
  return { input: system + turns, cached: began ? system : 0, output: tokens(JSON.stringify(answer)) };
}
