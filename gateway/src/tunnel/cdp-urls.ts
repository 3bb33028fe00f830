/**
 * Addresses that Chromium's discovery advertises, rewritten to the one the client asked at: same scheme, host, port and
 * prefix, so that clients which compare them, or withhold headers from another host, keep working.
 */

/** Where a client reached its CDP endpoint: `wss://host/cdp/<session>/<link>`. */
export function socketBase(request: {
  host: string;
  publicUrl: string;
  forwardedProto: string | undefined;
  prefix: string;
}): string {
  const known = new URL(request.publicUrl);
  const proto = request.forwardedProto ?? (known.host === request.host ? known.protocol.replace(':', '') : 'http');
  return `${proto === 'https' ? 'wss' : 'ws'}://${request.host}${request.prefix}`;
}

/** `/json/version`: the browser's socket. */
export function rewriteVersion(answer: unknown, base: string): unknown {
  if (!isRecord(answer)) return answer;
  return { ...answer, webSocketDebuggerUrl: rewriteSocket(answer['webSocketDebuggerUrl'], base) ?? base };
}

/** `/json` and `/json/list`: only what clients can work with, each with its own socket. */
export function rewriteTargets(answer: unknown, base: string): unknown {
  if (!Array.isArray(answer)) return [];
  return answer
    .filter(isRecord)
    .filter(isOffered)
    .map((target) => rewriteTarget(target, base));
}

/** One target, as `/json/new` answers it. */
export function rewriteTarget(target: unknown, base: string): unknown {
  if (!isRecord(target)) return target;
  // Chromium's own front end is not served here.
  const { devtoolsFrontendUrl: _front, devtoolsFrontendUrlCompat: _old, ...rest } = target;
  const socket = rewriteSocket(target['webSocketDebuggerUrl'], base);
  return socket === null ? rest : { ...rest, webSocketDebuggerUrl: socket };
}

/** Parts of Chromium's own interface, which confuse clients that take the first target. */
const isOffered = (target: Record<string, unknown>): boolean =>
  target['type'] !== 'browser_ui' && !/^(chrome|devtools):/.test(textOf(target['url']));

function rewriteSocket(url: unknown, base: string): string | null {
  const path = /\/devtools\/(browser|page)\/[A-Za-z0-9-]+/.exec(textOf(url))?.[0];
  return path === undefined ? null : base + path;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an upgrade on a CDP address asks the pod for; null: nothing that is served. */
export function podSocketPath(rest: string, query: URLSearchParams): string | null {
  const path = rest.replace(/\/$/, '');
  if (path !== '' && !/^\/devtools\/(browser|page)\/[A-Za-z0-9-]{1,64}$/.test(path)) return null;
  return `/cdp${path}${query.get('mode') === 'exclusive' ? '?mode=exclusive' : ''}`;
}
