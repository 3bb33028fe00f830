/**
 * Conditions of a BrowserSession and every reason they can carry, with what each means.
 * `docs/reference/conditions.md` is generated from this file.
 */

export const SESSION_CONDITIONS = {
  Admitted: 'The tenant has room for this session and its turn has come.',
  PodAssigned: 'Exactly one pod belongs to this session, proved by UID.',
  ProfileLoaded:
    'The saved login state is in the browser. False with ProfileExpired: the session went on without it. Absent when no profile was asked for.',
  BrowserReady: 'The pod answered a CDP command, the display is up and the session is bound to it.',
  Sandboxed: "The browser's own sandbox is on, as found in the running pod, not as asked for.",
  Isolated: 'Connects from the browser container to internal addresses failed, as they must.',
  Ready: 'Computed: everything above holds, and the session can be used.',
  NodeDraining: 'Its node takes no new work. Absent: it never was so. The session is stopped at drainDeadline.',
} as const;
export type SessionConditionType = keyof typeof SESSION_CONDITIONS;

/** Reasons by what happened; used in conditions, in `status.reason` and in events. */
export const SESSION_REASONS = {
  // Waiting
  Waiting: 'It waits for a free place of its tenant; queuePosition tells which one.',
  TenantFull: 'The tenant runs as many sessions as it may.',
  PoolFull: 'The pool runs as many browsers as it may.',
  CreateRate: 'The tenant makes more sessions a minute by manifest than it may; the rest waits for the next minute.',
  QuotaExceeded: 'A ResourceQuota or LimitRange of the namespace refuses the pod; it is tried again.',
  QueueFull: 'The tenant has as many waiting sessions as it may.',
  QueueTimeout: 'It waited longer than maxQueueWait.',
  TenantPaused: 'The tenant is paused.',
  Admitted: 'Admitted.',
  // Wrong input
  UnknownTenant: 'No BrowserTenant names this namespace.',
  UnknownPool: 'The pool does not exist in this namespace.',
  UnknownProfile: 'The profile does not exist in this namespace.',
  ViewportTooLarge: 'The viewport does not fit the maxScreen of the pool.',
  SecretNotOffered: 'The Secret is missing or lacks the podwright.dev/use label it needs.',
  InvalidSpec: 'The spec contradicts itself or the pool; the message says what to change.',
  PoolNotAllowed: 'The pool asks for an image, a sandbox mode or a Chromium flag that the platform does not allow.',
  ProfileInUse:
    'Another session holds the profile for writing; the message names it. Ends the session, unless its tenant says whenProfileBusy: Wait.',
  // Starting
  ClaimedWarm: 'A warm pod was claimed.',
  CreatedCold: 'No warm pod was there; one was created.',
  PodPending: 'The pod is being scheduled or its images are being pulled.',
  Binding: 'The pod is up and is being told which session it serves.',
  Bound: 'The pod serves this session.',
  ImagePullFailed: 'An image of the pod cannot be pulled.',
  Unschedulable: 'No node has room for the pod.',
  StartTimeout: 'It was not ready within the startTimeout of the pool.',
  BindRefused: 'The pod refused to serve this session.',
  SandboxOff: "The browser's sandbox is not what was asked for.",
  NotIsolated: 'The browser container reached an address it must not reach.',
  SandboxVerified: 'Renderers run in their own namespaces under seccomp.',
  IsolationVerified: 'Every canary connect failed.',
  ProfileLoaded: 'The saved login state was loaded.',
  ProfileLoadFailed: 'The saved login state could not be loaded.',
  ProfileExpired: 'The saved login state is older than the maxAge of its profile; the session started without it.',
  BrowserAnswered: 'The browser answered.',
  Ready: 'The session can be used.',
  NotReady: 'Something it depends on does not hold; see the other conditions.',
  // Ending
  Asked: 'Someone asked for the stop.',
  Idle: 'Nobody used it for its idle timeout.',
  Expired: 'Its maximum duration was over.',
  Replaced: 'It was kept alive and nobody used it, and a waiting session of the same tenant needed its place.',
  Budget: 'Its money limit was reached.',
  TenantRemoved: 'Its tenant was removed.',
  TaskFinished: 'Its task ended and keepAlive was not asked for.',
  Refused: 'It was refused because the tenant was full.',
  NodeDraining: 'Its node is being drained.',
  NodeUncordoned: 'Its node takes work again.',
  Deleted: 'The object was deleted.',
  // Failing
  OOMKilled: 'The browser used more memory than its limit.',
  BrowserCrashed: 'Chromium ended by itself.',
  PodFailed: 'The pod ended by itself; the message has its exit facts.',
  PodLost: 'The pod is gone and nobody of ours deleted it.',
  NodeLost: 'The node of the pod is gone or does not answer.',
  Evicted: 'The kubelet evicted the pod.',
} as const;
export type SessionReason = keyof typeof SESSION_REASONS;

export const POOL_CONDITIONS = {
  Ready: 'Warm pods are at their target and the template is usable.',
  Degraded: 'Pods of this pool fail to start; the message has the last cause.',
  Confined:
    'The pool may have what it asks for, and its nodes can give it; else the message says what is missing where.',
} as const;
export type PoolConditionType = keyof typeof POOL_CONDITIONS;

export const POOL_REASONS = {
  Warm: 'As many warm pods are ready as are wanted.',
  Warming: 'Warm pods are on their way.',
  UnknownTenant: 'No BrowserTenant has this namespace, so the pool keeps no pods.',
  TenantRemoved: 'The tenant was removed; what is left of it is being stopped, and the message counts it.',
  Fine: 'Pods of this pool start.',
  PodFailed: 'A warm pod ended or did not get ready; it was replaced.',
  QuotaExceeded: 'A ResourceQuota or LimitRange of the namespace refuses warm pods; they are tried again.',
  InvalidSpec: 'The API server refuses pods made from this spec.',
  NotAllowed:
    'It asks for an image, a sandbox mode or a Chromium flag that the platform does not allow; it makes no pods.',
  NodeLacks: 'A node lacks what the sandbox mode needs: the seccomp profile, or user namespaces.',
  AsAsked: 'Nodes give what the sandbox mode asks for.',
} as const;
export type PoolReason = keyof typeof POOL_REASONS;

export const TENANT_CONDITIONS = {
  Ready: 'The namespace exists and carries the policies that isolate it.',
} as const;

export const TENANT_REASONS = {
  Isolated: 'The namespace carries every policy.',
  IsolatedWithGaps: 'It does, and something that a pool wants to be opened could not be opened.',
  NamespaceMissing: 'There is no such namespace.',
  NamespaceTerminating: 'The namespace is being deleted.',
  NamespaceTaken: 'An older tenant has the namespace.',
  Removing: 'The tenant is being deleted; its sessions are stopped.',
} as const;
export type TenantReason = keyof typeof TENANT_REASONS;
