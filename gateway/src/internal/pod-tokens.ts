import { ApiError } from '@podwright/api/errors';
import type { PodTokenRequest, PodTokenResponse } from '@podwright/api/internal-doors';
import { TERMINAL_RUN_STATES } from '@podwright/api/run';
import type { Scope, Signer } from '@podwright/api/tokens';
import type { Attempts } from '@podwright/runs/attempts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { readyPodOf } from '../sessions/session-state.ts';

/** What an agent may ask for; it never gets a viewer's or an operator's door. */
const AGENT_SCOPES: ReadonlySet<Scope> = new Set(['cdp', 'activity', 'files']);

/** Gives the agent that holds the current attempt of a run the token for one door of its pod. */
export interface PodTokens {
  /** Throws `session_ended` when the pod is gone, `forbidden` when the attempt is not the current one. */
  issue(request: PodTokenRequest): Promise<PodTokenResponse>;
}

export function createPodTokens(options: { attempts: Attempts; cache: SessionCache; signer: Signer }): PodTokens {
  const { attempts, cache, signer } = options;
  return {
    async issue({ runId, conversationId, attempt, scope }) {
      if (!AGENT_SCOPES.has(scope)) throw new ApiError('forbidden', `Agents do not get tokens for ${scope}.`);
      const run = await attempts.get({ conversationId, runId });
      if (!run) throw new ApiError('run_not_found');
      if (run.attempt !== attempt || TERMINAL_RUN_STATES.has(run.state)) {
        throw new ApiError('forbidden', 'Another attempt works on this run, or it has ended.');
      }
      const { namespace, sessionName: name, sessionUid: uid } = run.request;
      const session = await cache.read({ namespace, name, uid });
      const pod = session && readyPodOf(session);
      if (!pod) throw new ApiError('session_ended');
      const expiresAt = session.status?.expiresAt;
      const token = await signer.sign(pod.podUid, {
        scope,
        subject: uid,
        attempt,
        run: runId,
        ...(expiresAt === undefined ? {} : { until: Math.ceil(Date.parse(expiresAt) / 1000) }),
      });
      return { token, doorUrl: pod.doorUrl, podUid: pod.podUid, sessionUid: uid };
    },
  };
}
