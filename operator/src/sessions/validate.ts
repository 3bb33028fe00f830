import { POOL_DEFAULTS } from '@podwright/api/kinds/pool';
import { LABEL } from '@podwright/api/names';
import type { Failure } from '../pods/pod-failure.ts';
import { isWider } from './limits.ts';
import type { Observation } from './observation.ts';

/** Objects of one `kubectl apply` arrive in any order: what is missing is given this long to appear. */
export const MISSING_GRACE_MS = 5_000;

export type Validity =
  | { state: 'valid' }
  /** Wrong, and waiting will not help. */
  | { state: 'wrong'; failure: Failure }
  /** Something is not there (yet); wrong after `until`. */
  | { state: 'missing'; failure: Failure; until: number };

/** Whether the spec can be served. Checked until a pod is assigned; nothing in it can change afterwards. */
export function validate(observation: Observation): Validity {
  const { session, tenant, pool, poolOffence, profile, secrets, now } = observation;
  const { spec } = session;
  const namespace = session.metadata.namespace ?? '';
  const until = Date.parse(session.metadata.creationTimestamp) + MISSING_GRACE_MS;
  const missing = (reason: Failure['reason'], message: string): Validity =>
    now < until
      ? { state: 'missing', failure: { reason, message }, until }
      : { state: 'wrong', failure: { reason, message } };
  const wrong = (reason: Failure['reason'], message: string): Validity => ({
    state: 'wrong',
    failure: { reason, message },
  });

  if (!tenant) return missing('UnknownTenant', `no BrowserTenant has namespace ${namespace}`);
  if (!pool) {
    const name = spec.poolRef?.name ?? tenant.spec.defaultPool ?? 'default';
    return missing('UnknownPool', `there is no BrowserPool ${name} in namespace ${namespace}`);
  }
  if (poolOffence !== undefined) return wrong('PoolNotAllowed', `pool ${pool.metadata.name}: ${poolOffence}`);
  const screen = pool.spec.maxScreen ?? POOL_DEFAULTS.maxScreen;
  const { viewport } = spec;
  if (viewport && (viewport.width > screen.width || viewport.height > screen.height)) {
    const asked = `${viewport.width}x${viewport.height}`;
    return wrong(
      'ViewportTooLarge',
      `viewport ${asked} does not fit maxScreen ${screen.width}x${screen.height} of pool ${pool.metadata.name}`,
    );
  }
  const floor = pool.spec.network?.egress ?? POOL_DEFAULTS.egress;
  if (spec.network?.egress && isWider(spec.network.egress, floor)) {
    return wrong('InvalidSpec', `network.egress ${spec.network.egress} is wider than ${floor}, which the pool allows`);
  }
  if (spec.profileRef && !profile) {
    return missing('UnknownProfile', `there is no BrowserProfile ${spec.profileRef.name} in namespace ${namespace}`);
  }
  if (profile?.metadata.deletionTimestamp !== undefined) {
    return wrong('UnknownProfile', `BrowserProfile ${profile.metadata.name} is being deleted`);
  }
  if (secrets.state === 'problem') return missing('SecretNotOffered', `${secrets.message} (label ${LABEL.use})`);
  return { state: 'valid' };
}
