import { NAMESPACE, RELEASE } from './place.ts';
import { kubectlJson, run } from './run.ts';

interface Workload {
  kind: string;
  metadata: { name: string; namespace: string; generation: number };
  spec: { replicas?: number };
  status?: {
    observedGeneration?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    replicas?: number;
    desiredNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberReady?: number;
  };
}

interface Pod {
  metadata: { name: string; namespace: string; deletionTimestamp?: string };
  status: {
    phase: string;
    conditions?: { type: string; status: string; message?: string }[];
    containerStatuses?: {
      name: string;
      ready: boolean;
      restartCount: number;
      state: { waiting?: { reason: string; message?: string }; terminated?: { reason: string; exitCode: number } };
    }[];
  };
}

export interface WorkloadState {
  name: string;
  ready: number;
  wanted: number;
  /** All wanted pods are of the newest template and ready, and no old one is left. */
  done: boolean;
}

const SELECTOR = `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/name=podwright`;

/** Deployments, StatefulSets and DaemonSets of the installation. */
export async function workloadStates(): Promise<WorkloadState[]> {
  const { items } = await kubectlJson<{ items: Workload[] }>('get', 'deploy,sts,ds', '-A', '-l', SELECTOR);
  return items.map(({ kind, metadata, spec, status = {} }) => {
    const daemon = kind === 'DaemonSet';
    const wanted = daemon ? (status.desiredNumberScheduled ?? 1) : (spec.replicas ?? 1);
    const updated = (daemon ? status.updatedNumberScheduled : status.updatedReplicas) ?? 0;
    const ready = (daemon ? status.numberReady : status.readyReplicas) ?? 0;
    const seen = (status.observedGeneration ?? 0) >= metadata.generation;
    const noOld = daemon || (status.replicas ?? 0) === updated;
    return { name: metadata.name, ready, wanted, done: seen && updated >= wanted && ready >= wanted && noOld };
  });
}

/** One line for each pod of the installation that is in trouble. */
export async function podTroubles(): Promise<{ pod: string; namespace: string; what: string }[]> {
  const { items } = await kubectlJson<{ items: Pod[] }>('get', 'pods', '-A', '-l', SELECTOR);
  return items.flatMap(({ metadata, status }) => {
    if (metadata.deletionTimestamp !== undefined || status.phase === 'Succeeded') return [];
    const unscheduled = status.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False');
    const waiting = status.containerStatuses?.find(({ state }) =>
      /BackOff|Err|Invalid/.test(state.waiting?.reason ?? ''),
    );
    const what = waiting
      ? `${waiting.state.waiting?.reason} after ${waiting.restartCount} restarts${waiting.state.waiting?.message ? `: ${waiting.state.waiting.message}` : ''}`
      : unscheduled?.message;
    return what === undefined ? [] : [{ pod: metadata.name, namespace: metadata.namespace, what }];
  });
}

/** The last lines of a pod's log, of the run before when there was one. */
export async function lastWords(pod: string, namespace = NAMESPACE): Promise<string> {
  const logs = (previous: string[]): Promise<string> =>
    run('kubectl', ['logs', '-n', namespace, pod, '--all-containers', '--tail=15', ...previous]);
  return logs(['--previous'])
    .catch(() => logs([]))
    .catch(() => '(no log)');
}
