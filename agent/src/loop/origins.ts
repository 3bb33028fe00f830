/**
 * Whether a run may use an address. `allowed` holds origins (`https://shop.example.com`), hosts (`shop.example.com`) or
 * hosts with subdomains (`*.example.com`); null allows everything on http and https.
 */
export function createOriginCheck(allowed: string[] | null): (url: string) => boolean {
  return (url) => {
    if (url === 'about:blank' || url === '') return true;
    if (!URL.canParse(url)) return false;
    const parsed = new URL(url);
    if (allowed === null) return true;
    if (parsed.protocol === 'about:' || parsed.protocol === 'chrome-error:') return true;
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return false;
    return allowed.some((pattern) => matches(pattern.trim().toLowerCase(), parsed));
  };
}

function matches(pattern: string, url: URL): boolean {
  if (pattern.includes('://')) return URL.canParse(pattern) && new URL(pattern).origin === url.origin;
  if (pattern.startsWith('*.')) return url.hostname.endsWith(pattern.slice(1));
  return pattern === url.host || pattern === url.hostname;
}
