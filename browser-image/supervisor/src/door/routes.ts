import type { Scope } from '@podwright/api/tokens';

/** A route of the door; `rest` of a prefix route is what follows it. */
export interface RouteMatch {
  name: RouteName;
  scopes: readonly Scope[];
  rest: string;
  /** The pod ends, and this route is not one that collection needs. */
  closed: boolean;
}

interface Route {
  name: string;
  method: string;
  path: string;
  /** The route takes every path below `path` too. */
  prefix?: true;
  scopes: readonly Scope[];
  /** Still answered while the pod ends: what collection needs. */
  whileEnding?: true;
}

const ROUTES = [
  { name: 'bind', method: 'POST', path: '/bind', scopes: ['bind'] },
  { name: 'status', method: 'GET', path: '/status', scopes: ['status'], whileEnding: true },
  { name: 'quiesce', method: 'POST', path: '/quiesce', scopes: ['quiesce'] },
  { name: 'activity', method: 'POST', path: '/activity', scopes: ['activity'] },
  { name: 'version', method: 'GET', path: '/cdp/json/version', scopes: ['cdp'] },
  { name: 'list', method: 'GET', path: '/cdp/json/list', scopes: ['cdp'] },
  { name: 'list', method: 'GET', path: '/cdp/json', scopes: ['cdp'] },
  { name: 'newPage', method: 'PUT', path: '/cdp/json/new', scopes: ['cdp'] },
  { name: 'viewport', method: 'PUT', path: '/viewport', scopes: ['control'] },
  { name: 'downloads', method: 'GET', path: '/files/downloads', scopes: ['files'], whileEnding: true },
  { name: 'download', method: 'GET', path: '/files/downloads/', prefix: true, scopes: ['files'], whileEnding: true },
  { name: 'upload', method: 'PUT', path: '/files/uploads/', prefix: true, scopes: ['files'] },
  { name: 'loadProfile', method: 'PUT', path: '/profile', scopes: ['profile'] },
  { name: 'readProfile', method: 'GET', path: '/profile', scopes: ['profile'], whileEnding: true },
  { name: 'collected', method: 'POST', path: '/collected', scopes: ['collect'], whileEnding: true },
] as const satisfies readonly Route[];
export type RouteName = (typeof ROUTES)[number]['name'];

/** The route of a request; undefined when there is none. Pure. */
export function findRoute(method: string, path: string, ending: boolean): RouteMatch | undefined {
  // Clients of CDP ask for discovery with and without a slash at the end.
  const plain = path.startsWith('/cdp/') ? path.replace(/\/$/, '') : path;
  const routes: readonly (Route & { name: RouteName })[] = ROUTES;
  const route = routes.find(
    (candidate) =>
      candidate.method === method &&
      (candidate.prefix ? plain.startsWith(candidate.path) && plain !== candidate.path : plain === candidate.path),
  );
  if (!route) return undefined;
  const { name, scopes } = route;
  return { name, scopes, rest: plain.slice(route.path.length), closed: ending && !route.whileEnding };
}

/** What a WebSocket path leads to; undefined for no door. Pure. */
export type UpgradeTarget = { kind: 'browser' } | { kind: 'page'; targetId: string } | { kind: 'vnc' };

export function findUpgrade(path: string): UpgradeTarget | undefined {
  const plain = path.replace(/\/$/, '');
  if (plain === '/vnc') return { kind: 'vnc' };
  if (plain === '/cdp' || /^\/cdp\/devtools\/browser(\/[\w-]*)?$/.test(plain)) return { kind: 'browser' };
  const targetId = /^\/cdp\/devtools\/page\/([\w-]{1,64})$/.exec(plain)?.[1];
  return targetId === undefined ? undefined : { kind: 'page', targetId };
}
