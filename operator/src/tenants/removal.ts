import { LABEL } from '@podwright/api/names';
import type { Namespace } from '@podwright/kube/objects';

/** What is left in the namespace of a tenant that was removed. */
export interface Leftovers {
  /** Sessions that have not ended. */
  sessions: number;
  /** Browser pods, warm or claimed. */
  pods: number;
}

export interface RemovalObservation {
  /** Name of the tenant, as its namespace says or as it was seen to go. */
  removed: string | undefined;
  /** Tenant that has the namespace: the same that came back, or another. */
  owner: string | undefined;
  /** A tenant of that name exists, wherever: its keys are in use. */
  nameInUse: boolean;
  namespace: Namespace | undefined;
  isTerminating: boolean;
  leftovers: Leftovers;
}

export type RemovalPlan =
  | { do: 'nothing' }
  /** Its sessions stop, its warm pods go; whatever changes brings the next look. */
  | { do: 'wait' }
  /** Nothing of it runs any more: its keys are forgotten, then the namespace is let go as far as it is still there. */
  | { do: 'finish'; forgetKeys: boolean; release: boolean };

/**
 * The end of a tenant. It has no finalizer, so that neither an uninstalled operator nor a deleted namespace can leave it
 * hanging; the label on its namespace remembers what is not finished. Policies stay until the last browser is gone.
 */
export function decideRemoval(observation: RemovalObservation): RemovalPlan {
  const { removed, owner, namespace, isTerminating, leftovers, nameInUse } = observation;
  if (removed === undefined || removed === owner) return { do: 'nothing' };
  // It had named a namespace that was another's: nothing in there was its own.
  if (owner !== undefined) return { do: 'finish', forgetKeys: !nameInUse, release: false };
  if (leftovers.sessions > 0 || leftovers.pods > 0) return { do: 'wait' };
  return { do: 'finish', forgetKeys: !nameInUse, release: namespace !== undefined && !isTerminating };
}

export const tenantLabelOf = (namespace: Namespace | undefined): string | undefined =>
  namespace?.metadata.labels?.[LABEL.tenant];
