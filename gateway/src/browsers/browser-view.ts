import type { BrowserSession } from '@podwright/api/kinds/session';
import { parseDuration } from '@podwright/api/duration';
import { POOL_DEFAULTS } from '@podwright/api/kinds/pool';
import { type MicroUsd, formatUsd } from '@podwright/api/money';
import { ANNOTATION, LABEL } from '@podwright/api/names';
import type { BrowserItem, BrowserView } from '@podwright/api/v3/browsers';
import { isOpen } from '../sessions/session-state.ts';

/** What a browser of the API is shown from. */
export interface BrowserFacts {
  session: BrowserSession;
  /** When the API stopped it; wins over what the object still says. */
  stoppedAt: string | null;
  liveUrl: string | null;
  cdpUrl: string | null;
  costMicroUsd: MicroUsd;
}

export function browserItem({ session, stoppedAt, liveUrl, cdpUrl, costMicroUsd }: BrowserFacts): BrowserItem {
  const active = isActive(session, stoppedAt);
  const { startedAt, stoppingAt, endedAt } = session.status ?? {};
  return {
    id: session.metadata.uid,
    status: active ? 'active' : 'stopped',
    liveUrl: active ? liveUrl : null,
    cdpUrl: active ? cdpUrl : null,
    timeoutAt: timeoutAt(session),
    startedAt: startedAt ?? session.metadata.creationTimestamp,
    finishedAt: active ? null : (stoppedAt ?? session.spec.stop?.at ?? stoppingAt ?? endedAt ?? null),
    proxyUsedMb: '0',
    proxyCost: '0.000000',
    browserCost: formatUsd(costMicroUsd),
    agentSessionId: agentSessionOf(session),
    recordingUrl: null,
    metadata: metadataOf(session),
    extensions: [],
  };
}

export const browserView = (facts: BrowserFacts): BrowserView => ({ ...browserItem(facts), recordingAvailable: false });

export const isActive = (session: BrowserSession, stoppedAt: string | null): boolean =>
  stoppedAt === null && isOpen(session);

/** The conversation a browser works for: by label, or itself when a manifest gave it a task. */
export function agentSessionOf(session: BrowserSession): string | null {
  const labelled = session.metadata.labels?.[LABEL.conversation];
  return labelled ?? (session.spec.task === undefined ? null : session.metadata.uid);
}

export function metadataOf(session: BrowserSession): Record<string, string> {
  const text = session.metadata.annotations?.[ANNOTATION.metadata];
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    return {};
  }
}

/** Whether every wanted `key` or `key=value` holds. */
export function hasMetadata(metadata: Record<string, string>, wanted: readonly string[]): boolean {
  return wanted.every((text) => {
    const at = text.indexOf('=');
    return at === -1 ? Object.hasOwn(metadata, text) : metadata[text.slice(0, at)] === text.slice(at + 1);
  });
}

/** Known once it runs; until then what it will be if it starts now. Ends in `Z`, as clients insist. */
function timeoutAt(session: BrowserSession): string {
  if (session.status?.expiresAt !== undefined) return session.status.expiresAt;
  const longest = parseDuration(session.spec.lifetime?.maxDuration ?? POOL_DEFAULTS.maxDuration);
  return new Date(Date.parse(session.metadata.creationTimestamp) + longest).toISOString();
}
