import { request } from 'node:http';

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** A neighbour in the pod: a port of the loopback, or a Unix socket. */
export type LocalAddress = { port: number } | { socketPath: string };

export interface LocalAnswer {
  status: number;
  /** Parsed JSON; null for an empty body. */
  body: unknown;
}

/** One HTTP exchange with a neighbour in the pod. Throws when it is silent until the deadline or answers no JSON. */
export async function localHttp(
  address: LocalAddress,
  options: { method: 'GET' | 'PUT' | 'POST'; path: string; body?: unknown; timeoutMs: number },
): Promise<LocalAnswer> {
  const answer = Promise.withResolvers<LocalAnswer>();
  const sent = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
  const call = request(
    {
      ...('port' in address ? { host: '127.0.0.1', port: address.port } : { socketPath: address.socketPath }),
      method: options.method,
      path: options.path,
      agent: false,
      headers: {
        host: 'port' in address ? `127.0.0.1:${address.port}` : 'localhost',
        ...(sent ? { 'content-type': 'application/json', 'content-length': sent.length } : {}),
      },
      signal: AbortSignal.timeout(options.timeoutMs),
    },
    (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) response.destroy(new Error('the answer is too big'));
        else chunks.push(chunk);
      });
      response.on('error', answer.reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        try {
          answer.resolve({ status: response.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) });
        } catch {
          answer.resolve({ status: response.statusCode ?? 0, body: null });
        }
      });
    },
  );
  call.on('error', answer.reject);
  call.end(sent);
  return answer.promise;
}
