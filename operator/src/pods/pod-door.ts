import { type BindRequest, PodStatus, QuiesceResponse } from '@podwright/api/pod-door';
import { PORT } from '@podwright/api/names';
import type { Signer } from '@podwright/api/tokens';
import type { Pod } from '@podwright/kube/objects';
import { sleep } from '@podwright/kube/sleep';
import { Value } from 'typebox/value';
import type { Dispatcher } from 'undici';

/** The pod answered, and refused. */
export class DoorRefusal extends Error {
  override readonly name = 'DoorRefusal';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What the operator asks of a browser pod's supervisor. */
export interface PodDoor {
  /** Tells the pod which session it serves; the same again is fine. Throws DoorRefusal, or what the connection threw. */
  bind(pod: Pod, request: BindRequest, signal: AbortSignal): Promise<PodStatus>;
  /** Throws like bind. */
  status(pod: Pod, sessionUid: string, signal: AbortSignal): Promise<PodStatus>;
  /** Unused for `idleForMs`: refuses new work for a while, so that it can be stopped. Else nothing changes. */
  quiesce(pod: Pod, sessionUid: string, idleForMs: number, signal: AbortSignal): Promise<QuiesceResponse>;
  /** Resolves when /readyz answers 200. */
  awaitReady(pod: Pod, signal: AbortSignal): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 10_000;
/** How often a pod that is starting is asked. The kubelet's probe would tell a second later. */
const READY_POLL_MS = 50;

export function createPodDoor(options: { signer: Signer; dispatcher: Dispatcher }): PodDoor {
  const { signer, dispatcher } = options;
  const origin = (pod: Pod): string => {
    const address = pod.status?.podIP ?? '';
    return `http://${address.includes(':') ? `[${address}]` : address}:${PORT.podDoor}`;
  };
  async function ask(
    pod: Pod,
    token: { scope: 'bind' | 'status' | 'quiesce'; subject: string },
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    const authorization = `Bearer ${await signer.sign(pod.metadata.uid, token)}`;
    const response = await dispatcher.request({
      origin: origin(pod),
      path: `/${token.scope}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new DoorRefusal(response.statusCode, text.slice(0, 300));
    return JSON.parse(text);
  }

  return {
    async bind(pod, request, signal) {
      return Value.Parse(PodStatus, await ask(pod, { scope: 'bind', subject: request.sessionUid }, request, signal));
    },
    async status(pod, subject, signal) {
      return Value.Parse(PodStatus, await ask(pod, { scope: 'status', subject }, undefined, signal));
    },
    async quiesce(pod, subject, idleForMs, signal) {
      return Value.Parse(QuiesceResponse, await ask(pod, { scope: 'quiesce', subject }, { idleForMs }, signal));
    },
    async awaitReady(pod, signal) {
      for (;;) {
        signal.throwIfAborted();
        const status = await dispatcher
          .request({
            origin: origin(pod),
            path: '/readyz',
            method: 'GET',
            signal: AbortSignal.any([signal, AbortSignal.timeout(2_000)]),
          })
          .then(async (response) => {
            await response.body.dump();
            return response.statusCode;
          })
          .catch(() => 0);
        if (status === 200) return;
        await sleep(READY_POLL_MS, signal);
      }
    },
  };
}
