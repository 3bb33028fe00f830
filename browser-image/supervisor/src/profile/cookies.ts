import { Value } from 'typebox/value';
import { StorageCookie } from '@podwright/api/storage-state';
import type { CdpLink } from '../browser/cdp-link.ts';

/** As many as a storage state may have. */
const MAX_COOKIES = 10_000;

interface ChromiumCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite?: 'Strict' | 'Lax' | 'None';
  partitionKey?: { topLevelSite: string; hasCrossSiteAncestor: boolean };
  /** Partitioned by a site without a name, which ends with the browser. */
  partitionKeyOpaque?: boolean;
}

/**
 * The cookies of the default context, and how many cannot be carried. A cookie without SameSite is Lax, as browsers
 * treat it.
 */
export async function readCookies(link: CdpLink): Promise<{ cookies: StorageCookie[]; left: number }> {
  const { cookies } = await link.send<{ cookies: ChromiumCookie[] }>('Storage.getCookies');
  const lasting = cookies.filter(({ partitionKeyOpaque }) => partitionKeyOpaque !== true);
  const wanted = lasting.map(toState).slice(0, MAX_COOKIES);
  // One that does not have the shape must not make the keeper refuse them all.
  const carried = wanted.filter((cookie) => Value.Check(StorageCookie, cookie));
  return { cookies: carried, left: lasting.length - carried.length };
}

function toState(cookie: ChromiumCookie): StorageCookie {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey } = cookie;
  return {
    name,
    value,
    domain,
    path,
    expires,
    httpOnly,
    secure,
    sameSite: sameSite ?? 'Lax',
    ...(partitionKey === undefined
      ? {}
      : { partitionKey: partitionKey.topLevelSite, _crHasCrossSiteAncestor: partitionKey.hasCrossSiteAncestor }),
  };
}

/** Sets the cookies; returns how many Chromium refused. */
export async function writeCookies(link: CdpLink, cookies: readonly StorageCookie[]): Promise<number> {
  if (cookies.length === 0) return 0;
  const wanted = cookies.map(toChromium);
  const all = await link.send('Storage.setCookies', { cookies: wanted }).then(
    () => true,
    () => false,
  );
  if (all) return 0;
  // One that Chromium does not like refuses them all; then each is set alone.
  const each = await Promise.allSettled(wanted.map((cookie) => link.send('Storage.setCookies', { cookies: [cookie] })));
  return each.filter(({ status }) => status === 'rejected').length;
}

function toChromium({ expires, partitionKey, _crHasCrossSiteAncestor, ...cookie }: StorageCookie): object {
  return {
    ...cookie,
    ...(expires === -1 ? {} : { expires }),
    ...(partitionKey === undefined
      ? {}
      : { partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor: _crHasCrossSiteAncestor ?? true } }),
  };
}
