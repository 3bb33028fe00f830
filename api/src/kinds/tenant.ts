import { type Static, Type } from 'typebox';
import type { Resource } from './metadata.ts';
import { Conditions, Duration, ObservedGeneration, Usd } from './shared.ts';

export const ModelProvider = Type.Union(
  [Type.Literal('openai'), Type.Literal('openai-compatible'), Type.Literal('anthropic')],
  { description: 'Wire protocol it speaks.' },
);

const Decision = (description: string) =>
  Type.Union([Type.Literal('Allowed'), Type.Literal('AskFirst'), Type.Literal('Off')], { description });

export const BrowserTenantSpec = Type.Object({
  namespace: Type.String({
    minLength: 1,
    maxLength: 63,
    description: 'Namespace of its sessions, pools and profiles. Immutable.',
  }),
  instance: Type.Optional(
    Type.String({ maxLength: 63, description: 'Release that owns this tenant, when several share the cluster.' }),
  ),
  defaultPool: Type.Optional(
    Type.String({ maxLength: 253, default: 'default', description: 'Pool of sessions that name none.' }),
  ),
  weight: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 1, description: 'Share of it when all are waiting.' }),
  ),
  paused: Type.Optional(Type.Boolean({ default: false, description: 'True: nothing new is admitted.' })),
  limits: Type.Optional(
    Type.Object(
      {
        concurrentSessions: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 100_000,
            default: 20,
            description: 'Sessions with a browser at once; further ones wait as Queued.',
          }),
        ),
        queuedSessions: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 100_000,
            default: 200,
            description: 'Sessions that may wait; further ones fail with QueueFull.',
          }),
        ),
        createsPerMinute: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 100_000,
            default: 120,
            description: 'The API refuses more; of manifests this many a minute are admitted, and the rest waits.',
          }),
        ),
        maxDuration: Type.Optional(Duration('Longest session. Default: 4h.')),
      },
      { description: 'How much at once and how fast.' },
    ),
  ),
  budgets: Type.Optional(
    Type.Object(
      {
        perRunUsd: Type.Optional(Usd('One run at most.')),
        perDayUsd: Type.Optional(Usd('One UTC day at most.')),
        perMonthUsd: Type.Optional(Usd('One UTC month at most.')),
      },
      { description: 'How much money.' },
    ),
  ),
  whenFull: Type.Optional(
    Type.Union([Type.Literal('Queue'), Type.Literal('Reject')], {
      default: 'Queue',
      description: 'Wait, or refuse at once.',
    }),
  ),
  whenProfileBusy: Type.Optional(
    Type.Union([Type.Literal('Fail'), Type.Literal('Wait')], {
      default: 'Fail',
      description: 'What a session does whose profile another session holds for writing: end, or wait for its turn.',
    }),
  ),
  policy: Type.Optional(
    Type.Object(
      {
        startRun: Type.Optional(Decision('May runs be started?')),
        actOnSignedInOrigin: Type.Optional(
          Decision('May a run change state on an origin where the browser is signed in? Not yet enforced.'),
        ),
      },
      { description: 'What its agents may do.' },
    ),
  ),
  models: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 128, description: 'As tasks name it.' }),
        provider: ModelProvider,
        model: Type.Optional(Type.String({ maxLength: 128, description: "The provider's own name. Default: name." })),
        baseUrl: Type.Optional(
          Type.String({ maxLength: 1024, description: "Where it is served. Default: the provider's own." }),
        ),
        secretRef: Type.Optional(
          Type.Object(
            {
              name: Type.String({ maxLength: 253, description: 'Secret of its namespace.' }),
              key: Type.Optional(Type.String({ maxLength: 253, description: 'Key in the Secret.' })),
            },
            { description: 'Where the key of the provider is kept.' },
          ),
        ),
      }),
      {
        maxItems: 64,
        description:
          "Models of its own, beside the installation's. Not yet used by agents: name models of the installation.",
      },
    ),
  ),
  allowedModels: Type.Optional(
    Type.Array(Type.String({ maxLength: 128 }), { maxItems: 64, description: 'Absent: all.' }),
  ),
  frameAncestors: Type.Optional(
    Type.Array(Type.String({ maxLength: 300 }), { maxItems: 32, description: 'Origins that may embed its viewer.' }),
  ),
});
export type BrowserTenantSpec = Static<typeof BrowserTenantSpec>;

export const BrowserTenantStatus = Type.Object({
  conditions: Type.Optional(Conditions),
  running: Type.Optional(Type.Integer({ minimum: 0, description: 'Sessions that have a place.' })),
  queued: Type.Optional(Type.Integer({ minimum: 0, description: 'Sessions that wait for one.' })),
  observedGeneration: ObservedGeneration,
});
export type BrowserTenantStatus = Static<typeof BrowserTenantStatus>;

export type BrowserTenant = Resource<BrowserTenantSpec, BrowserTenantStatus>;

export const TENANT_DEFAULTS = {
  defaultPool: 'default',
  weight: 1,
  concurrentSessions: 20,
  queuedSessions: 200,
  createsPerMinute: 120,
  maxDuration: '4h',
  whenFull: 'Queue',
  whenProfileBusy: 'Fail',
} as const;
