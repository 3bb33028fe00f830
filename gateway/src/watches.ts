import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { LABEL } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { type Reflector, type ReflectorHealth, startReflector } from '@podwright/kube/reflector';
import type { Secret } from '@podwright/kube/objects';
import { RESOURCE } from '@podwright/kube/resource';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { Logger } from 'pino';
import { PROFILE_INDEXES } from './profiles/profile-cache.ts';
import { SESSION_INDEXES, type SessionReflector } from './sessions/session-cache.ts';

/** Everything of the cluster that the gateway watches. */
export interface Watches {
  sessions: SessionReflector;
  profiles: Reflector<BrowserProfile, keyof typeof PROFILE_INDEXES>;
  findPool: (namespace: string, name: string) => BrowserPool | undefined;
  findTenant: (name: string) => BrowserTenant | undefined;
  tenantOf: (namespace: string) => BrowserTenant | undefined;
  tenants: () => BrowserTenant[];
  keySecrets: { get(key: string): Secret | undefined };
  health: () => ReflectorHealth[];
  synced(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export function startWatches(options: { client: Client; namespace: string; log: Logger; now: () => number }): Watches {
  const { client, namespace, log, now } = options;
  const common = { client, log, now };
  const sessions = startReflector({ ...common, resource: RESOURCE.browserSessions, indexes: SESSION_INDEXES });
  const profiles = startReflector({ ...common, resource: RESOURCE.browserProfiles, indexes: PROFILE_INDEXES });
  const pools = startReflector({ ...common, resource: RESOURCE.browserPools });
  const tenants = startReflector({
    ...common,
    resource: RESOURCE.browserTenants,
    indexes: { namespace: (tenant: BrowserTenant) => [tenant.spec.namespace] },
  });
  const secrets = startReflector({
    ...common,
    resource: RESOURCE.secrets,
    namespace,
    labelSelector: `${LABEL.apiKey}=true`,
  });
  const all = [sessions, profiles, pools, tenants, secrets] as const;
  return {
    sessions,
    profiles,
    findPool: (inNamespace, name) => pools.store.get(`${inNamespace}/${name}`),
    findTenant: (name) => tenants.store.get(name),
    // Of several that name one namespace the oldest has it, as the operator decides too.
    tenantOf: (inNamespace) =>
      tenants.store
        .by('namespace', inNamespace)
        .toSorted((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp))[0],
    tenants: () => tenants.store.list(),
    keySecrets: secrets.store,
    health: () => all.map((reflector) => reflector.health()),
    async synced(signal) {
      await Promise.all(all.map((reflector) => reflector.synced(signal)));
    },
    async stop() {
      await Promise.all(all.map((reflector) => reflector.stop()));
    },
  };
}
