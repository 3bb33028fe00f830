import { type Static, Type } from 'typebox';
import type { Resource } from './metadata.ts';
import { Conditions, Duration, Egress, HostPattern, ObservedGeneration, OneOf, Time, Usd } from './shared.ts';

/** Bounds of a viewport in CSS pixels, the same in CRD, API and viewer. */
export const VIEWPORT = { minWidth: 320, maxWidth: 6144, minHeight: 320, maxHeight: 3456 } as const;

export const Viewport = Type.Object(
  {
    width: Type.Integer({ minimum: VIEWPORT.minWidth, maximum: VIEWPORT.maxWidth, description: 'CSS pixels.' }),
    height: Type.Integer({ minimum: VIEWPORT.minHeight, maximum: VIEWPORT.maxHeight, description: 'CSS pixels.' }),
  },
  { description: 'Size of the page. Must fit the maxScreen of the pool.' },
);
export type Viewport = Static<typeof Viewport>;

export const STOP_REASONS = [
  'Asked',
  'Idle',
  'Replaced',
  'Budget',
  'TenantRemoved',
  'TaskFinished',
  'Refused',
  'NodeDraining',
] as const;
export const StopReason = OneOf(STOP_REASONS, { description: 'Why the session is to stop.' });
export type StopReason = Static<typeof StopReason>;

export const Task = Type.Object(
  {
    instructions: Type.String({ minLength: 1, maxLength: 50_000, description: 'What to do, in words.' }),
    model: Type.Optional(
      Type.String({ maxLength: 128, description: "A model of the tenant. Default: the tenant's first." }),
    ),
    outputSchema: Type.Optional(
      Type.Object({}, { 'x-kubernetes-preserve-unknown-fields': true, description: 'JSON Schema of the answer.' }),
    ),
    maxSteps: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'Steps at most.' })),
    maxCostUsd: Type.Optional(Usd('What the run may cost at most.')),
    allowedOrigins: Type.Optional(
      Type.Array(Type.String({ maxLength: 300 }), {
        maxItems: 64,
        description: 'Origins the run may use. Absent: any.',
      }),
    ),
    secretRef: Type.Optional(
      Type.Object(
        { name: Type.String({ maxLength: 253, description: 'Its name.' }) },
        {
          description:
            'Secret of this namespace with label podwright.dev/use=fill. Checked, and not yet filled in by agents.',
        },
      ),
    ),
  },
  { description: 'A task that an agent works on in this browser as soon as it is ready.' },
);
export type Task = Static<typeof Task>;

export const BrowserSessionSpec = Type.Object({
  poolRef: Type.Optional(
    Type.Object(
      { name: Type.String({ minLength: 1, maxLength: 253, description: 'Its name.' }) },
      { description: "Pool of the same namespace. Default: the tenant's default pool." },
    ),
  ),
  stop: Type.Optional(
    Type.Object(
      {
        reason: StopReason,
        by: Type.Optional(Type.String({ maxLength: 253, description: 'Who asked.' })),
        at: Type.Optional(Time('When it was asked.')),
      },
      { description: 'Set it to stop the session. One way: it cannot be taken back.' },
    ),
  ),
  profileRef: Type.Optional(
    Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 253, description: 'BrowserProfile of this namespace.' }),
        mode: Type.Optional(
          Type.Union([Type.Literal('ReadWrite'), Type.Literal('ReadOnly')], {
            default: 'ReadWrite',
            description: 'ReadWrite is held by one session at a time and saved at its stop.',
          }),
        ),
      },
      { description: 'Saved login state to start with.' },
    ),
  ),
  viewport: Type.Optional(Viewport),
  startUrl: Type.Optional(
    Type.String({
      maxLength: 8192,
      pattern: '^(about:blank|https?://.+)$',
      description: 'First page: http, https or about:blank.',
    }),
  ),
  locale: Type.Optional(
    Type.String({
      maxLength: 35,
      pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
      description: 'BCP 47, for example de-DE.',
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z_]+(/[A-Za-z0-9_+-]+)*$',
      description: 'IANA name, for example Europe/Berlin.',
    }),
  ),
  proxy: Type.Optional(
    Type.Object(
      {
        secretRef: Type.Object(
          { name: Type.String({ maxLength: 253, description: 'Its name.' }) },
          { description: 'The Secret.' },
        ),
      },
      { description: 'Upstream proxy: Secret of this namespace with label podwright.dev/use=proxy and key url.' },
    ),
  ),
  lifetime: Type.Optional(
    Type.Object(
      {
        maxDuration: Type.Optional(Duration('From start to end at most. Default and ceiling: the pool.')),
        idleTimeout: Type.Optional(Duration('Without activity at most; 0 means never. Default: the pool.')),
        keepAlive: Type.Optional(
          Type.Boolean({ default: false, description: 'Keep the browser when its task has ended.' }),
        ),
        ttlAfterFinished: Type.Optional(Duration('How long the ended object stays. Absent: it stays.')),
        maxQueueWait: Type.Optional(Duration('How long it may wait for admission. Absent: without limit.')),
      },
      { description: 'When the session ends by itself.' },
    ),
  ),
  network: Type.Optional(
    Type.Object(
      {
        egress: Type.Optional(Egress),
        allowedHosts: Type.Optional(
          Type.Array(HostPattern, { maxItems: 256, description: 'What egress Allowlist lets through.' }),
        ),
      },
      { description: 'Narrows what the pool allows; never widens it.' },
    ),
  ),
  viewer: Type.Optional(
    Type.Object(
      {
        enabled: Type.Optional(Type.Boolean({ default: true, description: 'False: nobody can look at it.' })),
        interactive: Type.Optional(Type.Boolean({ default: true, description: 'False: viewers only watch.' })),
      },
      { description: 'Whether people may look at the browser, and work in it.' },
    ),
  ),
  recording: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Keep one playable file of the screen. Accepted, and not yet acted on.',
    }),
  ),
  priority: Type.Optional(
    Type.Integer({ minimum: -1000, maximum: 1000, default: 0, description: 'Within the tenant: higher goes first.' }),
  ),
  task: Type.Optional(Task),
});
export type BrowserSessionSpec = Static<typeof BrowserSessionSpec>;

export const PHASES = [
  'Queued',
  'Starting',
  'Ready',
  'Running',
  'Idle',
  'Stopping',
  'Stopped',
  'TimedOut',
  'Failed',
] as const;
export type Phase = (typeof PHASES)[number];
export const TERMINAL_PHASES: ReadonlySet<Phase> = new Set(['Stopped', 'TimedOut', 'Failed']);
/** Phases in which a browser answers. */
export const LIVE_PHASES: ReadonlySet<Phase> = new Set(['Ready', 'Running', 'Idle']);

/** Written by the gateway alone (field manager `podwright-gateway`). */
export const RunStatus = Type.Object(
  {
    id: Type.String({ maxLength: 36, description: 'Its id in the API.' }),
    state: Type.String({ maxLength: 32, description: 'queued, running, succeeded, failed, cancelled.' }),
    steps: Type.Optional(Type.Integer({ minimum: 0, description: 'Steps so far.' })),
    summary: Type.Optional(Type.String({ maxLength: 1024, description: 'What came out, in a sentence.' })),
    outputRef: Type.Optional(Type.String({ maxLength: 300, description: 'Path of the API where the answer is read.' })),
    failureKind: Type.Optional(Type.String({ maxLength: 64, description: 'Why it failed, one word.' })),
  },
  { description: 'The task of this session.' },
);
export type RunStatus = Static<typeof RunStatus>;

/** Written by the gateway alone. Decimal strings of USD. */
export const CostStatus = Type.Object(
  {
    browserUsd: Type.String({ maxLength: 24, description: 'Time of the browser.' }),
    modelUsd: Type.String({ maxLength: 24, description: 'Tokens of models.' }),
    egressUsd: Type.String({ maxLength: 24, description: 'Traffic.' }),
    totalUsd: Type.String({ maxLength: 24, description: 'All of it.' }),
  },
  { description: 'USD so far, as decimal strings.' },
);
export type CostStatus = Static<typeof CostStatus>;

export const BrowserSessionStatus = Type.Object({
  phase: Type.Optional(OneOf(PHASES, { description: 'Where it is in its life.' })),
  reason: Type.Optional(Type.String({ maxLength: 64, description: 'Why the session is in this phase, one word.' })),
  message: Type.Optional(Type.String({ maxLength: 1024, description: 'The same for people.' })),
  conditions: Type.Optional(Conditions),
  tenant: Type.Optional(Type.String({ maxLength: 253, description: 'Who pays.' })),
  poolName: Type.Optional(Type.String({ maxLength: 253, description: 'Pool that was resolved.' })),
  queuePosition: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Place among the waiting sessions of the tenant.' }),
  ),
  podName: Type.Optional(Type.String({ maxLength: 253, description: 'The one pod that belongs to it.' })),
  podUID: Type.Optional(Type.String({ maxLength: 36, description: 'UID of that pod: the proof.' })),
  podIP: Type.Optional(Type.String({ maxLength: 45, description: 'Address of that pod.' })),
  nodeName: Type.Optional(Type.String({ maxLength: 253, description: 'Node of that pod.' })),
  start: Type.Optional(
    Type.Union([Type.Literal('warm'), Type.Literal('cold')], { description: 'How the pod was found.' }),
  ),
  startedAt: Type.Optional(Time('A pod was assigned; paid time and maxDuration count from here.')),
  readyAt: Type.Optional(Time('The browser answered and the session was bound.')),
  lastActiveAt: Type.Optional(Time('Last known activity, coarse.')),
  idleDeadline: Type.Optional(Time('When an idle session is evicted, as last known.')),
  expiresAt: Type.Optional(Time('When maxDuration ends.')),
  drainDeadline: Type.Optional(Time('When it is saved and stopped because its node is being drained.')),
  stoppingAt: Type.Optional(Time('When the stop was latched; paid time ends here.')),
  endedAt: Type.Optional(Time('When the pod was gone.')),
  run: Type.Optional(RunStatus),
  cost: Type.Optional(CostStatus),
  observedGeneration: ObservedGeneration,
});
export type BrowserSessionStatus = Static<typeof BrowserSessionStatus>;

export type BrowserSession = Resource<BrowserSessionSpec, BrowserSessionStatus>;
