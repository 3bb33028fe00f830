import type { FastifyInstance } from 'fastify';
import { createOpenApiCollector } from '../http/openapi.ts';
import type { AuthDoor } from '../identity/auth-door.ts';
import { registerBilling } from './billing-routes.ts';
import { registerBrowsers } from './browsers-routes.ts';
import { registerNotOffered } from './not-offered-routes.ts';
import { registerProfiles } from './profiles-routes.ts';
import { registerSessions } from './sessions-routes.ts';
import { registerTickets } from './ticket-routes.ts';

/** Everything the routes of the API are made of. */
export interface ApiParts {
  auth: AuthDoor;
  sessions: Parameters<typeof registerSessions>[1];
  browsers: Parameters<typeof registerBrowsers>[1];
  profiles: Parameters<typeof registerProfiles>[1];
  billing: Parameters<typeof registerBilling>[1];
  tickets: Parameters<typeof registerTickets>[1];
  publicUrl: string;
}

/** Both spellings of the base address that clients are configured with. */
const PREFIXES = ['/api/v3', '/v3'] as const;

/** What the hosted service has below v3 and this installation does not. */
const V3_NOT_OFFERED = ['/workspaces', '/boxes', '/x402', '/mcp'];
/** Other versions of its API. */
const VERSIONS_NOT_OFFERED = ['/api/v2', '/v2', '/api/v4', '/v4', '/api/v1', '/v1'];

export async function registerApi(app: FastifyInstance, parts: ApiParts): Promise<void> {
  for (const prefix of PREFIXES) {
    const collector = createOpenApiCollector();
    await app.register(
      async (scope) => {
        scope.addHook('onRoute', (route) => collector.add(route, prefix));
        scope.addHook('onRequest', async (request) => {
          request.apiCaller = parts.auth.authenticate(request.headers, request.ip);
        });
        registerSessions(scope, parts.sessions);
        registerBrowsers(scope, parts.browsers);
        registerProfiles(scope, parts.profiles);
        registerBilling(scope, parts.billing);
        registerTickets(scope, parts.tickets);
        registerNotOffered(scope, V3_NOT_OFFERED);
      },
      { prefix },
    );
    const document = collector.document({ title: 'Podwright', version: 'v3', server: parts.publicUrl + prefix });
    app.get(`${prefix}/openapi.json`, async (_request, reply) => reply.send(document));
  }
  registerNotOffered(app, VERSIONS_NOT_OFFERED);
}
