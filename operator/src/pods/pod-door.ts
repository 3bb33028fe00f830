import { PodStatus, type BindRequest } from '@podwright/api/pod-door';
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
  /** Resolves when /readyz answers 200. */
  awaitReady(pod: Pod, signal: AbortSignal): Promise<void>;
}

const BIND_TIMEOUT_MS = 10_000;
/** How often a pod that is starting is asked. The kubelet's probe would tell a second later. */
const READY_POLL_MS = 50;

export function createPodDoor(options: { signer: Signer; dispatcher: Dispatcher }): PodDoor {
  const { signer, dispatcher } = options;
  const origin = (pod: Pod): string => {
    const address = pod.status?.podIP ?? '';
    return `http://${address.includes(':') ? `[${address}]` : address}:${PORT.podDoor}`;
  };
  return {
    async bind(pod, request, signal) {
      const token = await signer.sign(pod.metadata.uid, { scope: 'bind', subject: request.sessionUid });
      const response = await dispatcher.request({
        origin: origin(pod),
        path: '/bind',
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        signal: AbortSignal.any([signal, AbortSignal.timeout(BIND_TIMEOUT_MS)]),
      });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new DoorRefusal(response.statusCode, text.slice(0, 300));
      return Value.Parse(PodStatus, JSON.parse(text));
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
