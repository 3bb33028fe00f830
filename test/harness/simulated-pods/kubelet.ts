import { CONTAINER } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { isConflict, isNotFound } from '@podwright/kube/kube-error';
import type { Pod } from '@podwright/kube/objects';
import { RESOURCE, pathOf } from '@podwright/kube/resource';
import { sleep } from '@podwright/kube/sleep';
import type { PodAddress } from './addresses.ts';
import { containerEnded, ended, running } from './pod-status.ts';

/** How long the steps of a pod's life take, in milliseconds. */
export interface PodTimes {
  /** From its creation to running containers. */
  startMs: number;
  /** From there to the first readiness probe that passes; 0: one status write says both. */
  readyMs: number;
}

/** One pod from its node's side: placed, started, probed, ended. */
export interface SimulatedPod {
  readonly uid: string;
  readonly ip: string | undefined;
  /** The container dies; with restartPolicy Never it stays dead. */
  kill(container: keyof typeof CONTAINER, end: { exitCode: number; reason: string }): Promise<void>;
  /** Its deletion was asked for, `graceMs` from now at the latest. */
  terminate(graceMs: number): void;
  /** Nothing is left to wait for. */
  finish(): void;
  /** It is gone from the API server: whatever still runs ends. */
  forget(): void;
}

export function startSimulatedPod(options: {
  pod: Pod;
  /** Node for a pod that no scheduler has placed; undefined: a scheduler of somebody else will. */
  node: string;
  client: Client;
  times: PodTimes;
  openDoor: () => Promise<PodAddress>;
  /** SIGTERM: resolves true when the supervisor has nothing to keep and ends at once. */
  onTerminate: () => boolean;
  onError: (error: unknown) => void;
}): SimulatedPod {
  const { pod, client, times } = options;
  const { uid, name, namespace } = pod.metadata;
  const target = { namespace, name };
  const over = new AbortController();
  const finished = Promise.withResolvers<void>();
  let address: PodAddress | undefined;
  let startedAt = '';
  let terminating = false;
  const instant = (): string => new Date().toISOString();

  /** Guarded by the UID: another pod of this name has its own life. */
  async function writeStatus(status: object): Promise<void> {
    const body = { metadata: { uid }, status };
    await client.patch(RESOURCE.pods, target, { type: 'merge', body }, { subresource: 'status' });
  }

  async function live(): Promise<void> {
    if (pod.spec.nodeName === undefined) {
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, namespace, uid },
        target: { apiVersion: 'v1', kind: 'Node', name: options.node },
      };
      await client.raw('POST', pathOf(RESOURCE.pods, { ...target, subresource: 'binding' }), binding);
    }
    await sleep(times.startMs, over.signal);
    address = await options.openDoor();
    if (over.signal.aborted) return address.close();
    startedAt = instant();
    const facts = { ip: address.ip, at: startedAt };
    if (times.readyMs > 0) {
      await writeStatus(running({ ...facts, ready: false }));
      await sleep(times.readyMs, over.signal);
    }
    await writeStatus(running({ ...facts, at: instant(), ready: true }));
  }

  /** As a kubelet does: the door closes, the last status, then the object goes for good. */
  async function die(graceMs: number): Promise<void> {
    if (!options.onTerminate()) await Promise.race([finished.promise, sleep(graceMs, over.signal)]);
    close();
    await writeStatus(ended({ at: instant() }));
    await client.delete(RESOURCE.pods, target, { uid, gracePeriodSeconds: 0 });
  }

  function close(): void {
    over.abort(new Error('the pod is over'));
    address?.close();
  }

  const unlessGone = (work: Promise<void>): void => {
    work.catch((error: unknown) => {
      if (!over.signal.aborted && !isNotFound(error) && !isConflict(error)) options.onError(error);
    });
  };
  unlessGone(live());

  return {
    uid,
    get ip() {
      return address?.ip;
    },
    async kill(container, end) {
      if (container === 'supervisor') address?.close();
      await writeStatus(containerEnded({ at: instant(), startedAt }, container, end));
    },
    terminate(graceMs) {
      // A second, shorter grace counts too.
      if (terminating) {
        setTimeout(finished.resolve, graceMs).unref();
        return;
      }
      terminating = true;
      die(graceMs).catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) options.onError(error);
      });
    },
    finish: () => finished.resolve(),
    forget: close,
  };
}
