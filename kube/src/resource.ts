import { API_GROUP, API_VERSION } from '@podwright/api/names';
import { KINDS } from '@podwright/api/kinds/all';
import type { ObjectMeta } from '@podwright/api/kinds/metadata';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import type { BrowserProfile } from '@podwright/api/kinds/profile';
import type { BrowserSession } from '@podwright/api/kinds/session';
import type { BrowserTenant } from '@podwright/api/kinds/tenant';
import type {
  ConfigMap,
  CustomResourceDefinition,
  KubeEvent,
  Lease,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Node,
  Pod,
  Secret,
  Service,
} from './objects.ts';

/** Anything the API server stores. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** Where a kind is served. `T` is what the server answers with. */
export interface ResourceType<T extends KubeObject> {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
  /** Never set: carries the type of the objects for inference. */
  readonly object?: T;
}

const define = <T extends KubeObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced = true,
): ResourceType<T> => ({ group, version, plural, kind, namespaced });

const own = <T extends KubeObject>(kind: keyof typeof KINDS): ResourceType<T> =>
  define<T>(API_GROUP, API_VERSION, KINDS[kind].plural, kind, KINDS[kind].scope === 'Namespaced');

/** The kinds that parts of Podwright read or write. Any other is reached with a ResourceType of the caller's own. */
export const RESOURCE = {
  browserSessions: own<BrowserSession>('BrowserSession'),
  browserPools: own<BrowserPool>('BrowserPool'),
  browserProfiles: own<BrowserProfile>('BrowserProfile'),
  browserTenants: own<BrowserTenant>('BrowserTenant'),
  pods: define<Pod>('', 'v1', 'pods', 'Pod'),
  secrets: define<Secret>('', 'v1', 'secrets', 'Secret'),
  configMaps: define<ConfigMap>('', 'v1', 'configmaps', 'ConfigMap'),
  services: define<Service>('', 'v1', 'services', 'Service'),
  nodes: define<Node>('', 'v1', 'nodes', 'Node', false),
  namespaces: define<Namespace>('', 'v1', 'namespaces', 'Namespace', false),
  networkPolicies: define<NetworkPolicy>('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy'),
  podDisruptionBudgets: define<PodDisruptionBudget>('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  leases: define<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease'),
  events: define<KubeEvent>('events.k8s.io', 'v1', 'events', 'Event'),
  customResourceDefinitions: define<CustomResourceDefinition>(
    'apiextensions.k8s.io',
    'v1',
    'customresourcedefinitions',
    'CustomResourceDefinition',
    false,
  ),
} as const;

/** `group/version` as it stands in manifests: `v1` for the core group. */
export const apiVersionOf = (resource: Pick<ResourceType<KubeObject>, 'group' | 'version'>): string =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;

/** Path of a collection or, with a name, of one object; a subresource (`status`, `eviction`) comes last. */
export function pathOf(
  resource: ResourceType<KubeObject>,
  target: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined },
): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const parts = [root];
  if (resource.namespaced && target.namespace !== undefined)
    parts.push('namespaces', encodeURIComponent(target.namespace));
  parts.push(resource.plural);
  if (target.name !== undefined) parts.push(encodeURIComponent(target.name));
  if (target.subresource !== undefined) parts.push(target.subresource);
  return parts.join('/');
}

/** `namespace/name`, or the name alone of a cluster-scoped object: the key of caches and queues. */
export const keyOf = (object: { metadata: { namespace?: string; name: string } }): string =>
  object.metadata.namespace === undefined
    ? object.metadata.name
    : `${object.metadata.namespace}/${object.metadata.name}`;
