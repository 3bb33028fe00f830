import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { CollectRequest, type CollectResponse } from '@podwright/api/internal-doors';
import type { Collector } from '../collect/collector.ts';
import type { KeeperMetrics } from '../metrics.ts';

/** A pod waits 60 s after its stop for what it kept to be fetched. */
const COLLECT_DEADLINE_MS = 50_000;

/** `/collect`: the operator has what a stopped session leaves behind pulled from its pod. */
export function addCollectRoute(
  server: FastifyInstance,
  options: {
    collector: Collector;
    metrics: KeeperMetrics;
    log: Logger;
  },
): void {
  server.post<{ Body: CollectRequest }>(
    '/collect',
    { config: { callers: ['operator'], deadlineMs: COLLECT_DEADLINE_MS }, schema: { body: CollectRequest } },
    async ({ body, stop }): Promise<CollectResponse> => {
      const result = await options.collector.collect(body, stop);
      options.metrics.collections.inc({ outcome: result.lost.length === 0 ? 'complete' : 'partial' });
      options.log.info(
        {
          namespace: body.namespace,
          session: body.sessionName,
          sessionUid: body.sessionUid,
          downloads: result.downloads,
          profileVersion: result.profileVersion,
          lost: result.lost.length,
        },
        'session collected',
      );
      return result;
    },
  );
}
