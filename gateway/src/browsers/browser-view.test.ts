import { describe, expect, test } from 'vitest';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { browserItem, hasMetadata } from './browser-view.ts';

const session = (status: object = {}, spec: object = {}): BrowserSession =>
  ({
    metadata: { name: 'b', uid: '6b1c2f6e-0000-4000-8000-000000000001', creationTimestamp: '2026-03-02T10:00:00Z' },
    spec,
    status,
  }) as unknown as BrowserSession;
const show = (object: BrowserSession, stoppedAt: string | null = null) =>
  browserItem({ session: object, stoppedAt, liveUrl: 'https://l', cdpUrl: 'https://c', costMicroUsd: 1 });

describe('a browser of the API', () => {
  test('has its addresses and an end from the first answer on', () => {
    expect(show(session({}, { lifetime: { maxDuration: '30m' } }))).toMatchObject({
      status: 'active',
      liveUrl: 'https://l',
      cdpUrl: 'https://c',
      timeoutAt: '2026-03-02T10:30:00.000Z',
      startedAt: '2026-03-02T10:00:00Z',
      finishedAt: null,
      browserCost: '0.000001',
    });
  });
  test('is stopped, without addresses, from the instant the API stopped it', () => {
    expect(show(session({ phase: 'Running' }), '2026-03-02T10:05:00.000Z')).toMatchObject({
      status: 'stopped',
      liveUrl: null,
      cdpUrl: null,
      finishedAt: '2026-03-02T10:05:00.000Z',
    });
  });
  test.each(['Stopping', 'Stopped', 'TimedOut', 'Failed'])('is stopped in phase %s', (phase) => {
    expect(show(session({ phase })).status).toBe('stopped');
  });
  test('is found by metadata keys and values', () => {
    expect(hasMetadata({ k: 'v', e: 'a=b' }, ['k=v', 'k', 'e=a=b'])).toBe(true);
    expect(hasMetadata({ k: 'v' }, ['k=w'])).toBe(false);
    expect(hasMetadata({ k: 'v' }, ['other'])).toBe(false);
    expect(hasMetadata({ k: 'v' }, ['toString'])).toBe(false);
  });
});
