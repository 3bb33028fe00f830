import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { GROUP_VERSION, LABEL } from '@podwright/api/names';
import type { Pod } from '@podwright/kube/objects';
import { coldPodName, labelValue, warmPodName } from './pod-names.ts';
import type { PodTemplate } from './pod-template.ts';

export type NewPod = Pick<Pod, 'spec'> & {
  metadata: Pick<Pod['metadata'], 'name' | 'labels' | 'ownerReferences'> & { namespace: string };
};

/** What makes a pod a session's: the same for a new pod and for a claim. */
export function claimOf(session: BrowserSession, egressClass: string, deadlineSeconds: number) {
  return {
    labels: {
      [LABEL.claimed]: 'true',
      [LABEL.session]: labelValue(session.metadata.name),
      [LABEL.sessionUid]: session.metadata.uid,
      [LABEL.egress]: egressClass,
    },
    ownerReferences: [
      {
        apiVersion: GROUP_VERSION,
        kind: 'BrowserSession',
        name: session.metadata.name,
        uid: session.metadata.uid,
        controller: true,
      },
    ],
    // The last resort: the kubelet ends the pod even when nothing of ours runs any more.
    activeDeadlineSeconds: deadlineSeconds,
  };
}

export function newColdPod(
  session: BrowserSession,
  template: PodTemplate,
  egressClass: string,
  deadlineSeconds: number,
): NewPod {
  const { labels, ownerReferences, activeDeadlineSeconds } = claimOf(session, egressClass, deadlineSeconds);
  return {
    metadata: {
      name: coldPodName(session.metadata.uid),
      namespace: session.metadata.namespace ?? '',
      labels: { ...template.labels, ...labels },
      ownerReferences,
    },
    spec: { ...template.spec, activeDeadlineSeconds },
  };
}

/** A pod that belongs to its pool until it is claimed. It may go nowhere: egress is opened by the claim. */
export function newWarmPod(pool: BrowserPool, template: PodTemplate, random: string): NewPod {
  const { name, uid, namespace } = pool.metadata;
  return {
    metadata: {
      name: warmPodName(name, random),
      namespace: namespace ?? '',
      labels: { ...template.labels, [LABEL.claimed]: 'false', [LABEL.egress]: 'none' },
      ownerReferences: [{ apiVersion: GROUP_VERSION, kind: 'BrowserPool', name, uid, controller: true }],
    },
    spec: template.spec,
  };
}
