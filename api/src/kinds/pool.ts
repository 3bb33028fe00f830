import { type Static, Type } from 'typebox';
import type { Resource } from './metadata.ts';
import { Conditions, Duration, Egress, HostPattern, OneOf, Usd } from './shared.ts';
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
    ports: Type.Array(Type.Integer({ minimum: 1, maximum: 65535 }), { minItems: 1, maxItems: 16 }),
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
    Type.Object({ mode: Type.Optional(SandboxMode), runtimeClassName: Type.Optional(Type.String({ maxLength: 253 })) }),
  ),
  nodeSelector: Type.Optional(Type.Record(Type.String(), Type.String())),
  lifetime: Type.Optional(
    Type.Object({
      idleTimeout: Type.Optional(Duration('Default of its sessions. Default: 10m.')),
      maxDuration: Type.Optional(Duration('Default of its sessions. Default: 1h.')),
      maxDurationCeiling: Type.Optional(Duration('What a session may ask for at most. Default: 4h.')),
      startTimeout: Type.Optional(Duration('From admission to Ready at most. Default: 2m.')),
    }),
  ),
  network: Type.Optional(
    Type.Object({
      egress: Type.Optional(Egress),
      allowedHosts: Type.Optional(Type.Array(HostPattern, { maxItems: 256 })),
      allowInternal: Type.Optional(
        Type.Array(InternalDestination, { maxItems: 32, description: 'The one way to addresses inside the cluster.' }),
      ),
    }),
  ),
  warm: Type.Optional(
    Type.Object({
      min: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 5000, default: 0, description: 'Warm pods that are always wanted.' }),
      ),
      max: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 5000,
          description:
            'Ceiling for a target that follows demand. Absent: the same as min. The target is min in this version.',
        }),
      ),
    }),
  ),
  maxSessions: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'Browsers of this pool at once.' }),
  ),
  maxScreen: Type.Optional(
    Type.Object(
      {
        width: Type.Integer({ minimum: VIEWPORT.minWidth, maximum: VIEWPORT.maxWidth }),
        height: Type.Integer({ minimum: VIEWPORT.minHeight, maximum: VIEWPORT.maxHeight }),
      },
      { description: 'Largest screen. Memory follows it: 1920x1080 costs 15 MiB, 6144x3456 88. Default 1920x1080.' },
    ),
  ),
  updateStrategy: Type.Optional(
    Type.Object({ maxUnavailable: Type.Optional(Type.Integer({ minimum: 1, default: 1 })) }),
  ),
  price: Type.Optional(Type.Object({ usdPerHour: Usd('Price of one browser for one hour.') })),
});
export type BrowserPoolSpec = Static<typeof BrowserPoolSpec>;

export const BrowserPoolStatus = Type.Object({
  conditions: Type.Optional(Conditions),
  warm: Type.Optional(Type.Integer({ minimum: 0, description: 'Warm pods that can be claimed now.' })),
  starting: Type.Optional(Type.Integer({ minimum: 0 })),
  claimed: Type.Optional(Type.Integer({ minimum: 0, description: 'Pods that serve a session.' })),
  target: Type.Optional(Type.Integer({ minimum: 0, description: 'Warm pods that are wanted now.' })),
  templateHash: Type.Optional(Type.String({ maxLength: 63 })),
  observedGeneration: Type.Optional(Type.Integer({ minimum: 0 })),
});
export type BrowserPoolStatus = Static<typeof BrowserPoolStatus>;

export type BrowserPool = Resource<BrowserPoolSpec, BrowserPoolStatus>;

/** What the absence of a pool field means. The operator fills them; nobody else repeats them. */
export const POOL_DEFAULTS = {
  idleTimeout: '10m',
  maxDuration: '1h',
  maxDurationCeiling: '4h',
  startTimeout: '2m',
  maxScreen: { width: 1920, height: 1080 },
  egress: 'Public',
  usdPerHour: '0.06',
} as const;
