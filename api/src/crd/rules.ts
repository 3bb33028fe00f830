import { ALLOWED_FLAG_PATTERN } from '../chromium-flags.ts';
import type { Kind } from '../kinds/all.ts';
import type { CelRule } from './structural-schema.ts';

/** May be given at creation, and neither changed, added nor taken away later. */
const immutable = (field: string): CelRule => ({
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
  message: `${field} is immutable; make a new object`,
});

const ALLOWED_HOSTS_NEED_ALLOWLIST: CelRule = {
  rule: "!has(self.allowedHosts) || size(self.allowedHosts) == 0 || (has(self.egress) && self.egress == 'Allowlist')",
  message: 'allowedHosts needs egress: Allowlist',
};

const maxDuration = (of: string): string =>
  `(has(${of}.lifetime) && has(${of}.lifetime.maxDuration) ? ${of}.lifetime.maxDuration : '')`;

/** Where both are given; an absent one has a default that the server does not know. */
const notLonger = (field: string, ceiling: string): CelRule => ({
  rule: `!has(self.${field}) || !has(self.${ceiling}) || duration(self.${field}) <= duration(self.${ceiling})`,
  message: `${field} must not exceed ${ceiling}`,
});

/** CEL rules by kind and path in the object (`spec`, `spec.network`, `spec.network.allowInternal[]`). */
export const CEL_RULES: Record<Kind, Record<string, CelRule[]>> = {
  BrowserSession: {
    spec: [
      {
        // Setting it twice is fine: two parties may ask at once, and the operator keeps the first.
        rule: '!has(oldSelf.stop) || has(self.stop)',
        message: 'stop is one-way and cannot be taken back; make a new session',
      },
      ...[
        'poolRef',
        'profileRef',
        'viewport',
        'startUrl',
        'locale',
        'timezone',
        'proxy',
        'network',
        'viewer',
        'recording',
        'task',
      ].map(immutable),
      {
        // The pod's own last deadline was made from it, so a later change could not hold.
        rule: `${maxDuration('self')} == ${maxDuration('oldSelf')}`,
        message: 'lifetime.maxDuration is immutable; make a new object',
      },
    ],
    'spec.network': [ALLOWED_HOSTS_NEED_ALLOWLIST],
  },
  BrowserPool: {
    'spec.chromiumFlags': [
      {
        rule: `self.all(flag, flag.matches('${ALLOWED_FLAG_PATTERN}'))`,
        message: 'a Chromium flag is not on the list of allowed flags',
      },
    ],
    'spec.lifetime': [notLonger('maxDuration', 'maxDurationCeiling')],
    'spec.network': [ALLOWED_HOSTS_NEED_ALLOWLIST],
    'spec.warm': [
      {
        rule: '!has(self.max) || !has(self.min) || self.min <= self.max',
        message: 'warm.min must not exceed warm.max',
      },
    ],
    'spec.sandbox': [
      {
        rule: "(has(self.mode) && self.mode == 'RuntimeClass') == has(self.runtimeClassName)",
        message: 'runtimeClassName goes with mode: RuntimeClass, and only with it',
      },
    ],
    'spec.network.allowInternal[]': [{ rule: 'has(self.host) != has(self.cidr)', message: 'give either host or cidr' }],
  },
  BrowserProfile: {},
  BrowserTenant: {
    'spec.namespace': [{ rule: 'self == oldSelf', message: 'namespace is immutable; make a new tenant' }],
  },
};
