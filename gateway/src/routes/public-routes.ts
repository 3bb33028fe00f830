import type { FastifyInstance } from 'fastify';
import { registerHealth } from '../internal/internal-server.ts';
import { installUpgradeDoor } from '../tunnel/upgrade-door.ts';
import { registerCdp } from './cdp-routes.ts';
import { registerFiles } from './file-routes.ts';
import { type ApiParts, registerApi } from './v3-api.ts';
import { registerViewer } from './viewer-routes.ts';

/** Everything the public port serves. */
export async function registerPublic(
  app: FastifyInstance,
  parts: {
    health: Parameters<typeof registerHealth>[1];
    api: ApiParts;
    cdp: Parameters<typeof registerCdp>[1];
    viewer: Parameters<typeof registerViewer>[1];
    files: Parameters<typeof registerFiles>[1];
    upgrades: Pick<Parameters<typeof installUpgradeDoor>[0], 'opener' | 'isDraining' | 'log'>;
  },
): Promise<void> {
  registerHealth(app, parts.health);
  await registerApi(app, parts.api);
  registerCdp(app, parts.cdp);
  registerViewer(app, parts.viewer);
  // Bytes of any type pass there, so its parsers are its own.
  await app.register(async (scope) => registerFiles(scope, parts.files));
  installUpgradeDoor({
    server: app.server,
    basePath: new URL(parts.cdp.publicUrl).pathname.replace(/\/$/, ''),
    links: parts.cdp.links,
    viewers: parts.viewer.door,
    ...parts.upgrades,
  });
}
