import { type Static, Type } from 'typebox';
import type { Resource } from './metadata.ts';
import { Conditions, Duration, Egress, HostPattern, ObservedGeneration, OneOf, Usd } from './shared.ts';
import { VIEWPORT } from './session.ts';

export const SandboxMode = OneOf(['Auto', 'Seccomp', 'UserNamespace', 'RuntimeClass', 'None'], {
  default: 'Auto',
  description:
    'How the browser is confined. Auto: user namespace and seccomp where the node has both, else seccomp. Status tells what runs.',
});
export type SandboxMode = Static<typeof SandboxMode>;

export const InternalDestination = Type.Object(
  {
    host: Type.Optional(HostPattern),
    cidr: Type.Optional(Type.String({ maxLength: 49, description: 'Addresses, for example 10.1.2.0/24.' })),
    ports: Type.Array(Type.Integer({ minimum: 1, maximum: 65535 }), {
      minItems: 1,
      maxItems: 16,
      description: 'TCP ports that are opened.',
    }),
  },
  { description: 'One destination inside: host or cidr, and its ports.' },
);
export type InternalDestination = Static<typeof InternalDestination>;

const Quantities = Type.Record(Type.String(), Type.String({ maxLength: 32 }), {
  description: 'Kubernetes quantities by resource name.',
});

export const BrowserPoolSpec = Type.Object({
  image: Type.String({ minLength: 1, maxLength: 512, description: 'Browser image.' }),
  supervisorImage: Type.Optional(Type.String({ maxLength: 512, description: "Default: the installation's own." })),
  resources: Type.Optional(
    Type.Object(
      { requests: Type.Optional(Quantities), limits: Type.Optional(Quantities) },
      { description: 'Of the browser container.' },
    ),
  ),
  chromiumFlags: Type.Optional(
    Type.Array(Type.String({ maxLength: 512 }), { maxItems: 32, description: 'From the allow-list.' }),
  ),
  sandbox: Type.Optional(
    Type.Object(
      {
        mode: Type.Optional(SandboxMode),
        runtimeClassName: Type.Optional(
          Type.String({ maxLength: 253, description: 'RuntimeClass of the pods; goes with mode RuntimeClass.' }),
        ),
      },
      { description: 'What stands between a hostile page and the node.' },
    ),
  ),
  nodeSelector: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Labels a node must have to run pods of this pool.' }),
  ),
  lifetime: Type.Optional(
    Type.Object(
      {
        idleTimeout: Type.Optional(Duration('Default of its sessions. Default: 10m.')),
        maxDuration: Type.Optional(Duration('Default of its sessions. Default: 1h.')),
        maxDurationCeiling: Type.Optional(Duration('What a session may ask for at most. Default: 4h.')),
        startTimeout: Type.Optional(Duration('From admission to Ready at most. Default: 2m.')),
        drainTimeout: Type.Optional(
          Duration(
            'How long a session may go on after its node was cordoned; then it is saved and stopped. Default: 10m.',
          ),
        ),
      },
      { description: 'Clocks of the sessions of this pool, and the ceilings of what a session may ask for.' },
    ),
  ),
  network: Type.Optional(
    Type.Object(
      {
        egress: Type.Optional(Egress),
        allowedHosts: Type.Optional(
          Type.Array(HostPattern, { maxItems: 256, description: 'What egress Allowlist lets through.' }),
        ),
        allowInternal: Type.Optional(
          Type.Array(InternalDestination, {
            maxItems: 32,
            description: 'The one way to addresses inside the cluster.',
          }),
        ),
      },
      { description: 'What its browsers may reach; a session can narrow it and never widen it.' },
    ),
  ),
  warm: Type.Optional(
    Type.Object(
      {
        min: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 5000, default: 0, description: 'Warm pods that are always wanted.' }),
        ),
        max: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 5000,
            description:
              'Ceiling of the target, which follows demand: claims of late times the time a pod takes to start. Absent: the same as min.',
          }),
        ),
      },
      { description: 'Pods that wait, started, for a session.' },
    ),
  ),
  maxSessions: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'Sessions with a browser of this pool at once; further ones wait as Queued. Absent: no limit.',
    }),
  ),
  maxScreen: Type.Optional(
    Type.Object(
      {
        width: Type.Integer({ minimum: VIEWPORT.minWidth, maximum: VIEWPORT.maxWidth, description: 'Pixels.' }),
        height: Type.Integer({ minimum: VIEWPORT.minHeight, maximum: VIEWPORT.maxHeight, description: 'Pixels.' }),
      },
      { description: 'Largest screen. Memory follows it: 1920x1080 costs 15 MiB, 6144x3456 88. Default 1920x1080.' },
    ),
  ),
  updateStrategy: Type.Optional(
    Type.Object(
      {
        maxUnavailable: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 5000,
            default: 1,
            description: 'Warm pods that may be missing from the target while the others are replaced.',
          }),
        ),
      },
      { description: 'How warm pods are replaced when the template changes. Pods with a session are never touched.' },
    ),
  ),
  price: Type.Optional(
    Type.Object(
      { usdPerHour: Usd('Price of one browser for one hour.') },
      { description: 'What a session costs beside its models.' },
    ),
  ),
});
export type BrowserPoolSpec = Static<typeof BrowserPoolSpec>;

export const BrowserPoolStatus = Type.Object({
  conditions: Type.Optional(Conditions),
  warm: Type.Optional(Type.Integer({ minimum: 0, description: 'Warm pods that can be claimed now.' })),
  starting: Type.Optional(Type.Integer({ minimum: 0, description: 'Warm pods that are on their way.' })),
  claimed: Type.Optional(Type.Integer({ minimum: 0, description: 'Pods that serve a session.' })),
  target: Type.Optional(Type.Integer({ minimum: 0, description: 'Warm pods that are wanted now.' })),
  outdated: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Warm pods of an older template that still wait to be replaced.' }),
  ),
  templateHash: Type.Optional(
    Type.String({ maxLength: 63, description: 'Of the present template; pods carry it as a label.' }),
  ),
  observedGeneration: ObservedGeneration,
});
export type BrowserPoolStatus = Static<typeof BrowserPoolStatus>;

export type BrowserPool = Resource<BrowserPoolSpec, BrowserPoolStatus>;

/** What the absence of a pool field means. The operator fills them; nobody else repeats them. */
export const POOL_DEFAULTS = {
  idleTimeout: '10m',
  maxDuration: '1h',
  maxDurationCeiling: '4h',
  startTimeout: '2m',
  drainTimeout: '10m',
  maxUnavailable: 1,
  maxScreen: { width: 1920, height: 1080 },
  egress: 'Public',
  usdPerHour: '0.06',
} as const;
