import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fastify } from 'fastify';
import { ApiError } from '@podwright/api/errors';
import type { Logger } from 'pino';
import type { Caller } from '../identity/caller.ts';
import { errorReply } from './error-reply.ts';
import { type HttpPart, createCheck } from './validation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the auth door before anything else runs; absent on routes that take no key. */
    apiCaller?: Caller;
  }
}

const BODY_LIMIT = 2 * 1024 * 1024;
const PARTS: Record<string, HttpPart> = { body: 'body', querystring: 'query', params: 'path' };

/** Probes and scrapes: they come every second and say nothing. */
export const QUIET_ROUTES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** What one answered request tells metrics. */
export interface Answered {
  method: string;
  /** Pattern of the route, never the address. */
  route: string;
  status: number;
  seconds: number;
}

/** The HTTP server with everything all routes share: checks, errors, request ids, one log line per request. */
export function createHttpServer(options: {
  log: Logger;
  trustProxy: boolean;
  /** True while draining: connections are closed after their answer. */
  isDraining: () => boolean;
  onAnswered: (answered: Answered) => void;
}): FastifyInstance {
  const { log, isDraining, onAnswered } = options;
  const app = fastify({
    logger: false,
    trustProxy: options.trustProxy,
    bodyLimit: BODY_LIMIT,
    genReqId: () => crypto.randomUUID(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048 },
    // Longer than the idle time of usual load balancers, so that they never send into a closing connection.
    keepAliveTimeout: 75_000,
    requestTimeout: 60_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  }) as unknown as FastifyInstance;

  app.setValidatorCompiler(({ schema, httpPart }) => {
    const check = createCheck(PARTS[httpPart ?? 'body'] ?? 'body', schema);
    return (value: unknown) => {
      try {
        return { value: check(value) };
      } catch (error) {
        return { error: error as Error };
      }
    };
  });
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
  // An empty body is no body: several clients send a content type with nothing behind it.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? null : JSON.parse(String(text)));
    } catch {
      done(new ApiError('bad_request', 'The body is not valid JSON.'));
    }
  });
  app.addHook('preValidation', async (request) => {
    request.body ??= null;
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (isDraining()) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const status = reply.statusCode;
    onAnswered({ method: request.method, route, status, seconds: reply.elapsedTime / 1000 });
    const level = QUIET_ROUTES.has(route) ? 'debug' : 'info';
    log[level](
      {
        requestId: request.id,
        method: request.method,
        route,
        status,
        ms: Math.round(reply.elapsedTime),
        tenant: request.apiCaller?.tenant,
        key: request.apiCaller?.key.id,
      },
      'request',
    );
  });
  app.setErrorHandler((error, request, reply) => {
    const answer = errorReply(error, request.id);
    if (answer.unexpected) log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'bug');
    return reply.status(answer.status).headers(answer.headers).send(answer.body);
  });
  app.setNotFoundHandler((request, reply) => {
    const answer = errorReply(new ApiError('not_found'), request.id);
    return reply.status(404).headers(answer.headers).send(answer.body);
  });
  return app;
}

/** The caller that the auth door let in. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.apiCaller) throw new Error('this route is not behind the auth door');
  return request.apiCaller;
}
