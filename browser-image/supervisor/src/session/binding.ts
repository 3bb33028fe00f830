import type { Logger } from 'pino';
import { ApiError } from '@podwright/api/errors';
import type { BindRequest, PodEgressFloor, PoolDefaults } from '@podwright/api/pod-door';
import type { Browser } from '../browser/browser.ts';
import { checkUrl } from '../cdp/params.ts';
import { type EgressRules, type SessionEgress, widerThanFloor } from '../egress/rules.ts';
import { type UpstreamProxy, parseUpstreamProxy } from '../egress/upstream.ts';
import type { Latch } from './latch.ts';

/** Turns the pod into the pod of one session. */
export interface Binding {
  /**
   * Latches the pod and applies what the session wants; the same session again gets the same answer.
   * Throws ApiError: invalid_request (nothing was latched), session_busy (another session; the pod ends itself),
   * browser_unavailable (latched; the same bind may be tried again).
   */
  bind(request: BindRequest): Promise<void>;
  /** The saved state is in: the start page may open. */
  readonly profileLoaded: () => Promise<void>;
  readonly egressRules: () => EgressRules;
  readonly upstreamProxy: () => UpstreamProxy | undefined;
  /** False when viewers of this session only watch. */
  readonly interactive: boolean;
}

export function createBinding(options: {
  latch: Latch;
  browser: Browser;
  floor: PodEgressFloor;
  defaults: PoolDefaults;
  /** A second session claims this pod. */
  conflict: () => void;
  log: Logger;
}): Binding {
  const { latch, browser, floor, defaults, log } = options;
  let egress: SessionEgress | undefined;
  let upstream: UpstreamProxy | undefined;
  let interactive = true;
  let startUrl: string | undefined;
  let opened = false;
  let applied: Promise<void> | undefined;

  async function openStartPage(): Promise<void> {
    if (startUrl === undefined || opened) return;
    opened = true;
    await browser.open(startUrl);
  }

  async function apply(request: BindRequest): Promise<void> {
    const { viewport, locale, timezone } = request;
    try {
      await browser.setLocale({ locale, timezone });
      if (viewport) await browser.viewport.set(viewport);
      if (!request.expectProfile) await openStartPage();
    } catch (error) {
      throw new ApiError('browser_unavailable', undefined, { cause: error });
    }
    log.info({ session: request.sessionName, sessionUid: request.sessionUid, egress: request.egress.egress }, 'bound');
  }

  return {
    async bind(request) {
      if (latch.sessionUid === undefined) {
        const wrong = wrongIn(request, floor, defaults);
        if (wrong !== undefined) throw new ApiError('invalid_request', wrong);
      }
      if (!latch.take(request.sessionUid)) {
        options.conflict();
        throw new ApiError('session_busy', 'This pod serves another session.');
      }
      if (egress === undefined) {
        egress = request.egress;
        upstream = request.upstreamProxy === undefined ? undefined : parseUpstreamProxy(request.upstreamProxy);
        interactive = request.interactive ?? true;
        startUrl = request.startUrl;
      }
      applied ??= apply(request);
      try {
        await applied;
      } catch (error) {
        applied = undefined;
        throw error;
      }
    },
    profileLoaded: openStartPage,
    egressRules: () => ({ floor, session: egress }),
    upstreamProxy: () => upstream,
    get interactive() {
      return interactive;
    },
  };
}

/** What this pod cannot do for the session, in words; undefined when it can do all of it. Pure. */
function wrongIn(request: BindRequest, floor: PodEgressFloor, { maxScreen }: PoolDefaults): string | undefined {
  const { viewport, startUrl, upstreamProxy } = request;
  if (viewport && (viewport.width > maxScreen.width || viewport.height > maxScreen.height)) {
    return `The viewport does not fit the screen of ${maxScreen.width}x${maxScreen.height}.`;
  }
  if (startUrl !== undefined && !/^(about:blank$|https?:)/.test(startUrl)) return 'startUrl must be http or https.';
  const url = checkUrl(startUrl ?? '');
  if (url !== undefined) return `startUrl: ${url}.`;
  try {
    if (upstreamProxy !== undefined) parseUpstreamProxy(upstreamProxy);
  } catch {
    return 'The upstream proxy must be an http, https or socks5 URL.';
  }
  return widerThanFloor(floor, request.egress);
}
