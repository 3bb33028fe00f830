import { ApiError } from '@podwright/api/errors';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { type ModelsFile, resolveModel } from '@podwright/api/models';
import { isV3Model } from '@podwright/api/v3/models';

/**
 * Name of the configured model that a requested one stands for: a model of the tenant's own, one of the installation
 * by name or alias, or the default for names that clients send without knowing the installation.
 * Throws `invalid_request` for any other name and for one the tenant may not use.
 */
export function chooseModel(file: ModelsFile, tenant: BrowserTenant, requested: string | null): string {
  const own = tenant.spec.models ?? [];
  const wanted = requested ?? own[0]?.name ?? null;
  const chosen = own.some(({ name }) => name === wanted)
    ? wanted
    : (resolveModel(file, wanted)?.name ?? (wanted !== null && isV3Model(wanted) ? file.default : null));
  if (chosen === null) throw new ApiError('invalid_request', `Model "${wanted}" is not configured here.`);
  const allowed = tenant.spec.allowedModels;
  if (allowed !== undefined && !allowed.includes(chosen) && !(wanted !== null && allowed.includes(wanted))) {
    throw new ApiError('invalid_request', `Model "${wanted ?? chosen}" is not allowed for this tenant.`);
  }
  return chosen;
}
