import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { BrowserSession, BrowserSessionStatus } from '@podwright/api/kinds/session';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import type { ProfileLoadResponse } from '@podwright/api/internal-doors';
import type { PodStatus } from '@podwright/api/pod-door';
import type { Node, Pod } from '@podwright/kube/objects';
import type { Failure } from '../pods/pod-failure.ts';
import type { HolderState } from '../profiles/holder.ts';
import type { Verdict } from './admission.ts';

/** The operator's part of status. The rest is the gateway's and is never written here. */
export type OperatorStatus = Omit<BrowserSessionStatus, 'run' | 'cost' | 'lastActiveAt' | 'idleDeadline'>;

/** What this process has done for a session and has not written into status yet. Lost with the process; every step may be repeated. */
export interface Memory {
  /** When a pod was claimed or created: paid time counts from there. */
  assignedAt?: number;
  /** UID of the pod whose /readyz answered, ahead of the kubelet's probe. */
  doorReady?: string;
  bound?: { podUid: string; answer: PodStatus; at: number };
  /** The pod refused, or did not answer again and again. */
  bindFailure?: Failure;
  bindAttempts?: number;
  profileLoaded?: { podUid: string; answer: ProfileLoadResponse };
  profileFailure?: Failure;
  /** The API server refused the pod: tried again later. */
  createRefused?: Failure & { at: number };
  /** `profileSaved`: the login state was written back. */
  collect?: { state: 'running' } | { state: 'done'; words: string; profileSaved: boolean };
}

/** Secrets that the spec names, as far as they were read. */
export type SecretsCheck = { state: 'unchecked' } | { state: 'fine' } | { state: 'problem'; message: string };

/** Everything a decision about one session rests on. */
export interface Observation {
  /** Milliseconds since the epoch. */
  now: number;
  session: BrowserSession;
  tenant: BrowserTenant | undefined;
  pool: BrowserPool | undefined;
  /** What the pool asks for and may not have; undefined once there is a pod. */
  poolOffence: string | undefined;
  profile: BrowserProfile | undefined;
  /** Of the profile's writer, be it this session or another. */
  profileHolder: HolderState;
  /** Pods that carry the session's UID. */
  pods: Pod[];
  /** Node of the session's pod; undefined: no pod, not scheduled, or the Node is gone (then `nodeGone`). */
  node: Node | undefined;
  nodeGone: boolean;
  /** Warm pods of its pool that could be claimed now. */
  warmPods: number;
  /** The verdict on a session that was not admitted yet. */
  verdict: Verdict | undefined;
  secrets: SecretsCheck;
  /** Nothing more can be made in the namespace, and everything in it is deleted. */
  namespaceTerminating: boolean;
  /** The clock is not trusted at the moment: nothing ends because of it. */
  clockHeld: boolean;
  /** No pod is to be created in the namespace before `until`: a quota is used up. */
  createsPaused: { until: number; failure: Failure } | undefined;
  memory: Memory;
}
