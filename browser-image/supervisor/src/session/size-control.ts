import { ApiError } from '@podwright/api/errors';
import type { Viewport } from '@podwright/api/kinds/session';
import type { ViewportRequest, ViewportResponse } from '@podwright/api/pod-door';
import { type SizeLease, decideLease } from '../browser/size-lease.ts';
import type { ViewportOwner } from '../browser/viewport-owner.ts';

/** Who may set the size of the page, and its setting. */
export interface SizeControl {
  /** Throws ApiError exclusive_holder when another viewer holds the lease, browser_unavailable when the size was not applied. */
  set(request: ViewportRequest): Promise<ViewportResponse>;
}

export function createSizeControl(options: { owner: ViewportOwner; now: () => number }): SizeControl {
  const { owner, now } = options;
  let lease: SizeLease | undefined;
  return {
    async set({ viewport, viewer, takeover = false }) {
      const next = decideLease(lease, { viewer, takeover }, now());
      if (!next) throw new ApiError('exclusive_holder', `Viewer ${lease?.viewer} sets the size at the moment.`);
      lease = next;
      // A renewal asks for the size that is there already.
      const applied = owner.current !== null && same(owner.wanted, viewport) ? owner.current : await apply(viewport);
      return { viewport: applied, holder: lease.viewer, leaseUntil: new Date(lease.until).toISOString() };
    },
  };

  async function apply(viewport: Viewport | null): Promise<Viewport> {
    try {
      return await owner.set(viewport);
    } catch (error) {
      throw new ApiError('browser_unavailable', 'The size could not be applied.', { cause: error });
    }
  }
}

const same = (a: Viewport | null, b: Viewport | null): boolean => a?.width === b?.width && a?.height === b?.height;
