/** Names as they are compared: lower case, no trailing dot, no brackets around an IPv6 address. */
export function normalHost(host: string): string {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return bare.toLowerCase().replace(/\.$/, '');
}

/** `*.domain` stands for the names below a domain, not for the domain itself. `host` is normal. */
export function matchesHost(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase();
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) && host.length > wanted.length - 1 : host === wanted;
}

/** True when every name that `inner` stands for is one that `outer` stands for. */
export function coversPattern(outer: string, inner: string): boolean {
  if (!inner.startsWith('*.')) return matchesHost(outer, inner.toLowerCase());
  const [wide, narrow] = [outer.toLowerCase(), inner.toLowerCase()];
  return wide.startsWith('*.') && (narrow === wide || narrow.endsWith(wide.slice(1)));
}
