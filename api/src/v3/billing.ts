import { type Static, Type } from 'typebox';
import { Nullable, Uuid } from './common.ts';

/** The account of a key: its tenant. All five keys of `planInfo` must be present, although four are null here. */
export const AccountView = Type.Object({
  name: Nullable(Type.String()),
  totalCreditsBalanceUsd: Type.Number(),
  monthlyCreditsBalanceUsd: Type.Number(),
  additionalCreditsBalanceUsd: Type.Number(),
  rateLimit: Type.Integer({ description: 'Creates per minute.' }),
  concurrentSessionLimit: Type.Integer(),
  activeSessionCount: Type.Integer(),
  planInfo: Type.Object({
    planName: Type.String(),
    subscriptionStatus: Nullable(Type.String()),
    subscriptionId: Nullable(Type.String()),
    subscriptionCurrentPeriodEnd: Nullable(Type.String()),
    subscriptionCanceledAt: Nullable(Type.String()),
  }),
  isFreeTier: Type.Boolean(),
  projectId: Uuid,
  apiKeyId: Nullable(Uuid),
  tracingDisabled: Type.Boolean(),
});
export type AccountView = Static<typeof AccountView>;

/** Shown as balance of a tenant without a monthly budget: clients read zero as "cannot start anything". */
export const UNLIMITED_BALANCE_USD = 1_000_000;
