import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@podwright/api/errors';
import { ActivityRequest, BindRequest, type PodStatus, QuiesceRequest } from '@podwright/api/pod-door';
import { STORAGE_STATE_MAX_BYTES } from '@podwright/api/storage-state';
import { type PublicKeySet, createVerifier } from '@podwright/api/tokens';
import { answer } from '@podwright/operator/testing/objects';
import { type Gate, createGate } from '@podwright/supervisor/door/authorize';
import { describeError, readBody, readJson, sendEmpty, sendJson } from '@podwright/supervisor/door/http-answers';
import { type RouteName, findRoute } from '@podwright/supervisor/door/routes';
import { createActivity } from '@podwright/supervisor/session/activity';
import { createCounters } from '@podwright/supervisor/session/counters';
import { createLatch } from '@podwright/supervisor/session/latch';

/** The door of one simulated pod. Gate, latch, routes and activity are the supervisor's own; the browser is missing. */
export interface SimulatedSupervisor {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Session that it is latched to. */
  readonly boundTo: string | undefined;
  readonly profileLoaded: boolean;
  /** SIGTERM came: only what collection needs is still answered. */
  end(): void;
}

/** What a healthy pod finds out about itself. */
const { sandbox, isolation } = answer();
const PROOFS: Pick<PodStatus, 'sandbox' | 'isolation' | 'browserVersion'> = {
  browserVersion: 'Simulated/1.0',
  sandbox,
  isolation,
};

export function createSimulatedSupervisor(options: {
  podUid: string;
  installation: string;
  keys: PublicKeySet;
  now: () => number;
  onBound: (session: string) => void;
  /** A second session wants this pod; a real one ends itself. */
  onConflict: (second: string) => void;
  /** What the pod kept was stored. */
  onCollected: () => void;
}): SimulatedSupervisor {
  const { podUid, now } = options;
  const latch = createLatch();
  const activity = createActivity({ now });
  let ending = false;
  let profile: unknown;
  // Most pods are never asked for anything that needs a token, and importing keys costs.
  let gate: Promise<Gate> | undefined;
  const openGate = async (): Promise<Gate> => {
    const verifier = await createVerifier({ installation: options.installation, podUid, keys: options.keys, now });
    return createGate({ verifier, latch, podUid, counters: createCounters(), now });
  };

  const status = (): PodStatus => ({
    ...PROOFS,
    podUid,
    boundTo: latch.sessionUid ?? null,
    ready: true,
    viewport: null,
    activity: {
      lastActiveAt: new Date(activity.lastActiveAt).toISOString(),
      cdpClients: 0,
      viewers: 0,
      exclusiveHolder: null,
    },
    egressBytes: 0,
    profileLoaded: profile !== undefined,
  });

  async function act(name: RouteName, request: IncomingMessage, response: ServerResponse, subject: string) {
    switch (name) {
      case 'bind': {
        const { sessionUid } = await readBody(request, BindRequest);
        if (sessionUid !== subject) throw new ApiError('forbidden', 'The token binds another session.');
        if (!latch.take(sessionUid)) {
          options.onConflict(sessionUid);
          throw new ApiError('session_busy', 'This pod serves another session.');
        }
        options.onBound(sessionUid);
        activity.touch();
        return sendJson(response, 200, status());
      }
      case 'status':
        return sendJson(response, 200, status());
      case 'quiesce': {
        const { quiet, lastActiveAt, until } = activity.quiesce((await readBody(request, QuiesceRequest)).idleForMs);
        const instants = {
          lastActiveAt: new Date(lastActiveAt),
          ...(until !== undefined && { until: new Date(until) }),
        };
        return sendJson(response, 200, { quiet, ...instants });
      }
      case 'activity':
        await readBody(request, ActivityRequest);
        activity.touch();
        return sendEmpty(response);
      case 'loadProfile':
        profile = await readJson(request, STORAGE_STATE_MAX_BYTES);
        return sendEmpty(response);
      case 'readProfile':
        return sendJson(response, 200, profile ?? {});
      case 'downloads':
        return sendJson(response, 200, { files: [] });
      case 'collected':
        sendEmpty(response);
        return options.onCollected();
      default:
        throw new ApiError('unavailable', 'There is no browser in a simulated pod.');
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '/';
    if (path === '/healthz') return sendJson(response, 200, { ok: true });
    if (path === '/readyz') return sendJson(response, ending ? 503 : 200, { ready: !ending });
    const route = findRoute(request.method ?? '', path, ending);
    if (!route) throw new ApiError('not_found');
    gate ??= openGate();
    const claims = await (await gate).pass(request.headers.authorization, route.scopes);
    if (route.closed) throw new ApiError('session_ended');
    return act(route.name, request, response, claims.subject);
  }

  return {
    async handle(request, response) {
      try {
        await serve(request, response);
      } catch (error) {
        const { status: code, body } = describeError(error);
        response.setHeader('connection', 'close');
        if (!response.headersSent) sendJson(response, code, body);
      }
    },
    get boundTo() {
      return latch.sessionUid;
    },
    get profileLoaded() {
      return profile !== undefined;
    },
    end() {
      ending = true;
    },
  };
}
