import type { StorageCookie } from '@podwright/api/storage-state';
import type { CdpLink } from '../browser/cdp-link.ts';

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
}

/** The cookies of the default context. A cookie without SameSite is Lax, as browsers treat it. */
export async function readCookies(link: CdpLink): Promise<StorageCookie[]> {
  const { cookies } = await link.send<{ cookies: ChromiumCookie[] }>('Storage.getCookies');
  return cookies.map(({ name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey }) => ({
    name,
    value,
    domain,
    path,
    expires,
    httpOnly,
    secure,
    sameSite: sameSite ?? 'Lax',
    ...(partitionKey === undefined ? {} : { partitionKey: partitionKey.topLevelSite }),
  }));
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

function toChromium({ expires, partitionKey, ...cookie }: StorageCookie): object {
  return {
    ...cookie,
    ...(expires === -1 ? {} : { expires }),
    ...(partitionKey === undefined
      ? {}
      : { partitionKey: { topLevelSite: partitionKey, hasCrossSiteAncestor: false } }),
  };
}
