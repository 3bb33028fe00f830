import type { PodStatus } from '@podwright/api/pod-door';
import type { Browser } from '../browser/browser.ts';
import type { Isolation } from '../browser/isolation.ts';
import type { Attachments } from '../cdp/attachments.ts';
import type { Profile } from '../profile/profile.ts';
import type { Activity } from './activity.ts';
import type { Counters } from './counters.ts';
import type { Latch } from './latch.ts';

/** What the pod tells of itself, put together from the parts that know. */
export function createStatus(options: {
  podUid: string;
  latch: Latch;
  browser: Browser;
  isolation: () => Isolation;
  activity: Activity;
  attachments: Attachments;
  viewers: () => { view: number; control: number };
  egressBytes: () => number;
  profile: Profile;
  counters: Counters;
}): () => PodStatus {
  const { browser, latch, activity, attachments } = options;
  return () => {
    const because = browser.notReadyBecause();
    const viewers = options.viewers();
    const { checked, reached } = options.isolation();
    return {
      podUid: options.podUid,
      boundTo: latch.sessionUid ?? null,
      ready: because === undefined,
      ...(because === undefined ? {} : { notReadyBecause: because }),
      ...(browser.version === undefined ? {} : { browserVersion: browser.version }),
      sandbox: browser.sandbox(),
      isolation: { checked, reached },
      viewport: browser.viewport.current,
      activity: {
        lastActiveAt: new Date(activity.lastActiveAt).toISOString(),
        cdpClients: attachments.count,
        viewers: viewers.view + viewers.control,
        exclusiveHolder: attachments.exclusiveHolder,
      },
      egressBytes: options.egressBytes(),
      profileLoaded: options.profile.loaded,
      counters: { ...options.counters.all(), viewers_view: viewers.view, viewers_control: viewers.control },
    };
  };
}
