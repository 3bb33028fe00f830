import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { ApiError } from '@podwright/api/errors';
import type { Gate } from './authorize.ts';
import { DoorRefusal } from './authorize.ts';
import type { createCdpDoor } from './cdp-door.ts';
import type { createHandlers } from './handlers.ts';
import { describeError, refuseUpgrade, sendJson } from './http-answers.ts';
import { findRoute, findUpgrade } from './routes.ts';
import type { VncDoor } from './vnc-door.ts';

export interface Door {
  /** On every address of the pod, of both families where it has both. */
  listen(port: number): Promise<{ port: number }>;
  close(): void;
}

/** The pod's only door: every request and upgrade but the probes passes the gate first. */
export function createDoor(options: {
  gate: Gate;
  handlers: ReturnType<typeof createHandlers>;
  cdp: ReturnType<typeof createCdpDoor>;
  vnc: VncDoor;
  ending: () => boolean;
  notReadyBecause: () => string | undefined;
  log: Logger;
}): Door {
  const { gate, log } = options;

  function probe(path: string, response: ServerResponse): boolean {
    if (path === '/healthz') {
      sendJson(response, 200, { ok: true });
      return true;
    }
    if (path !== '/readyz') return false;
    const because = options.ending() ? 'the pod is ending' : options.notReadyBecause();
    sendJson(
      response,
      because === undefined ? 200 : 503,
      because === undefined ? { ready: true } : { ready: false, because },
    );
    return true;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = readUrl(request);
    if (request.method === 'GET' && probe(url.pathname, response)) return;
    const route = findRoute(request.method ?? '', url.pathname, options.ending());
    if (route === undefined) throw new ApiError('not_found');
    const claims = await gate.pass(request.headers.authorization, route.scopes);
    if (route.closed) throw new ApiError('session_ended');
    await options.handlers[route.name]({ request, response, url, claims, rest: route.rest });
  }

  async function upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const url = readUrl(request);
    const target = findUpgrade(url.pathname);
    if (!target) throw new ApiError('not_found');
    const scopes = target.kind === 'vnc' ? (['view', 'control'] as const) : (['cdp'] as const);
    const claims = await gate.pass(request.headers.authorization, scopes);
    if (options.ending()) throw new ApiError('session_ended');
    if (target.kind === 'vnc') return options.vnc.serve({ request, socket, head, claims });
    const exclusive = url.searchParams.get('mode') === 'exclusive';
    return options.cdp.serve({ request, socket, head, claims, target, exclusive });
  }

  function note(error: unknown): void {
    if (error instanceof DoorRefusal) return;
    if (error instanceof ApiError && error.status < 500) return;
    log.warn({ err: error }, 'a request failed');
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      note(error);
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const { status, body } = describeError(error);
      // What is left of a refused body is not read.
      response.setHeader('connection', 'close');
      sendJson(response, status, body);
    });
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head).catch((error: unknown) => {
      note(error);
      refuseUpgrade(socket, error);
    });
  });
  server.on('clientError', (_error, socket) => socket.destroy());

  return {
    async listen(port) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject);
      server.listen(port, resolve);
      await promise;
      return { port: (server.address() as { port: number }).port };
    },
    close() {
      server.close();
    },
  };
}

function readUrl(request: IncomingMessage): URL {
  const text = request.url ?? '/';
  if (!text.startsWith('/') || !URL.canParse(text, 'http://door')) throw new ApiError('bad_request');
  return new URL(text, 'http://door');
}
