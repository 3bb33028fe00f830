import { isAllowedFlag } from '@podwright/api/chromium-flags';
import type { BrowserPool } from '@podwright/api/kinds/pool';

/** What the platform lets pools ask for, beyond what the API server checks. */
export interface PoolLimits {
  /** Images that pools may name, with or without a tag; without, every tag of it. Empty: any image. */
  images: readonly string[];
  /** `<namespace>/<name>` of pools that may run browsers without a sandbox. */
  unsandboxed: readonly string[];
}

/**
 * What a pool asks for and may not have, in words; undefined when there is nothing. A namespace may have got the right
 * to write pools, or the list may have become shorter since: such a pool makes no pods. Pure.
 */
export function poolOffence(pool: BrowserPool, { images, unsandboxed }: PoolLimits): string | undefined {
  const { spec, metadata } = pool;
  const named = [spec.image, ...(spec.supervisorImage === undefined ? [] : [spec.supervisorImage])];
  const foreign = images.length === 0 ? undefined : named.find((image) => !images.some((one) => isOf(image, one)));
  if (foreign !== undefined) return `image ${foreign} is not on the platform's list (browsers.allowedImages)`;
  if (spec.sandbox?.mode === 'None' && !unsandboxed.includes(`${metadata.namespace}/${metadata.name}`)) {
    return "sandbox.mode None is for the pools of the platform's list (browsers.unsandboxedPools)";
  }
  const flag = spec.chromiumFlags?.find((one) => !isAllowedFlag(one));
  return flag === undefined ? undefined : `Chromium flag ${flag} is not on the list of allowed flags`;
}

/** `registry/name` stands for each of its tags and digests, `registry/name:tag` for itself and its digests. */
const isOf = (image: string, listed: string): boolean =>
  image === listed || image.startsWith(`${listed}@`) || (image.startsWith(`${listed}:`) && !hasTag(listed));

const hasTag = (image: string): boolean => /:[^/]*$/.test(image);
