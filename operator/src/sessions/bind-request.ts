import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BindRequest } from '@podwright/api/pod-door';
import { egressOf } from './limits.ts';

/** What a pod is told at binding. The upstream proxy's credentials travel here and nowhere else. */
export function bindRequest(session: BrowserSession, pool: BrowserPool, proxyUrl: string | undefined): BindRequest {
  const { viewport, startUrl, locale, timezone, recording, viewer, profileRef } = session.spec;
  return {
    sessionUid: session.metadata.uid,
    sessionName: session.metadata.name,
    egress: egressOf(session, pool),
    ...(viewport !== undefined && { viewport }),
    ...(startUrl !== undefined && { startUrl }),
    ...(locale !== undefined && { locale }),
    ...(timezone !== undefined && { timezone }),
    ...(proxyUrl !== undefined && { upstreamProxy: proxyUrl }),
    ...(recording !== undefined && { recording }),
    ...(viewer?.interactive !== undefined && { interactive: viewer.interactive }),
    ...(profileRef !== undefined && { expectProfile: true }),
  };
}
