import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import type { Condition } from '@podwright/api/kinds/shared';
import { GROUP_VERSION, LABEL } from '@podwright/api/names';
import type { PodStatus } from '@podwright/api/pod-door';
import type { Pod } from '@podwright/kube/objects';

/** Objects for tables: what a row does not say is an ordinary, healthy thing. All times are seconds after EPOCH. */
export const EPOCH = Date.parse('2026-01-01T00:00:00.000Z');
export const at = (seconds: number): number => EPOCH + seconds * 1000;
export const time = (seconds: number): string => new Date(at(seconds)).toISOString();

const metadata = (name: string, namespace?: string) => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: time(0),
  ...(namespace !== undefined && { namespace }),
});

type Meta = Partial<BrowserSession['metadata']>;

export const session = (
  over: { metadata?: Meta; spec?: BrowserSession['spec']; status?: BrowserSession['status'] } = {},
): BrowserSession => ({
  apiVersion: GROUP_VERSION,
  kind: 'BrowserSession',
  metadata: { ...metadata('s', 'ns'), ...over.metadata },
  spec: over.spec ?? {},
  ...(over.status && { status: over.status }),
});

export const tenant = (spec: Partial<BrowserTenant['spec']> = {}, name = 't'): BrowserTenant => ({
  apiVersion: GROUP_VERSION,
  kind: 'BrowserTenant',
  metadata: metadata(name),
  spec: { namespace: 'ns', ...spec },
});

export const pool = (spec: Partial<BrowserPool['spec']> = {}, over: Partial<BrowserPool> = {}): BrowserPool => ({
  apiVersion: GROUP_VERSION,
  kind: 'BrowserPool',
  metadata: metadata('default', 'ns'),
  spec: { image: 'browser:1', ...spec },
  ...over,
});

export const profile = (status: BrowserProfile['status'] = {}): BrowserProfile => ({
  apiVersion: GROUP_VERSION,
  kind: 'BrowserProfile',
  metadata: metadata('login', 'ns'),
  spec: {},
  ...(status && { status }),
});

export interface PodFacts {
  name?: string;
  labels?: Record<string, string>;
  createdAt?: number;
  deleting?: boolean;
  /** Seconds of grace that its deletion was given. */
  grace?: number;
  node?: string | undefined;
  phase?: NonNullable<Pod['status']>['phase'];
  ready?: boolean;
  status?: Partial<NonNullable<Pod['status']>>;
  browser?: NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state'];
  supervisor?: NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state'];
}

/** A running pod of session `s`, ready unless said otherwise. */
export function pod(facts: PodFacts = {}): Pod {
  const { name = 'bs-uid-s', ready = true, node = 'node-1', phase = 'Running' } = facts;
  const running = { running: { startedAt: time(1) } };
  return {
    metadata: {
      ...metadata(name, 'ns'),
      creationTimestamp: time(facts.createdAt ?? 0),
      labels: { [LABEL.pool]: 'default', [LABEL.sessionUid]: 'uid-s', [LABEL.claimed]: 'true', ...facts.labels },
      ...(facts.deleting && { deletionTimestamp: time(5), deletionGracePeriodSeconds: facts.grace ?? 1 }),
    },
    spec: { containers: [], nodeName: node },
    status: {
      phase,
      podIP: '10.0.0.9',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: time(1) }],
      containerStatuses: [
        { name: 'supervisor', ready, restartCount: 0, state: facts.supervisor ?? running },
        { name: 'browser', ready, restartCount: 0, state: facts.browser ?? running },
      ],
      ...facts.status,
    },
  };
}

export const condition = (type: string, status: Condition['status'], reason: string, seconds = 0): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: time(seconds),
});

/** What a healthy pod answers to a bind. */
export const answer = (over: Partial<PodStatus> = {}): PodStatus => ({
  podUid: 'uid-bs-uid-s',
  boundTo: 'uid-s',
  ready: true,
  browserVersion: 'Chrome/156',
  sandbox: {
    found: 'Seccomp',
    rendererPidLevels: 3,
    rendererSeccompFilters: 2,
    containerSeccomp: 2,
    userNamespace: false,
    noNewPrivileges: true,
    capabilities: '0000000000000000',
    chromiumAdequate: true,
  },
  isolation: { checked: true, reached: [] },
  viewport: null,
  activity: { lastActiveAt: time(1), cdpClients: 0, viewers: 0, exclusiveHolder: null },
  egressBytes: 0,
  profileLoaded: false,
  ...over,
});
