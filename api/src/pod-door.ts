import { type Static, Type } from 'typebox';
import { Egress, HostPattern, Time } from './kinds/shared.ts';
import { InternalDestination, SandboxMode } from './kinds/pool.ts';
import { Viewport } from './kinds/session.ts';

/**
 * The door of a browser pod: HTTP on `PORT.podDoor`, served by the supervisor.
 * Every route but the probes needs `Authorization: Bearer <pod token>` of the scope named beside it.
 *
 *   GET  /healthz                     the supervisor lives
 *   GET  /readyz                      a CDP command answered, the display is up, the sandbox is the one asked for
 *   POST /bind            bind        BindRequest -> PodStatus; 409 when latched to another session
 *   GET  /status          status      -> PodStatus
 *   POST /quiesce         quiesce     -> QuiesceResponse
 *   POST /activity        activity    ActivityRequest -> 204
 *   GET  /cdp/json/version, /cdp/json/list, PUT /cdp/json/new?url   cdp   Chromium's discovery; advertised URLs are rewritten by the gateway
 *   WS   /cdp             cdp         browser endpoint; ?mode=exclusive reserves it
 *   WS   /cdp/devtools/browser/<any>, /cdp/devtools/page/<id>       cdp
 *   WS   /vnc             view|control  RFB in binary messages (noVNC)
 *   PUT  /viewport        control     ViewportRequest -> ViewportResponse
 *   GET  /files/downloads files       -> FileListing;  GET /files/downloads/<path> bytes;  PUT /files/uploads/<path> bytes
 *   PUT  /profile         profile     StorageState -> ProfileReport, before the first page; a second time changes nothing
 *   GET  /profile         profile     -> StorageSnapshot: the state now and what of it is missing
 *   POST /collected       collect     what the pod kept for collection was stored; it may end now
 *
 * WebSocket tokens travel in the Authorization header too: gateway and agents are servers. Close codes: see CLOSE.
 */

/** WebSocket close codes of pod and gateway (4000 to 4999 are for applications). */
export const CLOSE = {
  ended: { code: 4001, reason: 'session ended' },
  idle: { code: 4002, reason: 'session evicted: idle' },
  expired: { code: 4003, reason: 'connection or session reached its end' },
  replaced: { code: 4004, reason: 'replaced by a newer connection' },
  unauthorized: { code: 4005, reason: 'not authorised' },
  upstreamLost: { code: 4006, reason: 'browser connection lost' },
  refused: { code: 1008, reason: 'message refused by policy' },
  goingAway: { code: 1001, reason: 'server is going away, connect again' },
} as const;

/** What a pool opens inside the cluster, fixed in the pod's spec. */
export const PodEgressFloor = Type.Object({
  egress: Egress,
  allowedHosts: Type.Array(HostPattern),
  allowInternal: Type.Array(InternalDestination),
  /** CIDRs of the cluster (pods, services, nodes) that are internal although they may be public addresses. */
  clusterCidrs: Type.Array(Type.String()),
});
export type PodEgressFloor = Static<typeof PodEgressFloor>;

export const PoolDefaults = Type.Object({
  pool: Type.String(),
  maxScreen: Viewport,
  sandboxMode: SandboxMode,
  /** `host:port` pairs that the isolation canary must fail to reach (API server, node, metadata, a private address). */
  canaries: Type.Array(Type.String()),
});
export type PoolDefaults = Static<typeof PoolDefaults>;

export const BindRequest = Type.Object({
  sessionUid: Type.String({ format: 'uuid' }),
  sessionName: Type.String(),
  viewport: Type.Optional(Viewport),
  startUrl: Type.Optional(Type.String()),
  locale: Type.Optional(Type.String()),
  timezone: Type.Optional(Type.String()),
  /** Narrows the floor of the pool; wider wishes are refused with 422. */
  egress: Type.Object({ egress: Egress, allowedHosts: Type.Array(HostPattern) }),
  /** Upstream proxy URL with credentials (http, https or socks5). In memory only. */
  upstreamProxy: Type.Optional(Type.String()),
  recording: Type.Optional(Type.Boolean()),
  interactive: Type.Optional(Type.Boolean()),
  /** Saved state follows by `PUT /profile`: `startUrl` is opened after it, not before. */
  expectProfile: Type.Optional(Type.Boolean()),
});
export type BindRequest = Static<typeof BindRequest>;

/** Facts found in the running browser container, read from /proc and from Chromium. */
export const SandboxFacts = Type.Object({
  /** What was found: `UserNamespace` (pod in a user namespace, seccomp, Chromium's own sandbox), `Seccomp`, or `None`. */
  found: Type.Union([
    Type.Literal('UserNamespace'),
    Type.Literal('Seccomp'),
    Type.Literal('RuntimeClass'),
    Type.Literal('None'),
  ]),
  /** Levels in NSpid of a renderer; above the container's own means Chromium's PID namespace is on. */
  rendererPidLevels: Type.Integer(),
  /** `Seccomp_filters` of a renderer. */
  rendererSeccompFilters: Type.Integer(),
  /** Seccomp mode of the container's first process (2 = filter). */
  containerSeccomp: Type.Integer(),
  userNamespace: Type.Boolean(),
  noNewPrivileges: Type.Boolean(),
  capabilities: Type.String(),
  /** What Chromium says of itself, `adequate` or not, when it could be asked. */
  chromiumAdequate: Type.Union([Type.Boolean(), Type.Null()]),
});
export type SandboxFacts = Static<typeof SandboxFacts>;

export const PodStatus = Type.Object({
  podUid: Type.String(),
  boundTo: Type.Union([Type.String(), Type.Null()]),
  ready: Type.Boolean(),
  notReadyBecause: Type.Optional(Type.String()),
  browserVersion: Type.Optional(Type.String()),
  sandbox: Type.Union([SandboxFacts, Type.Null()]),
  isolation: Type.Object({ checked: Type.Boolean(), reached: Type.Array(Type.String()) }),
  viewport: Type.Union([Viewport, Type.Null()]),
  activity: Type.Object({
    lastActiveAt: Time('Last activity of any kind.'),
    cdpClients: Type.Integer(),
    viewers: Type.Integer(),
    exclusiveHolder: Type.Union([Type.String(), Type.Null()]),
  }),
  /** Bytes through the egress proxy since binding. */
  egressBytes: Type.Integer(),
  profileLoaded: Type.Boolean(),
  /** Counts since the pod started: refused tokens and CDP messages by reason, refused destinations, connections. */
  counters: Type.Optional(Type.Record(Type.String(), Type.Integer())),
});
export type PodStatus = Static<typeof PodStatus>;

export const QuiesceRequest = Type.Object({
  /** Idle means: no activity for at least this many milliseconds. */
  idleForMs: Type.Integer({ minimum: 0 }),
});
export type QuiesceRequest = Static<typeof QuiesceRequest>;

/** `quiet`: nothing was active and new work is refused until `until`. Else the pod is busy and nothing changed. */
export const QuiesceResponse = Type.Object({
  quiet: Type.Boolean(),
  lastActiveAt: Time('Last activity.'),
  until: Type.Optional(Time('New work is refused until then.')),
});
export type QuiesceResponse = Static<typeof QuiesceResponse>;

export const ActivityRequest = Type.Object({ kind: Type.Union([Type.Literal('presence'), Type.Literal('step')]) });
export type ActivityRequest = Static<typeof ActivityRequest>;

export const ViewportRequest = Type.Object({
  viewport: Type.Union([Viewport, Type.Null()], { description: 'null: the browser default.' }),
  viewer: Type.String({ maxLength: 64 }),
  /** Take the size lease from another viewer. */
  takeover: Type.Optional(Type.Boolean()),
});
export type ViewportRequest = Static<typeof ViewportRequest>;

export const ViewportResponse = Type.Object({
  viewport: Viewport,
  /** Viewer that holds the size lease, and until when. */
  holder: Type.Union([Type.String(), Type.Null()]),
  leaseUntil: Type.Union([Type.String(), Type.Null()]),
});
export type ViewportResponse = Static<typeof ViewportResponse>;

export const FileListing = Type.Object({
  files: Type.Array(Type.Object({ path: Type.String(), size: Type.Integer(), lastModified: Time('mtime') })),
});
export type FileListing = Static<typeof FileListing>;
