import { LABEL } from '@podwright/api/names';
import type { PodDisruptionBudget } from '@podwright/kube/objects';

export const BUDGET_NAME = 'podwright-claimed';

/**
 * No pod with a session is evicted while its browser answers: a drain waits until the sessions were saved and stopped, which
 * drainTimeout of their pool bounds. Warm pods are in nobody's way, and a broken pod protects nobody.
 *
 * A number that is never reached, because pods without a scalable owner take neither a percentage nor maxUnavailable.
 */
export const DESIRED_BUDGET: PodDisruptionBudget['spec'] = {
  minAvailable: 1_000_000,
  selector: { matchLabels: { [LABEL.claimed]: 'true' } },
  unhealthyPodEvictionPolicy: 'AlwaysAllow',
};
