import { BrowserPoolSpec, BrowserPoolStatus } from './pool.ts';
import { BrowserProfileSpec, BrowserProfileStatus } from './profile.ts';
import { BrowserSessionSpec, BrowserSessionStatus } from './session.ts';
import { BrowserTenantSpec, BrowserTenantStatus } from './tenant.ts';

/** The four kinds, with what the CRD generator and every client need to know of them. */
export const KINDS = {
  BrowserSession: {
    plural: 'browsersessions',
    singular: 'browsersession',
    shortNames: ['bs'],
    scope: 'Namespaced',
    spec: BrowserSessionSpec,
    status: BrowserSessionStatus,
  },
  BrowserPool: {
    plural: 'browserpools',
    singular: 'browserpool',
    shortNames: ['bpool'],
    scope: 'Namespaced',
    spec: BrowserPoolSpec,
    status: BrowserPoolStatus,
  },
  BrowserProfile: {
    plural: 'browserprofiles',
    singular: 'browserprofile',
    shortNames: ['bprof'],
    scope: 'Namespaced',
    spec: BrowserProfileSpec,
    status: BrowserProfileStatus,
  },
  BrowserTenant: {
    plural: 'browsertenants',
    singular: 'browsertenant',
    shortNames: ['btenant'],
    scope: 'Cluster',
    spec: BrowserTenantSpec,
    status: BrowserTenantStatus,
  },
} as const;
export type Kind = keyof typeof KINDS;
