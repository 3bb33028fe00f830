import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { Rewrapper } from './rewrapper.ts';

/**
 * The door for commands in the keeper's own pod, on loopback alone: whoever gets here may exec into the pod that holds
 * the keys anyhow.
 *
 *   GET  /rewrap   RewrapProgress
 *   POST /rewrap   reads the keys again, starts a round, answers the same
 */
export async function startAdminDoor(options: {
  port: number;
  reloadKeys: () => void;
  rewrapper: Rewrapper;
}): Promise<Server> {
  const { rewrapper } = options;
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
    };
    if (request.url !== '/rewrap') return answer(404, { message: 'not found' });
    if (request.method === 'POST') {
      try {
        options.reloadKeys();
      } catch (error) {
        return answer(500, { message: error instanceof Error ? error.message : String(error) });
      }
      rewrapper.start();
    }
    return answer(200, rewrapper.progress());
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
