import type { CdpLink } from './cdp-link.ts';
import { type OriginLog, originOf } from './origin-log.ts';

export interface PageTarget {
  targetId: string;
  url: string;
}

interface TargetInfo extends PageTarget {
  type: string;
  browserContextId?: string;
}

/**
 * The pages of Chromium's default context, each with a session of the supervisor.
 * Pages that clients opened in contexts of their own are theirs: the supervisor lets go of them at once.
 */
export interface Pages {
  /** Attached pages, oldest first, with the session of each. */
  attached(): { targetId: string; sessionId: string; url: string }[];
  /** Origins of the pages, frames and workers that are there now. */
  openOrigins(): Set<string>;
  /** From now on new pages wait until `prepare` is done with them. */
  holdNewPages(): Promise<void>;
}

const ONLY_PAGES = [{ type: 'page' }, { exclude: true }];
/** Whatever can write into the storage of its origin. */
const STORAGE_USERS = [
  { type: 'page' },
  { type: 'iframe' },
  { type: 'service_worker' },
  { type: 'shared_worker' },
  { exclude: true },
];

export async function openPages(options: {
  link: CdpLink;
  /** Told of every origin that is used in the default context. */
  origins: OriginLog;
  /** Called with each new page of the default context before it runs, when pages are held: it sends what it has to at once. */
  prepare: (sessionId: string, targetId: string) => Promise<void>;
  failed: (words: string, error: unknown) => void;
}): Promise<Pages> {
  const { link } = options;
  const { defaultBrowserContextId } = await link.send<{ defaultBrowserContextId?: string }>(
    'Target.getBrowserContexts',
  );
  const targets = new Map<string, TargetInfo>();
  const sessions = new Map<string, string>();
  let ending = false;

  const isInDefaultContext = ({ browserContextId }: TargetInfo): boolean =>
    defaultBrowserContextId === undefined || browserContextId === defaultBrowserContextId;
  const isOurs = (info: TargetInfo): boolean => info.type === 'page' && isInDefaultContext(info);

  function remember(info: TargetInfo): void {
    targets.set(info.targetId, info);
    const origin = originOf(info.url);
    if (origin !== undefined && isInDefaultContext(info)) options.origins.saw(origin);
  }

  async function take(sessionId: string, info: TargetInfo, waiting: boolean): Promise<void> {
    const calls: Promise<unknown>[] = [];
    if (isOurs(info)) {
      sessions.set(info.targetId, sessionId);
      calls.push(options.prepare(sessionId, info.targetId));
    }
    // In order, and not after the answers: a window shares its opener's process, and both wait until it runs.
    if (waiting) calls.push(link.send('Runtime.runIfWaitingForDebugger', {}, sessionId));
    await Promise.all(calls);
    if (!isOurs(info)) await link.send('Target.detachFromTarget', { sessionId });
  }

  /** A browser without a page is of no use to a client, and a window without a tab ends. */
  function keepOnePage(): void {
    if (ending || [...targets.values()].some(isOurs)) return;
    link.send('Target.createTarget', { url: 'about:blank' }).catch((error: unknown) => {
      options.failed('a page could not be opened in place of the last one', error);
    });
  }

  link.on('Target.targetCreated', ({ targetInfo }: { targetInfo: TargetInfo }) => remember(targetInfo));
  link.on('Target.targetInfoChanged', ({ targetInfo }: { targetInfo: TargetInfo }) => remember(targetInfo));
  link.on('Target.targetDestroyed', ({ targetId }: { targetId: string }) => {
    const info = targets.get(targetId);
    targets.delete(targetId);
    sessions.delete(targetId);
    if (info && isOurs(info)) keepOnePage();
  });
  link.on(
    'Target.attachedToTarget',
    (event: { sessionId: string; targetInfo: TargetInfo; waitingForDebugger: boolean }) => {
      // Hidden targets, which other parts of the supervisor attach to themselves, are announced here too.
      if (event.targetInfo.type !== 'page') return;
      take(event.sessionId, event.targetInfo, event.waitingForDebugger).catch((error: unknown) => {
        // A page that closed meanwhile needs nothing.
        if (targets.has(event.targetInfo.targetId)) options.failed('a page could not be prepared', error);
      });
    },
  );
  link.onClose(() => {
    ending = true;
  });

  const autoAttach = (waitForDebuggerOnStart: boolean): Promise<unknown> =>
    link.send('Target.setAutoAttach', {
      autoAttach: true,
      flatten: true,
      waitForDebuggerOnStart,
      filter: ONLY_PAGES,
    });
  await link.send('Target.setDiscoverTargets', { discover: true, filter: STORAGE_USERS });
  await autoAttach(false);
  keepOnePage();

  return {
    attached: () =>
      [...sessions].map(([targetId, sessionId]) => ({ targetId, sessionId, url: targets.get(targetId)?.url ?? '' })),
    openOrigins: () =>
      new Set([...targets.values()].filter(isInDefaultContext).flatMap(({ url }) => originOf(url) ?? [])),
    async holdNewPages() {
      await autoAttach(true);
    },
  };
}
