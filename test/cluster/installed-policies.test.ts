import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installation } from '../harness/installation.ts';
import { applyObjects, kubectl, kubectlFails } from '../harness/kubectl.ts';

/** What the chart forbids, asked of the real API server by the accounts that the parts have. */
const namespace = `policies-${randomBytes(3).toString('hex')}`;
const { namespace: release } = installation();
const account = (part: string): string => `system:serviceaccount:${release}:podwright-${part}`;
const OURS = { 'podwright.dev/pool': 'default' };
let folder: string;
/** One that the platform allows. */
let image: string;

/** A pod that no node will run. */
const pod = (name: string, labels: Record<string, string>, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels },
  spec: {
    automountServiceAccountToken: false,
    nodeSelector: { 'podwright-test/none': 'true' },
    containers: [
      {
        name: 'browser',
        image,
        securityContext: {
          runAsNonRoot: true,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
    ...spec,
  },
});

/** Arguments of kubectl that ask the server whether `object` could be created, without creating it. */
async function wouldCreate(object: object, as?: string): Promise<string[]> {
  const file = join(folder, `${randomBytes(4).toString('hex')}.json`);
  await writeFile(file, JSON.stringify(object));
  return ['create', '--dry-run=server', '-o', 'name', '-f', file, ...(as === undefined ? [] : ['--as', as])];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podwright-policies-'));
  image = await kubectl('get', 'browserpool', 'default', '-n', 'tenant-demo', '-o', 'jsonpath={.spec.image}');
  await applyObjects([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
  await applyObjects([pod('plain', { app: 'x' })]);
});
afterAll(async () => {
  await kubectl('delete', 'namespace', namespace, '--wait=false');
  await rm(folder, { recursive: true, force: true });
});

describe('a pod with labels of podwright.dev', () => {
  test('is made by the operator, and then confined', async () => {
    expect(await kubectl(...(await wouldCreate(pod('browser', OURS), account('operator'))))).toContain('pod/browser');
  });

  test('is made by nobody else, not even an admin', async () => {
    expect(await kubectlFails(...(await wouldCreate(pod('browser', OURS))))).toContain(
      'Only the operator of Podwright',
    );
  });

  test('does not come about by a label', async () => {
    const printed = await kubectlFails(
      'label',
      'pod',
      'plain',
      '-n',
      namespace,
      'podwright.dev/session=x',
      '--dry-run=server',
    );
    expect(printed).toContain('Only the operator of Podwright');
  });

  test.each([
    ['a folder of the node', { volumes: [{ name: 'host', hostPath: { path: '/etc' } }] }],
    ['a Secret', { volumes: [{ name: 'keys', secret: { secretName: 'podwright-wrapping-key' } }] }],
    ['a token for the API server', { automountServiceAccountToken: true }],
    ['the network of the node', { hostNetwork: true }],
    ['the processes of the node', { hostPID: true }],
  ])('never has %s, even if the operator asks for it', async (_what, spec) => {
    const printed = await kubectlFails(...(await wouldCreate(pod('browser', OURS, spec), account('operator'))));
    expect(printed).toContain('A browser pod has no host namespace');
  });
});

test('a pod without them is nobody’s business', async () => {
  expect(await kubectl(...(await wouldCreate(pod('other', { app: 'x' }))))).toContain('pod/other');
  await kubectl('label', 'pod', 'plain', '-n', namespace, 'other=1', '--dry-run=server');
});

test('the operator makes no other pods', async () => {
  const printed = await kubectlFails(...(await wouldCreate(pod('other', { app: 'x' }), account('operator'))));
  expect(printed).toContain('makes browser pods only');
});

describe('no part may do what is not its job', () => {
  const may = (part: string, verb: string, what: string, where: string[]): Promise<string> =>
    kubectl('auth', 'can-i', verb, what, ...where, '--as', account(part)).then(
      () => 'yes',
      () => 'no',
    );
  const cases: [string, string, string, string[], 'yes' | 'no'][] = [
    ['operator', 'create', 'pods', ['-n', namespace], 'yes'],
    ['operator', 'list', 'secrets', ['-A'], 'no'],
    ['operator', 'create', 'secrets', ['-n', release], 'no'],
    ['operator', 'delete', 'namespaces', [], 'no'],
    ['gateway', 'create', 'browsersessions.podwright.dev', ['-n', namespace], 'yes'],
    ['gateway', 'create', 'pods', ['-n', namespace], 'no'],
    ['gateway', 'create', 'pods', ['--subresource=exec', '-n', namespace], 'no'],
    ['gateway', 'get', 'secrets', ['-n', namespace], 'no'],
    ['gateway', 'patch', 'browserpools.podwright.dev', ['-n', namespace], 'no'],
    ['keeper', 'patch', 'browserprofiles.podwright.dev', ['--subresource=status', '-n', namespace], 'yes'],
    ['keeper', 'patch', 'browserprofiles.podwright.dev', ['-n', namespace], 'no'],
    ['keeper', 'get', 'secrets', ['-n', release], 'no'],
    ['agent', 'get', 'pods', ['-n', namespace], 'no'],
    ['agent', 'get', 'browsersessions.podwright.dev', ['-n', namespace], 'no'],
  ];
  test.each(cases)('%s, %s %s %j: %s', async (part, verb, what, where, answer) => {
    expect(await may(part, verb, what, where)).toBe(answer);
  });
});
