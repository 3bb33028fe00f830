import { ApiError } from '@podwright/api/errors';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import { type ModelsFile, resolveModel } from '@podwright/api/models';
import { isV3Model } from '@podwright/api/v3/models';

/**
 * Name of the configured model that a requested one stands for: one of the installation by name or alias, or the default for names that clients send without knowing the installation.
 * Throws `invalid_request` for any other name and for one the tenant may not use.
 */
export function chooseModel(file: ModelsFile, tenant: BrowserTenant, requested: string | null): string {
  const chosen =
    resolveModel(file, requested)?.name ?? (requested !== null && isV3Model(requested) ? file.default : null);
  if (chosen === null) throw new ApiError('invalid_request', `Model "${requested}" is not configured here.`);
  const allowed = tenant.spec.allowedModels;
  if (allowed !== undefined && !allowed.includes(chosen) && !(requested !== null && allowed.includes(requested))) {
    throw new ApiError('invalid_request', `Model "${requested ?? chosen}" is not allowed for this tenant.`);
  }
  return chosen;
}
