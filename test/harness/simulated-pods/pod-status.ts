import { CONTAINER } from '@podwright/api/names';
import type { ContainerState, Pod } from '@podwright/kube/objects';

/** What a kubelet writes into the status of a browser pod; instants are ISO 8601 of the moment it writes. */
type Status = NonNullable<Pod['status']> & { podIPs?: { ip: string }[]; hostIP?: string };

const conditions = (at: string, ready: boolean) =>
  (['PodScheduled', 'PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'] as const).map((type) => ({
    type,
    status: ready || (type !== 'Ready' && type !== 'ContainersReady') ? ('True' as const) : ('False' as const),
    lastTransitionTime: at,
  }));

const containers = (ready: boolean, supervisor: ContainerState, browser: ContainerState) => [
  { name: CONTAINER.supervisor, ready, restartCount: 0, state: supervisor, image: 'simulated', imageID: '' },
  { name: CONTAINER.browser, ready, restartCount: 0, state: browser, image: 'simulated', imageID: '' },
];

/** Both containers run; the readiness probe has passed, or not yet. */
export function running(facts: { ip: string; at: string; ready: boolean }): Status {
  const { ip, at, ready } = facts;
  const state = { running: { startedAt: at } };
  return {
    phase: 'Running',
    startTime: at,
    podIP: ip,
    podIPs: [{ ip }],
    hostIP: '127.0.0.1',
    conditions: conditions(at, ready),
    containerStatuses: containers(ready, state, state),
  };
}

/** The container `browser` or `supervisor` ended by itself. Nothing is restarted. */
export function containerEnded(
  facts: { at: string; startedAt: string },
  container: keyof typeof CONTAINER,
  end: { exitCode: number; reason: string },
): Status {
  const run = { running: { startedAt: facts.startedAt } };
  const over = { terminated: { ...end, finishedAt: facts.at } };
  return {
    conditions: conditions(facts.at, false),
    containerStatuses: containers(false, container === 'supervisor' ? over : run, container === 'browser' ? over : run),
  };
}

/** Everything in it has ended, as its deletion asked for. */
export function ended(facts: { at: string }): Status {
  const over = { terminated: { exitCode: 0, reason: 'Completed', finishedAt: facts.at } };
  return {
    phase: 'Succeeded',
    conditions: conditions(facts.at, false),
    containerStatuses: containers(false, over, over),
  };
}
