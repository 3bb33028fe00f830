import { createHash, randomBytes } from 'node:crypto';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserSession, BrowserSessionSpec, Phase } from '@podwright/api/kinds/session';
import { GROUP_VERSION, LABEL, OBJECT } from '@podwright/api/names';
import { applyObjects, eventually, getObject, kubectl } from './kubectl.ts';

/** The installation under test, as `make env` prints it. A missing variable is an error: nothing here is skipped. */
export function installation(): { url: string; apiKey: string; namespace: string } {
  const need = (name: string): string => {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set; run "make test", or "eval $(make env)" first`);
    return value;
  };
  need('KUBECONFIG');
  return {
    url: need('PODWRIGHT_URL').replace(/\/$/, ''),
    apiKey: need('PODWRIGHT_API_KEY'),
    namespace: process.env['PODWRIGHT_NAMESPACE'] ?? 'podwright-system',
  };
}

/** A tenant of a test's own: namespace, BrowserTenant, BrowserPool and an API key. */
export interface TestTenant {
  name: string;
  namespace: string;
  apiKey: string;
  /** Applies a BrowserSession and returns it as it is then. */
  session(name: string, spec?: BrowserSessionSpec): Promise<BrowserSession>;
  /** Waits for a phase and returns the session; fails at once when it ends in another terminal phase. */
  phase(name: string, wanted: Phase | Phase[], timeoutMs?: number): Promise<BrowserSession>;
  get(name: string): Promise<BrowserSession | null>;
  remove(): Promise<void>;
}

export async function createTenant(
  prefix: string,
  options: { tenant?: object; pool?: object; scopes?: string } = {},
): Promise<TestTenant> {
  const name = `${prefix}-${randomBytes(3).toString('hex')}`;
  const namespace = `tenant-${name}`;
  const apiKey = newApiKey();
  const sample = await getObject<BrowserPool>('browserpool', 'default', 'tenant-demo');
  if (!sample)
    throw new Error('the sample pool tenant-demo/default is missing: is the chart installed with demo.enabled?');

  await applyObjects([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
  await applyObjects([
    {
      apiVersion: GROUP_VERSION,
      kind: 'BrowserTenant',
      metadata: { name },
      spec: { namespace, defaultPool: 'default', ...options.tenant },
    },
    {
      apiVersion: GROUP_VERSION,
      kind: 'BrowserPool',
      metadata: { name: 'default', namespace },
      spec: { ...sample.spec, warm: { min: 0, max: 0 }, ...options.pool },
    },
    keySecret(apiKey, name, options.scopes ?? 'run,browse,view,control,admin'),
  ]);
  await kubectl('wait', '--for=condition=Ready', `browsertenant/${name}`, '--timeout=60s');

  const get = (session: string) => getObject<BrowserSession>('browsersession', session, namespace);
  return {
    name,
    namespace,
    apiKey,
    get,
    async session(sessionName, spec = {}) {
      await applyObjects([
        { apiVersion: GROUP_VERSION, kind: 'BrowserSession', metadata: { name: sessionName, namespace }, spec },
      ]);
      return (await get(sessionName))!;
    },
    async phase(sessionName, wanted, timeoutMs = 120_000) {
      const accepted = new Set<string>([wanted].flat());
      const final = new Set(['Stopped', 'TimedOut', 'Failed']);
      const session = await eventually(
        `session ${sessionName} in phase ${[...accepted].join(' or ')}`,
        () => get(sessionName),
        (seen) => accepted.has(seen?.status?.phase ?? '') || final.has(seen?.status?.phase ?? ''),
        timeoutMs,
      );
      if (!accepted.has(session?.status?.phase ?? '')) {
        throw new Error(`session ${sessionName} ended: ${JSON.stringify(session?.status, null, 1)}`);
      }
      return session!;
    },
    async remove() {
      await kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--timeout=120s');
      await kubectl('delete', 'browsertenant', name, '--ignore-not-found', '--timeout=60s');
      await kubectl(
        'delete',
        'secret',
        OBJECT.apiKeySecret(keyId(apiKey)),
        '-n',
        installation().namespace,
        '--ignore-not-found',
      );
    },
  };
}

export function newApiKey(): string {
  return `bu_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('base64url')}`;
}

export function keyId(apiKey: string): string {
  return apiKey.split('_')[1]!;
}

function keySecret(apiKey: string, tenant: string, scopes: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: OBJECT.apiKeySecret(keyId(apiKey)),
      namespace: installation().namespace,
      labels: { [LABEL.apiKey]: 'true', [LABEL.tenant]: tenant },
    },
    stringData: { hash: createHash('sha256').update(apiKey).digest('hex'), scopes },
  };
}

/** A call of the gateway's API with a key. */
export async function api<T = Record<string, unknown>>(
  apiKey: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: T; headers: Headers }> {
  const response = await fetch(`${installation().url}${path}`, {
    method,
    headers: {
      'X-Browser-Use-API-Key': apiKey,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(40_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? undefined : JSON.parse(text)) as T,
    headers: response.headers,
  };
}

/** The condition of a session, by type. */
export function conditionOf(session: BrowserSession | null, type: string) {
  return session?.status?.conditions?.find((condition) => condition.type === type);
}
