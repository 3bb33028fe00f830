import { type FastifyError, type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '@podwright/api/errors';
import { isRetryable } from '@podwright/kube/kube-error';
import type { KeeperMetrics } from '../metrics.ts';
import type { Caller } from './caller.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Parts that may call this route; `anyone` for routes that carry their right in the URL. Absent: nobody may. */
    callers?: readonly Caller[] | 'anyone';
    /** Milliseconds after which work on a request is given up. */
    deadlineMs?: number;
  }
  interface FastifyRequest {
    /** Ends with the client's connection, the deadline of the route or the process. */
    stop: AbortSignal;
    caller: Caller | undefined;
  }
}

const DEFAULT_DEADLINE_MS = 10_000;

/** The keeper's HTTP server without its routes: one auth door, one error answer, one log line per request. */
export function createServer(options: {
  callerOf: (authorization: string | undefined, signal: AbortSignal) => Promise<Caller>;
  metrics: KeeperMetrics;
  log: Logger;
  /** Ends with the process. */
  shutdown: AbortSignal;
}): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: 64 * 1024,
    requestTimeout: 0,
    keepAliveTimeout: 30_000,
    // Presigned tokens and names of blobs are longer than the router's own limit.
    routerOptions: { maxParamLength: 4096 },
  });
  server.decorateRequest('stop');
  server.decorateRequest('caller', undefined);

  server.addHook('onRequest', async (request, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort(new Error('the client has gone')));
    const { callers, deadlineMs = DEFAULT_DEADLINE_MS } = request.routeOptions.config;
    request.stop = AbortSignal.any([gone.signal, options.shutdown, AbortSignal.timeout(deadlineMs)]);
    if (callers === 'anyone') return;
    request.caller = await options.callerOf(request.headers.authorization, request.stop);
    if (!callers?.includes(request.caller)) throw new ApiError('forbidden');
  });

  server.setNotFoundHandler({}, () => {
    throw new ApiError('not_found');
  });

  server.setErrorHandler<FastifyError | ApiError>((error, request, reply) => {
    const answer = asApiError(error);
    if (answer.status >= 500) {
      options.log.error({ err: error, route: request.routeOptions.url, caller: request.caller }, 'request failed');
    }
    if (answer.retryAfter !== undefined) void reply.header('retry-after', answer.retryAfter);
    const message = answer.code === 'internal' && !(error instanceof ApiError) ? 'Internal error' : answer.message;
    return reply.code(answer.status).send({ code: answer.code, message, retryable: answer.retryable });
  });

  server.addHook('onResponse', async (request, reply) => {
    // The route's pattern, never the URL: names and presigned tokens stay out of logs and metrics.
    const route = request.routeOptions.url ?? 'unknown';
    const seconds = reply.elapsedTime / 1000;
    options.metrics.requests.observe({ route, status: reply.statusCode }, seconds);
    options.log.info(
      { route, method: request.method, status: reply.statusCode, caller: request.caller, seconds },
      'request',
    );
  });
  return server;
}

function asApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error;
  const status = error.statusCode ?? 500;
  if (isRetryable(error)) {
    return new ApiError('unavailable', 'The API server does not answer.', { cause: error, retryAfter: 1 });
  }
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return new ApiError('unavailable', 'It took too long.', { cause: error, retryAfter: 1 });
  }
  if (status === 413) return new ApiError('too_large', undefined, { cause: error });
  if (error.validation) return new ApiError('invalid_request', error.message, { cause: error });
  if (status >= 400 && status < 500) return new ApiError('bad_request', error.message, { cause: error });
  return new ApiError('internal', undefined, { cause: error });
}
