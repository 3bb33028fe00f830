import { type Client } from '@podwright/kube/client';
import type { ConfigMap } from '@podwright/kube/objects';
import type { ResourceType } from '@podwright/kube/resource';

/** A kind of the test's own, whose definition comes and goes; it looks like a ConfigMap. */
export const WIDGETS: ResourceType<ConfigMap> = {
  group: 'test.podwright.dev',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

export const WIDGET_DEFINITION = {
  metadata: { name: 'widgets.test.podwright.dev' },
  spec: {
    group: WIDGETS.group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

const ACCOUNT = 'watcher';
const BINDING = 'watcher';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** An account of the namespace that may read what is watched here. */
export async function grantReading(admin: Client, namespace: string): Promise<void> {
  const path = `${RBAC}/namespaces/${namespace}`;
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [WIDGETS.group], resources: [WIDGETS.plural], verbs: ['get', 'list', 'watch'] },
  ];
  await Promise.all([
    admin.raw('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: ACCOUNT } }),
    admin.raw('POST', `${path}/roles`, { metadata: { name: ACCOUNT }, rules }),
  ]);
  await allowAgain(admin, namespace);
}

export async function allowAgain(admin: Client, namespace: string): Promise<void> {
  await admin.raw('POST', `${RBAC}/namespaces/${namespace}/rolebindings`, {
    metadata: { name: BINDING },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: ACCOUNT },
    subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
  });
}

export async function forbid(admin: Client, namespace: string): Promise<void> {
  await admin.raw('DELETE', `${RBAC}/namespaces/${namespace}/rolebindings/${BINDING}`);
}

/** A new token of that account. */
export async function tokenOf(admin: Client, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${ACCOUNT}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  return (await admin.raw<{ status: { token: string } }>('POST', path, request)).status.token;
}
