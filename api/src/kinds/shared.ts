import { type Static, Type, type TUnsafe } from 'typebox';
import { DURATION_PATTERN } from '../duration.ts';
import { MONEY_PATTERN } from '../money.ts';

/** Schemas that several kinds use. Descriptions become `kubectl explain`. */

/** One of several words, from the list that also gives the type. (A union made by `map` has the static type `never`.) */
export const OneOf = <const V extends readonly string[]>(values: V, options: object = {}): TUnsafe<V[number]> =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });

export const Duration = (description: string) => Type.String({ pattern: DURATION_PATTERN, maxLength: 32, description });

export const Usd = (description: string) => Type.String({ pattern: MONEY_PATTERN, maxLength: 24, description });

export const Time = (description: string) => Type.String({ format: 'date-time', description });

export const ObservedGeneration = Type.Optional(
  Type.Integer({ minimum: 0, description: 'metadata.generation that this was observed of.' }),
);

export const Condition = Type.Object(
  {
    type: Type.String({ maxLength: 316, description: 'What the fact is about.' }),
    status: Type.Union([Type.Literal('True'), Type.Literal('False'), Type.Literal('Unknown')], {
      description: 'Whether it holds.',
    }),
    reason: Type.String({ maxLength: 1024, description: 'Why, one word of the list in the reference.' }),
    message: Type.String({ maxLength: 32768, description: 'The same for people.' }),
    lastTransitionTime: Time('When the status last changed.'),
    observedGeneration: ObservedGeneration,
  },
  { description: 'One observed fact, with a reason a person can act on.' },
);
export type Condition = Static<typeof Condition>;

export const Conditions = Type.Array(Condition, {
  maxItems: 32,
  description: 'Observed facts. Reasons are listed in the reference.',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
});

/** Egress classes of a session, from widest to none. */
export const Egress = Type.Union([Type.Literal('Public'), Type.Literal('Allowlist'), Type.Literal('None')], {
  description:
    'Public: the Internet, never an internal address. Allowlist: only allowedHosts. None: nothing but what the pool opens inside.',
});
export type Egress = Static<typeof Egress>;

export const HostPattern = Type.String({
  pattern: '^(\\*\\.)?[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$',
  maxLength: 253,
  description: 'A host name, or *.domain for its subdomains.',
});
