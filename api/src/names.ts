/**
 * Every name that two parts, a dashboard, an alert or a user's script relies on.
 * A name is written here once; nobody spells one out a second time.
 */

export const API_GROUP = 'podwright.dev';
export const API_VERSION = 'v1alpha1';
export const GROUP_VERSION = `${API_GROUP}/${API_VERSION}`;

/** Labels on sessions, pods, policies and Secrets. Values are Kubernetes label values (63 characters at most). */
export const LABEL = {
  /** Name of the BrowserSession a pod serves. */
  session: `${API_GROUP}/session`,
  /** UID of that BrowserSession. Ownership is proved by it, never by a name. */
  sessionUid: `${API_GROUP}/session-uid`,
  /** Name of the BrowserPool. */
  pool: `${API_GROUP}/pool`,
  /** Name of the BrowserTenant. */
  tenant: `${API_GROUP}/tenant`,
  /** `"true"` on a pod that serves, or has served, a session; `"false"` on a warm pod. */
  claimed: `${API_GROUP}/claimed`,
  /** Hash of the pool's pod template that the pod was made from. */
  templateHash: `${API_GROUP}/template-hash`,
  /** Egress class of a pod, matched by the NetworkPolicies of its namespace: `none`, `public` or `allowlist`. */
  egress: `${API_GROUP}/egress`,
  /** Conversation (agent session of the API) that a BrowserSession belongs to: a UUID. */
  conversation: `${API_GROUP}/conversation`,
  /** Id of the API key that made the object. */
  grant: `${API_GROUP}/grant`,
  /** What a Secret may be used for by a session: `proxy`, `model` or `fill`. */
  use: `${API_GROUP}/use`,
  /** `"true"` on the Secret of an API key (in the release namespace). */
  apiKey: `${API_GROUP}/api-key`,
  /** `profile` on a ConfigMap of the release namespace that says which profile's bytes are still to be deleted. */
  tombstone: `${API_GROUP}/tombstone`,
} as const;

export const ANNOTATION = {
  /** Why the API made this session: `browser` or `conversation`; absent on manifests. */
  origin: `${API_GROUP}/origin`,
  /** Browser metadata of the API, JSON object of strings. */
  metadata: `${API_GROUP}/metadata`,
  /** `Queue` or `Reject`: what this create wants when the tenant is full. Overrides the tenant's `whenFull`. */
  whenFull: `${API_GROUP}/when-full`,
  /** Hash of the request that made this object: the same Idempotency-Key with another request is a conflict. */
  requestHash: `${API_GROUP}/request-hash`,
} as const;

export const FINALIZER = `${API_GROUP}/cleanup`;

/** Server-side apply field managers: one per writer of a block of status. */
export const FIELD_MANAGER = {
  operator: 'podwright-operator',
  /** Writes `spec.stop`, `status.run` and `status.cost`. */
  gateway: 'podwright-gateway',
  /** The gateway's other block: `status.lastActiveAt` and `status.idleDeadline`. */
  gatewayActivity: 'podwright-gateway-activity',
  keeper: 'podwright-keeper',
} as const;

/** Containers of a browser pod. */
export const CONTAINER = { supervisor: 'supervisor', browser: 'browser' } as const;

/** UIDs in a browser pod. They differ: a process of the same UID could ptrace the supervisor. */
export const UID = { supervisor: 10002, browser: 10001, sharedGroup: 10001 } as const;

/** TCP ports. */
export const PORT = {
  /** The pod's only door, served by the supervisor. */
  podDoor: 9000,
  /** Chromium's debugging port, on the pod's loopback only. */
  chromiumDebugging: 9222,
  /** Egress proxy of the supervisor, on the pod's loopback only. */
  egressProxy: 3128,
  /** Public port of the gateway. */
  gateway: 8080,
  /** The gateway's door for other parts of the installation. */
  gatewayInternal: 8081,
  /** The keeper's door for other parts of the installation. */
  keeper: 8082,
  /** The keeper's door for commands that are run in its own pod, on loopback only. */
  keeperAdmin: 8083,
  /** `/metrics`, `/healthz` and `/readyz` of the operator, agents and keeper. */
  metrics: 9090,
  redis: 6379,
} as const;

/** Directory shared by both containers of a browser pod (sockets and small files), a memory volume. */
export const POD_DIR = {
  run: '/run/podwright',
  /** The launcher's socket in the browser container: facts, start, stop (see pod-launcher.ts). */
  launcherSocket: '/run/podwright/launcher.sock',
  /** RFB of the VNC server. */
  vncSocket: '/run/podwright/vnc.sock',
  /** Files of the session: `downloads/` and `uploads/`, on an emptyDir both containers mount. */
  files: '/session',
  downloads: '/session/downloads',
  uploads: '/session/uploads',
} as const;

/** Environment of the supervisor, set by the operator in the pod's spec. No secret among it. */
export const SUPERVISOR_ENV = {
  /** JSON of `PublicKeySet` (tokens.ts). */
  tokenKeys: 'PODWRIGHT_TOKEN_KEYS',
  /** Name of the installation; part of the token audience. */
  installation: 'PODWRIGHT_INSTALLATION',
  /** Downward API: `metadata.uid`. */
  podUid: 'POD_UID',
  /** JSON of `PodEgressFloor` (pod-door.ts): what the pool allows inside, fixed for the pod's life. */
  egressFloor: 'PODWRIGHT_EGRESS_FLOOR',
  /** JSON of `PoolDefaults` (pod-door.ts). */
  poolDefaults: 'PODWRIGHT_POOL_DEFAULTS',
} as const;

/** Environment of the browser container. */
export const BROWSER_ENV = {
  /** Largest screen Xvfb is started with, `WIDTHxHEIGHT`. */
  maxScreen: 'PODWRIGHT_MAX_SCREEN',
  /** Sandbox mode that was asked for; only to be compared with what is found. */
  sandboxMode: 'PODWRIGHT_SANDBOX_MODE',
  /** JSON array of extra Chromium flags, already checked against the allow-list. */
  extraFlags: 'PODWRIGHT_CHROMIUM_FLAGS',
} as const;

/** Audience of the projected ServiceAccount tokens with which parts of the installation authenticate to each other. */
export const INTERNAL_AUDIENCE = 'podwright-internal';

/** ServiceAccounts of the parts, in the release namespace. `prefix` is the Helm fullname (`podwright`). */
export const serviceAccountName = (prefix: string, part: 'operator' | 'gateway' | 'agent' | 'keeper'): string =>
  `${prefix}-${part}`;

/** Path where each part finds its ServiceAccount token of audience `INTERNAL_AUDIENCE`. */
export const INTERNAL_TOKEN_PATH = '/var/run/secrets/podwright/token';

/** BullMQ queue of runs, and its Redis prefix (hash-tagged, one slot, as BullMQ demands on Redis Cluster). */
export const RUN_QUEUE = { name: 'runs', prefix: '{podwright:queue}' } as const;

/**
 * Redis keys. Everything of one conversation shares a hash tag, so that status, output and messages change in one script.
 * `c` is a conversation id, `r` a run id, `t` a tenant name, `k` a key (grant) id: all free of braces.
 */
export const REDIS = {
  conversation: (c: string) => `podwright:{c:${c}}:conversation`,
  run: (c: string, r: string) => `podwright:{c:${c}}:run:${r}`,
  /** List of messages (JSON); the index plus one is the sequence number. */
  messages: (c: string) => `podwright:{c:${c}}:messages`,
  /** Stream of the step journal: intent before, outcome after each action. */
  journal: (c: string, r: string) => `podwright:{c:${c}}:journal:${r}`,
  /** Run id to conversation id. */
  runIndex: (r: string) => `podwright:run-index:${r}`,
  /** Session UID to conversation id, for runs that came from manifests. */
  sessionIndex: (uid: string) => `podwright:session-index:${uid}`,
  /** Sorted set of conversation ids of a tenant by creation time (ms). */
  tenantConversations: (t: string) => `podwright:{t:${t}}:conversations`,
  /** Sorted set of runs of a tenant that wait for their session or their turn, by creation time (ms). */
  tenantWaiting: (t: string) => `podwright:{t:${t}}:waiting`,
  /** Set of run ids of a tenant that are in the queue or being worked on. */
  tenantRunning: (t: string) => `podwright:{t:${t}}:running`,
  /** Hash of cost totals in micro-USD by component and day. */
  tenantCost: (t: string, day: string) => `podwright:{t:${t}}:cost:${day}`,
  /** Hash of cumulative cost checkpoints in micro-USD by `<session uid>:browser` or `<run id>:model`: every increment is booked once. */
  costCheckpoints: (t: string) => `podwright:{t:${t}}:cost-checkpoints`,
  /** Fixed window of creates per minute. */
  rate: (t: string, minute: number) => `podwright:{t:${t}}:rate:${minute}`,
  /** Link of a viewer or CDP endpoint: hash of the token to its record (JSON). */
  link: (hash: string) => `podwright:link:${hash}`,
  /** Links of one session, so that all die with it. */
  sessionLinks: (uid: string) => `podwright:session-links:${uid}`,
  /** Single-use viewer ticket. */
  ticket: (hash: string) => `podwright:ticket:${hash}`,
  /** Stored answer of an idempotent create. */
  idempotency: (t: string, hash: string) => `podwright:{t:${t}}:idem:${hash}`,
  /** Heartbeat of the attempt that works on a run. */
  heartbeat: (c: string, r: string) => `podwright:{c:${c}}:heartbeat:${r}`,
  /** Channel and flag by which the gateway tells the working agent to stop, pause or go on. */
  control: (c: string, r: string) => `podwright:{c:${c}}:control:${r}`,
} as const;

/** Secrets and ConfigMaps in the release namespace; `prefix` is the Helm fullname. */
export const OBJECT = {
  /** Private Ed25519 key of an issuer: keys `private.pem` (PKCS8) and `kid`. */
  tokenKeySecret: (prefix: string, issuer: 'operator' | 'gateway' | 'keeper') => `${prefix}-token-key-${issuer}`,
  /** Public keys of all issuers: key `keys.json`, JSON of `PublicKeySet`. */
  tokenKeysConfigMap: (prefix: string) => `${prefix}-token-keys`,
  /** A profile that was let go before its bytes were deleted: data `namespace`, `name` and `uid`. The keeper works it off. */
  profileTombstone: (prefix: string, uid: string) => `${prefix}-profile-tombstone-${uid}`,
  /**
   * Wrapping key of profiles: key `wrapping.key` (32 bytes, base64) and `kid`; keys that were current before are
   * `retired-<kid>.key`. Mounted by the keeper alone.
   */
  wrappingKeySecret: (prefix: string) => `${prefix}-wrapping-key`,
  /** Secret of one API key. */
  apiKeySecret: (keyId: string) => `podwright-key-${keyId}`,
} as const;
