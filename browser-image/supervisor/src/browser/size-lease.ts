/** How long a viewer keeps the right to set the size; viewers renew every 8 s. */
export const SIZE_LEASE_MS = 20_000;

export interface SizeLease {
  viewer: string;
  until: number;
}

/**
 * The lease after `viewer` asked to set the size, or undefined when another viewer holds it and no takeover was asked for.
 * Times in milliseconds. Pure.
 */
export function decideLease(
  lease: SizeLease | undefined,
  ask: { viewer: string; takeover: boolean },
  now: number,
): SizeLease | undefined {
  const held = lease !== undefined && lease.until > now && lease.viewer !== ask.viewer;
  return held && !ask.takeover ? undefined : { viewer: ask.viewer, until: now + SIZE_LEASE_MS };
}
