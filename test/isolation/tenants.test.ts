import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GROUP_VERSION, LABEL } from '@podwright/api/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, createTenant, installation } from '../harness/installation.ts';
import { applyObjects, getObject, kubectl, kubectlFails } from '../harness/kubectl.ts';

/** People of a tenant against the API server: what their roles leave out, and what admission refuses whatever they have. */
let tenant: TestTenant;
let folder: string;
let pod: string;
/** As much of a pod's spec as is changed here. */
type Spec = { containers: Record<string, unknown>[]; volumes: unknown[] } & Record<string, unknown>;
const USERS = ['view', 'edit', 'admin'] as const;
const as = (user: string): string[] => ['--as', user];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podwright-tenants-'));
  tenant = await createTenant('hostile');
  const binding = (user: string, role: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: user, namespace: tenant.namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
  });
  await applyObjects([
    ...USERS.map((user) => binding(user, `podwright-tenant-${user}`)),
    binding('cluster-edit', 'edit'),
    binding('cluster-admin-here', 'admin'),
  ]);
  await tenant.session('victim');
  await tenant.phase('victim', 'Ready');
  pod = (await tenant.get('victim'))!.status!.podName!;
}, 240_000);
afterAll(() => Promise.all([tenant?.remove(), rm(folder, { recursive: true, force: true })]));

async function file(object: object): Promise<string> {
  const path = join(folder, `${randomBytes(4).toString('hex')}.json`);
  await writeFile(path, JSON.stringify(object));
  return path;
}
const here = (): string[] => ['-n', tenant.namespace];

describe('the roles of a tenant', () => {
  const may = async (user: string, verb: string, what: string): Promise<boolean> => {
    const [resource = '', subresource] = what.split('/');
    const part = subresource === undefined ? [] : [`--subresource=${subresource}`];
    return kubectl('auth', 'can-i', verb, resource, ...part, ...here(), ...as(user)).then(
      () => true,
      () => false,
    );
  };
  const CLOSED = [
    ...['get', 'list', 'create', 'patch', 'delete'].map((verb) => [verb, 'pods'] as const),
    ['create', 'pods/exec'],
    ['get', 'pods/exec'],
    ['create', 'pods/attach'],
    ['create', 'pods/portforward'],
    ['get', 'pods/proxy'],
    ['create', 'pods/ephemeralcontainers'],
    ['get', 'pods/log'],
    ['create', 'pods/eviction'],
    ['get', 'secrets'],
    ['list', 'secrets'],
    ['create', 'secrets'],
    ['get', 'configmaps'],
    ['create', 'configmaps'],
    ['create', 'serviceaccounts/token'],
    ['impersonate', 'serviceaccounts'],
    ['get', 'services'],
    ['get', 'services/proxy'],
    ['get', 'browserpools.podwright.dev'],
    ['create', 'browserpools.podwright.dev'],
    ['patch', 'browserpools.podwright.dev'],
    ['get', 'browsertenants.podwright.dev'],
    ['patch', 'browsertenants.podwright.dev'],
    ['patch', 'browsersessions.podwright.dev/status'],
    ['update', 'browsersessions.podwright.dev/finalizers'],
    ['patch', 'browserprofiles.podwright.dev/status'],
    ['create', 'networkpolicies.networking.k8s.io'],
    ['delete', 'networkpolicies.networking.k8s.io'],
    ['patch', 'resourcequotas'],
    ['create', 'roles.rbac.authorization.k8s.io'],
    ['patch', 'namespaces'],
    ['get', 'nodes'],
    ['create', 'deployments.apps'],
    ['create', 'jobs.batch'],
  ] as const;

  test.each(USERS)('%s: none of what is closed', async (user) => {
    const answers = await Promise.all(
      CLOSED.map(async ([verb, what]) => ({ it: `${verb} ${what}`, may: await may(user, verb, what) })),
    );
    expect(answers.filter((one) => one.may)).toEqual([]);
  });

  test('view reads, edit works, admin hands on', async () => {
    const table = await Promise.all(
      USERS.map(async (user) => [
        user,
        await may(user, 'get', 'browsersessions.podwright.dev'),
        await may(user, 'create', 'browsersessions.podwright.dev'),
        await may(user, 'create', 'rolebindings.rbac.authorization.k8s.io'),
      ]),
    );
    expect(table).toEqual([
      ['view', true, false, false],
      ['edit', true, true, false],
      ['admin', true, true, true],
    ]);
  });

  test('admin hands on no more than it has', async () => {
    const role = (name: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: `more-${name}`, namespace: tenant.namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', name: 'friend', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    await kubectl('create', '-f', await file(role('podwright-tenant-edit')), ...as('admin'));
    for (const name of ['edit', 'admin', 'cluster-admin', 'podwright-operator']) {
      expect(await kubectlFails('create', '-f', await file(role(name)), ...as('admin'))).toMatch(/forbidden|escalat/);
    }
  });
});

describe.each(['cluster-edit', 'cluster-admin-here'])('%s, who has the role of the cluster itself', (user) => {
  const asUser = as(user);

  test('gets into no pod', async () => {
    expect(await kubectlFails('exec', ...here(), pod, '-c', 'browser', ...asUser, '--', 'id')).toContain(
      'belong to the platform',
    );
    expect(await kubectlFails('exec', ...here(), pod, '-c', 'supervisor', ...asUser, '--', 'id')).toContain(
      'belong to the platform',
    );
    expect(await kubectlFails('attach', ...here(), pod, '-c', 'browser', ...asUser)).toContain(
      'belong to the platform',
    );
    expect(
      await kubectlFails(
        'get',
        '--raw',
        `/api/v1/namespaces/${tenant.namespace}/pods/${pod}:9000/proxy/healthz`,
        ...asUser,
      ),
    ).toMatch(/belong to the platform|forbidden/i);
    expect(await kubectlFails('debug', pod, ...here(), '--image=podwright', '--target=supervisor', ...asUser)).toMatch(
      /takes no ephemeral containers|may change|forbidden/i,
    );
  });

  test.each<[string, object[]]>([
    ['its image', [{ op: 'replace', path: '/spec/containers/0/image', value: 'evil' }]],
    ['its deadline', [{ op: 'replace', path: '/spec/activeDeadlineSeconds', value: 1 }]],
    ['its tolerations', [{ op: 'add', path: '/spec/tolerations/-', value: { operator: 'Exists' } }]],
    [
      'its session',
      [{ op: 'replace', path: '/metadata/labels/podwright.dev~1session-uid', value: crypto.randomUUID() }],
    ],
    ['its egress', [{ op: 'replace', path: '/metadata/labels/podwright.dev~1egress', value: 'none' }]],
    ['its pool', [{ op: 'remove', path: '/metadata/labels/podwright.dev~1pool' }]],
  ])('does not change of a browser pod %s', async (what, patch) => {
    const printed = await kubectlFails(
      'patch',
      'pod',
      pod,
      ...here(),
      '--type=json',
      '-p',
      JSON.stringify(patch),
      ...asUser,
    );
    expect(printed, what).toMatch(/Only the operator of Podwright/);
  });

  test.each<[string, object]>([
    ['with our labels', { labels: { [LABEL.pool]: 'default', [LABEL.egress]: 'public' } }],
    ['with one of our labels', { labels: { [LABEL.sessionUid]: crypto.randomUUID() } }],
    ['that looks like a part of the installation', { labels: { [LABEL.tenant]: 'x' } }],
  ])('makes no pod %s', async (_, metadata) => {
    const confined = {
      allowPrivilegeEscalation: false,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'impostor', namespace: tenant.namespace, ...metadata },
      spec: { containers: [{ name: 'x', image: 'x', securityContext: confined }] },
    };
    expect(await kubectlFails('create', '-f', await file(object), ...asUser)).toMatch(/Only the operator of Podwright/);
  });

  test('opens no policy and takes none away', async () => {
    const open = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'open', namespace: tenant.namespace },
      spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] },
    };
    expect(await kubectlFails('create', '-f', await file(open), ...asUser)).toContain('belong to the platform');
    expect(await kubectlFails('delete', 'networkpolicy', 'podwright-default-deny', ...here(), ...asUser)).toContain(
      'belong to the platform',
    );
    const patch = JSON.stringify({ spec: { egress: [{}] } });
    expect(
      await kubectlFails(
        'patch',
        'networkpolicy',
        'podwright-default-deny',
        ...here(),
        '--type=merge',
        '-p',
        patch,
        ...asUser,
      ),
    ).toContain('belong to the platform');
  });

  test('makes no pool', async () => {
    const pool = {
      apiVersion: GROUP_VERSION,
      kind: 'BrowserPool',
      metadata: { name: 'own', namespace: tenant.namespace },
      spec: { image: 'evil' },
    };
    expect(await kubectlFails('create', '-f', await file(pool), ...asUser)).toMatch(/forbidden/i);
  });
});

test('the platform itself gets into a pod and writes policies', async () => {
  expect(await kubectl('exec', ...here(), pod, '-c', 'browser', '--', 'id', '-u')).toBe('10001\n');
  const name = 'podwright-default-deny';
  await kubectl('annotate', 'networkpolicy', name, ...here(), 'x=y');
});

describe('what the operator’s own account may make is confined', () => {
  const operator = ['--as', `system:serviceaccount:${installation().namespace}:podwright-operator`];
  const template = async (): Promise<{
    metadata: object;
    spec: Spec;
  }> => {
    const found = await getObject<{
      metadata: { labels: object };
      spec: Spec;
    }>('pod', pod, tenant.namespace);
    const spec = structuredClone(found!.spec);
    delete spec['nodeName'];
    return {
      metadata: {
        name: `made-${randomBytes(3).toString('hex')}`,
        namespace: tenant.namespace,
        labels: found!.metadata.labels,
      },
      spec,
    };
  };
  const create = async (change: (spec: Spec) => void): Promise<string[]> => {
    const { metadata, spec } = await template();
    change(spec);
    return [
      'create',
      '--dry-run=server',
      '-o',
      'name',
      '-f',
      await file({ apiVersion: 'v1', kind: 'Pod', metadata, spec }),
      ...operator,
    ];
  };
  const confine = (container: Record<string, unknown>, more: object): void => {
    container['securityContext'] = { ...(container['securityContext'] as object), ...more };
  };

  test('a pod like those it makes passes', async () => {
    expect(await kubectl(...(await create(() => undefined)))).toContain('pod/made-');
  });

  test.each<[string, (spec: Spec) => void]>([
    ['another image', ({ containers }) => (containers[0]!['image'] = 'evil/browser:1')],
    ['an image of a longer name', ({ containers }) => (containers[0]!['image'] = 'podwright-evil:1')],
    [
      'a container that may be root',
      ({ containers }) => confine(containers[0]!, { runAsNonRoot: false, runAsUser: 0 }),
    ],
    [
      'a privileged container',
      ({ containers }) => confine(containers[0]!, { privileged: true, allowPrivilegeEscalation: true }),
    ],
    ['more rights on the way', ({ containers }) => confine(containers[0]!, { allowPrivilegeEscalation: true })],
    [
      'a capability',
      ({ containers }) => confine(containers[0]!, { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }),
    ],
    ['capabilities that are kept', ({ containers }) => confine(containers[0]!, { capabilities: {} })],
    ['a writable root', ({ containers }) => confine(containers[0]!, { readOnlyRootFilesystem: false })],
    ['a bare /proc', ({ containers }) => confine(containers[0]!, { procMount: 'Unmasked' })],
    ['a port of the node', ({ containers }) => (containers[0]!['ports'] = [{ containerPort: 9000, hostPort: 9000 }])],
    ['a container that runs before', (spec) => (spec['initContainers'] = [{ name: 'x', image: 'podwright:1' }])],
    ['a folder of the node', (spec) => (spec.volumes = [...spec.volumes, { name: 'host', hostPath: { path: '/' } }])],
    ['a Secret', (spec) => (spec.volumes = [...spec.volumes, { name: 'keys', secret: { secretName: 'x' } }])],
    ['a token', (spec) => (spec['automountServiceAccountToken'] = true)],
    ['the network of the node', (spec) => Object.assign(spec, { hostNetwork: true, hostUsers: true })],
  ])('%s does not', async (_, change) => {
    expect(await kubectlFails(...(await create(change)))).toMatch(
      /A browser pod|The containers of a browser pod|not on the platform's list|violates PodSecurity|denied/,
    );
  });
});
