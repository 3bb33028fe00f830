import { LABEL } from '@podwright/api/names';

/** A write as the proxy sees it. */
export interface ApiWrite {
  method: string;
  namespace: string | undefined;
  /**
   * What it does, in words that are the same in every run of a scenario: verb, kind, name without random parts, and for
   * a status what it says. Two writes of one run may read the same.
   */
  words: string;
}

interface Body {
  metadata?: { name?: string; generateName?: string; labels?: Record<string, string>; finalizers?: string[] };
  status?: { phase?: string; reason?: string; holder?: unknown };
  reason?: string;
  regarding?: { name?: string };
  series?: unknown;
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** Reads requests into writes. It remembers which session a pod was claimed for, so that its delete can say so. */
export function createWriteReader(): (method: string, url: string, body: Buffer) => ApiWrite {
  const sessionOfPod = new Map<string, string>();
  return (method, url, raw) => {
    const path = url.split('?')[0]!.split('/');
    // /api/v1/namespaces/NS/pods/NAME/SUB, /apis/GROUP/V/namespaces/NS/…, or the same without a namespace.
    const rest = path.slice(path[1] === 'api' ? 3 : 4);
    const namespaced = rest[0] === 'namespaces' && rest.length > 2;
    const [kind = '', named, subresource] = namespaced ? rest.slice(2) : rest;
    const namespace = namespaced ? rest[1] : undefined;
    const body = parse(raw);
    const name = named ?? body.metadata?.name ?? '';
    const parts = [verbOf(method, kind, body), singular(kind)];
    if (kind === 'pods') {
      const session = body.metadata?.labels?.[LABEL.session];
      const key = `${namespace}/${name}`;
      if (session !== undefined) sessionOfPod.set(key, session);
      const owner = sessionOfPod.get(key);
      parts.push(name.replace(/-warm-[0-9a-f]{8}$/, '-warm-*').replace(UID, '*'));
      if (owner !== undefined) parts.push(`of ${owner}`);
    } else if (kind === 'events') {
      parts.push(`${body.reason ?? '(count)'} about ${plain(body.regarding?.name ?? name)}`);
    } else parts.push(plain(name));
    if (subresource !== undefined) parts.push(subresource);
    if (kind === 'browsersessions' && body.status) parts.push(`${body.status.phase}/${body.status.reason}`);
    return { method, namespace, words: parts.join(' ') };
  };
}

function verbOf(method: string, kind: string, body: Body): string {
  if (method !== 'PATCH') return { POST: 'create', PUT: 'update', DELETE: 'delete' }[method] ?? method;
  if (body.metadata?.finalizers)
    return body.metadata.finalizers.length > 0 ? 'add finalizer to' : 'take finalizer from';
  if (kind === 'pods' && body.metadata?.labels?.[LABEL.session] !== undefined) return 'claim';
  if (body.status?.holder !== undefined) return 'hold';
  return Array.isArray(body) ? 'release' : 'apply';
}

/** Names of a replay carry its number. */
const plain = (name: string): string => name.replace(/^crash-\d+/, 'tenant');

const singular = (plural: string): string => (plural.endsWith('ies') ? `${plural.slice(0, -3)}y` : plural.slice(0, -1));

function parse(raw: Buffer): Body {
  try {
    return JSON.parse(raw.toString()) as Body;
  } catch {
    return {};
  }
}
