/**
 * Every metric that a part exports, besides those of the Node process (prom-client's defaults). Dashboards, alerts and
 * users' scripts rely on the names. Labels are bounded by what the platform configures (tenants, pools, models) or by
 * lists in the code; none holds an id, an address or a text of a user.
 */
export interface MetricDeclaration {
  type: 'counter' | 'gauge' | 'histogram';
  /** What it says, for people; also the HELP line. */
  help: string;
  /** Label names, and what each may be. */
  labels: Readonly<Record<string, string>>;
  /** Upper bounds of a histogram, in the unit of the name. */
  buckets?: readonly number[];
}

const TENANT = { tenant: 'name of the BrowserTenant' };
const POOL = { namespace: 'namespace of the pool', pool: 'name of the BrowserPool' };
const QUEUE = { queue: '`sessions`, `pools`, `profiles`, `tenants` or `removals`' };
const START = '`warm` or `cold`';

export const OPERATOR_METRICS = {
  podwright_build_info: {
    type: 'gauge',
    help: 'Version of this part; always 1.',
    labels: { part: 'name of the part', version: 'its version' },
  },
  podwright_leader: { type: 'gauge', help: '1 while this replica leads.', labels: {} },
  podwright_watch_healthy: {
    type: 'gauge',
    help: '1 while the watch of a kind is up, or was within the last half minute.',
    labels: { kind: 'kind that is watched' },
  },
  podwright_watch_restarts_total: {
    type: 'counter',
    help: 'Watches that began again after trouble.',
    labels: { kind: 'kind that is watched' },
  },
  podwright_watch_lists_total: {
    type: 'counter',
    help: 'Full lists: one at the start, and one each time a position was lost.',
    labels: { kind: 'kind that is watched' },
  },
  podwright_sessions: {
    type: 'gauge',
    help: 'Sessions by tenant, pool and phase, told by the leader.',
    labels: { ...TENANT, pool: POOL.pool, phase: 'phase of the BrowserSession' },
  },
  podwright_pool_warm_pods: {
    type: 'gauge',
    help: 'Warm pods by pool, told by the leader.',
    labels: { ...POOL, state: '`ready`, `starting` or `target`' },
  },
  podwright_warm_pods_removed_total: {
    type: 'counter',
    help: 'Warm pods removed before anybody claimed them.',
    labels: { ...POOL, reason: 'why, from a list in the code' },
  },
  podwright_claims_total: {
    type: 'counter',
    help: 'Pods given to sessions: claimed warm, or created cold.',
    labels: { ...POOL, start: START },
  },
  podwright_session_ready_seconds: {
    type: 'histogram',
    help: 'From the first sight of an admitted session to Ready.',
    labels: { pool: POOL.pool, start: START },
    buckets: [0.02, 0.04, 0.06, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120],
  },
  podwright_admission_wait_seconds: {
    type: 'histogram',
    help: 'From creation to admission.',
    labels: TENANT,
    buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600],
  },
  podwright_evictions_total: {
    type: 'counter',
    help: 'Sessions that were ended by a rule or a fault and not by their owner.',
    labels: { reason: 'reason of the BrowserSession' },
  },
  podwright_leaked_pods: {
    type: 'gauge',
    help: 'Pods of no session that the last sweep found and deletes. More than 0 for long: they cannot be deleted.',
    labels: {},
  },
  podwright_leaked_pods_total: {
    type: 'counter',
    help: 'Pods of no session found since the start. Anything but 0 is a bug.',
    labels: {},
  },
  podwright_clock_held_sessions: {
    type: 'gauge',
    help: 'Sessions whose time is over by a clock that is not trusted; they go on until it is.',
    labels: {},
  },
  podwright_reconcile_seconds: {
    type: 'histogram',
    help: 'Duration of one pass over one object.',
    labels: { ...QUEUE, outcome: '`done` or `failed`' },
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10],
  },
  podwright_queue_depth: { type: 'gauge', help: 'Objects that wait for a pass.', labels: QUEUE },
  podwright_queue_oldest_seconds: {
    type: 'gauge',
    help: 'How long the object that waits longest has waited.',
    labels: QUEUE,
  },
  podwright_queue_wait_seconds: {
    type: 'histogram',
    help: 'How long an object waited for its pass.',
    labels: QUEUE,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
  },
  podwright_queue_retries_total: {
    type: 'counter',
    help: 'Passes that failed and are tried again after a pause.',
    labels: QUEUE,
  },
  podwright_api_writes_total: {
    type: 'counter',
    help: 'Requests to the API server that change something, by what became of them.',
    labels: {
      verb: '`create`, `update`, `apply`, `patch` or `delete`',
      resource: 'plural of the kind, with its subresource',
      code: 'HTTP status; 0 when no answer came',
    },
  },
} as const satisfies Record<`podwright_${string}`, MetricDeclaration>;

export const GATEWAY_METRICS = {
  podwright_watch_healthy: OPERATOR_METRICS.podwright_watch_healthy,
  podwright_gateway_request_seconds: {
    type: 'histogram',
    help: 'Time to answer a request.',
    labels: { method: 'HTTP method', route: 'pattern of the route', status: 'HTTP status' },
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
  },
  podwright_tunnels: {
    type: 'gauge',
    help: 'Tunnels that stand on this replica.',
    labels: { kind: '`cdp`, `view` or `control`' },
  },
  podwright_tunnel_bytes_total: {
    type: 'counter',
    help: 'Bytes through tunnels; out is towards the client.',
    labels: { kind: '`cdp`, `view` or `control`', direction: '`in` or `out`' },
  },
  podwright_gateway_bad_keys_total: {
    type: 'counter',
    help: 'Requests with a key that opens nothing.',
    labels: {},
  },
  podwright_cost_usd_total: {
    type: 'counter',
    help: 'Cost since the ledger began, told by one replica.',
    labels: { ...TENANT, component: '`browser`, `model`, `egress` or `storage`' },
  },
} as const satisfies Record<`podwright_${string}`, MetricDeclaration>;

export const AGENT_METRICS = {
  podwright_runs_total: {
    type: 'counter',
    help: 'Runs that ended, by tenant, outcome and kind of failure.',
    labels: {
      ...TENANT,
      outcome: 'state in which the run ended',
      failure_kind: 'from a list in the code; empty for none',
    },
  },
  podwright_step_seconds: {
    type: 'histogram',
    help: 'Parts of a step: looking at the page, asking the model, acting.',
    labels: { part: '`observe`, `model` or `act`' },
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180],
  },
  podwright_model_tokens_total: {
    type: 'counter',
    help: 'Tokens by model and kind: input (the cached ones left out), cached_input, output.',
    labels: { model: 'name of the model', kind: '`input`, `cached_input` or `output`' },
  },
  podwright_agent_active_runs: { type: 'gauge', help: 'Runs this agent works on.', labels: {} },
  podwright_agent_takeovers_total: {
    type: 'counter',
    help: 'Runs that were continued after another attempt.',
    labels: {},
  },
} as const satisfies Record<`podwright_${string}`, MetricDeclaration>;

export const KEEPER_METRICS = {
  podwright_keeper_request_seconds: {
    type: 'histogram',
    help: 'Requests to the keeper by route and status.',
    labels: { route: 'pattern of the route', status: 'HTTP status' },
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  },
  podwright_blob_seconds: {
    type: 'histogram',
    help: 'Operations on the blob store.',
    labels: { operation: 'from a list in the code' },
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60],
  },
  podwright_blob_errors_total: {
    type: 'counter',
    help: 'Operations on the blob store that failed because of the store.',
    labels: { operation: 'from a list in the code' },
  },
  podwright_blob_bytes_total: {
    type: 'counter',
    help: 'Bytes written to and read from the blob store.',
    labels: { direction: '`written` or `read`' },
  },
  podwright_profile_pulls_total: {
    type: 'counter',
    help: 'Login states pulled from pods, at the stop and in between: saved, unchanged or failed.',
    labels: { outcome: '`saved`, `unchanged` or `failed`' },
  },
  podwright_profile_data_keys: {
    type: 'gauge',
    help: 'Profiles met by the last round of rewrapping: current (wrapped by the current key), or failed.',
    labels: { state: '`current` or `failed`' },
  },
  podwright_collections_total: {
    type: 'counter',
    help: 'Stopped sessions whose downloads and login state were pulled: complete, or partial when something was lost.',
    labels: { outcome: '`complete` or `partial`' },
  },
} as const satisfies Record<`podwright_${string}`, MetricDeclaration>;

/** By part, in the order of the reference page. */
export const METRICS = {
  operator: OPERATOR_METRICS,
  gateway: GATEWAY_METRICS,
  agent: AGENT_METRICS,
  keeper: KEEPER_METRICS,
} as const satisfies Record<string, Record<string, MetricDeclaration>>;
