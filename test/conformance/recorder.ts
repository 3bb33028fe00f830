/**
 * Records what an SDK sends and receives by standing before the global `fetch` it uses. Nothing is changed on the way:
 * the records prove that no call went elsewhere and what every answer said.
 */
export interface Exchange {
  method: string;
  url: string;
  status: number;
  /** The parsed answer; null when it was empty. */
  body: unknown;
}

export interface Recorder {
  readonly exchanges: Exchange[];
  stop(): void;
}

export function recordFetch(): Recorder {
  const original = globalThis.fetch;
  const exchanges: Exchange[] = [];
  globalThis.fetch = async (input, init) => {
    const response = await original(input, init);
    const text = await response.clone().text();
    exchanges.push({
      method: init?.method ?? 'GET',
      url: input instanceof Request ? input.url : String(input),
      status: response.status,
      body: text === '' ? null : (JSON.parse(text) as unknown),
    });
    return response;
  };
  return {
    exchanges,
    stop() {
      globalThis.fetch = original;
    },
  };
}
