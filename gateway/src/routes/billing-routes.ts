import type { FastifyInstance } from 'fastify';
import { TENANT_DEFAULTS } from '@podwright/api/kinds/tenant';
import { parseUsd } from '@podwright/api/money';
import { AccountView, UNLIMITED_BALANCE_USD } from '@podwright/api/v3/billing';
import { callerOf } from '../http/public-server.ts';
import type { CostLedger } from '../metering/cost-ledger.ts';
import type { SessionCache } from '../sessions/session-cache.ts';
import { isOpen } from '../sessions/session-state.ts';

/** `/billing/account` of the v2, v3 and v4 API: the tenant, its limits and what is left of its month. */
export function registerBilling(
  app: FastifyInstance,
  parts: { ledger: CostLedger; cache: SessionCache; now: () => number },
): void {
  const { ledger, cache, now } = parts;
  app.get('/billing/account', { schema: { response: { 200: AccountView } } }, async (request): Promise<AccountView> => {
    const { tenant, namespace, tenantObject, key } = callerOf(request);
    const { limits, budgets } = tenantObject.spec;
    const left =
      budgets?.perMonthUsd === undefined
        ? UNLIMITED_BALANCE_USD
        : Math.max(0, parseUsd(budgets.perMonthUsd) - (await ledger.spent(tenant, now())).thisMonth) / 1_000_000;
    return {
      name: tenant,
      totalCreditsBalanceUsd: left,
      monthlyCreditsBalanceUsd: left,
      additionalCreditsBalanceUsd: 0,
      rateLimit: limits?.createsPerMinute ?? TENANT_DEFAULTS.createsPerMinute,
      concurrentSessionLimit: limits?.concurrentSessions ?? TENANT_DEFAULTS.concurrentSessions,
      activeSessionCount: cache.ofNamespace(namespace).filter(isOpen).length,
      planInfo: {
        planName: 'self-hosted',
        subscriptionStatus: null,
        subscriptionId: null,
        subscriptionCurrentPeriodEnd: null,
        subscriptionCanceledAt: null,
      },
      isFreeTier: false,
      projectId: tenantObject.metadata.uid,
      apiKeyId: key.uid,
      tracingDisabled: true,
    };
  });
}
