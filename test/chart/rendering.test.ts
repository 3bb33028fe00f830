import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ModelsFile } from '@podwright/api/models';

/** What the chart makes of values, by the real helm; the cluster tests install it. */
const run = promisify(execFile);
const chart = join(import.meta.dirname, '../../charts/podwright');

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec?: Record<string, unknown>;
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }[];
  data?: Record<string, string>;
}
interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  securityContext: Record<string, unknown>;
  containers: {
    name: string;
    image: string;
    env?: { name: string; value?: string }[];
    resources: { requests: object; limits: object };
    securityContext: Record<string, unknown>;
    readinessProbe?: object;
  }[];
  volumes: { name: string; hostPath?: object }[];
}

async function render(...values: string[]): Promise<Manifest[]> {
  const args = ['template', 'podwright', chart, '-n', 'podwright-system', '--kube-version', '1.37.2'];
  const { stdout } = await run('helm', [...args, ...values.flatMap((value) => ['--set-json', value])], {
    maxBuffer: 32 * 1024 * 1024,
  });
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}
const refusal = (...values: string[]): Promise<string> =>
  render(...values).then(
    () => 'accepted',
    (error: unknown) => (error as { stderr: string }).stderr,
  );

const workloads = (manifests: Manifest[]) =>
  manifests
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind))
    .map(({ metadata, spec }) => ({
      name: metadata.name,
      pod: (spec as { template: { spec: PodSpec } }).template.spec,
    }));
const find = (manifests: Manifest[], kind: string, name: string): Manifest =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)!;

let plain: Manifest[];
let demo: Manifest[];
beforeAll(async () => {
  plain = await render();
  demo = await render('demo.enabled=true');
});

describe('every pod', () => {
  test('is what Pod Security restricted asks for, but the seccomp installer', () => {
    for (const { name, pod } of workloads(demo)) {
      if (name === 'podwright-seccomp-installer') continue;
      expect(pod.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(
        pod.volumes?.some(({ hostPath }) => hostPath),
        name,
      ).not.toBe(true);
      for (const container of pod.containers) {
        expect(container.securityContext, name).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  test('asks for processor and memory, and has a limit of memory', () => {
    for (const { name, pod } of workloads(demo)) {
      for (const { resources } of pod.containers) {
        expect(resources, name).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  test('that serves says when it is ready', () => {
    for (const { name, pod } of workloads(demo)) {
      if (name !== 'podwright-keygen') expect(pod.containers[0]?.readinessProbe, name).toBeDefined();
    }
  });

  test('carries no label of podwright.dev, which are for browser pods', () => {
    expect(JSON.stringify(workloads(demo))).not.toContain('podwright.dev/');
  });

  test('of an agent has no token for the API server', () => {
    const agent = workloads(plain).find(({ name }) => name === 'podwright-agent');
    expect(agent?.pod.automountServiceAccountToken).toBe(false);
  });

  test('fits together on a machine with two processors', () => {
    const cpus = demo
      .filter(({ kind }) => ['Deployment', 'StatefulSet', 'DaemonSet'].includes(kind))
      .map(({ spec }) => spec as { replicas?: number; template: { spec: PodSpec } })
      .map(({ replicas = 1, template }) => {
        const requests = template.spec.containers[0]?.resources.requests as { cpu: string };
        return replicas * Number.parseInt(requests.cpu, 10);
      });
    expect(cpus.reduce((sum, cpu) => sum + cpu, 0)).toBeLessThan(500);
  });
});

describe('rights', () => {
  const roles = (manifests: Manifest[]) => manifests.filter(({ kind }) => kind.endsWith('Role'));

  test('are never given by a star', () => {
    for (const { metadata, rules } of roles(demo)) expect(JSON.stringify(rules), metadata.name).not.toContain('*');
  });

  test('to Secrets of all namespaces are the operator’s alone, one at a time by name', () => {
    const withSecrets = roles(plain)
      .filter(({ kind }) => kind === 'ClusterRole')
      .flatMap(({ metadata, rules }) =>
        (rules ?? [])
          .filter(({ resources }) => resources.includes('secrets'))
          .map(({ verbs }) => [metadata.name, verbs]),
      );
    expect(withSecrets).toEqual([['podwright-operator', ['get']]]);
  });

  test('to make pods are the operator’s alone', () => {
    const makers = roles(plain).filter(({ rules }) =>
      rules?.some(({ resources, verbs }) => resources.includes('pods') && verbs.includes('create')),
    );
    expect(makers.map(({ metadata }) => metadata.name)).toEqual(['podwright-operator']);
  });

  test('of an agent are none', () => {
    expect(JSON.stringify(plain.filter(({ kind }) => kind.endsWith('RoleBinding')))).not.toContain('podwright-agent');
  });
});

describe('models', () => {
  const fileOf = (manifests: Manifest[]): unknown =>
    JSON.parse(find(manifests, 'ConfigMap', 'podwright-models').data?.['models.json'] ?? '');

  test('are the demo model when none is named', () => {
    const file = fileOf(plain);
    expect(Value.Check(ModelsFile, file)).toBe(true);
    expect(file).toMatchObject({
      default: 'demo',
      aliases: { 'bu-max': 'demo' },
      models: [{ name: 'demo', demo: true }],
    });
  });

  test('are those of the values, with keys by reference and only in the agent', async () => {
    const entry = {
      name: 'claude',
      provider: 'anthropic',
      model: 'claude-x',
      secretRef: { name: 'keys', key: 'anthropic' },
      contextLimit: 200_000,
      price: { input: '3', cachedInput: '0.3', output: '15' },
    };
    const manifests = await render(`models.entries=${JSON.stringify([entry])}`);
    const file = fileOf(manifests);
    expect(Value.Check(ModelsFile, file)).toBe(true);
    expect(file).toMatchObject({ default: 'claude', models: [{ name: 'claude', apiKeyEnv: 'MODEL_KEY_0' }] });
    const holders = workloads(manifests).filter(({ pod }) =>
      pod.containers[0]?.env?.some(({ name }) => name.startsWith('MODEL_KEY')),
    );
    expect(holders.map(({ name }) => name)).toEqual(['podwright-agent']);
    expect(JSON.stringify(file)).not.toContain('secretRef');
  });
});

describe('stores', () => {
  test('are volumes by default', () => {
    expect(find(plain, 'PersistentVolumeClaim', 'podwright-keeper-blobs')).toBeDefined();
    expect(find(plain, 'StatefulSet', 'podwright-redis').spec).toHaveProperty('volumeClaimTemplates');
  });

  test('can be S3 and a Redis of one’s own', async () => {
    const manifests = await render(
      'keeper.blobs={"type":"S3","s3":{"bucket":"blobs","existingSecret":"s3"}}',
      'redis={"embedded":{"enabled":false},"external":{"existingSecret":"redis"}}',
    );
    expect(manifests.filter(({ kind }) => ['StatefulSet', 'PersistentVolumeClaim'].includes(kind))).toEqual([]);
    const keeper = workloads(manifests).find(({ name }) => name === 'podwright-keeper')?.pod.containers[0];
    expect(keeper?.env).toContainEqual({ name: 'PODWRIGHT_S3_BUCKET', value: 'blobs' });
    expect(keeper?.env?.some(({ name }) => name === 'PODWRIGHT_BLOB_DIR')).toBe(false);
  });
});

describe('the demo', () => {
  test('opens its page, and only that, to the browsers of its tenant', () => {
    expect(find(demo, 'BrowserPool', 'default').spec).toMatchObject({
      warm: { min: 1 },
      network: { allowInternal: [{ host: 'demo-site.podwright-demo.svc.cluster.local', ports: [80] }] },
    });
  });

  test('is not there unless asked for', () => {
    expect(plain.filter(({ kind }) => kind.startsWith('Browser'))).toEqual([]);
  });
});

describe('values that cannot work are refused with words', () => {
  const cases: [string, string[], RegExp][] = [
    ['a misspelt name', ['gateway.replica=3'], /additional properties 'replica' not allowed/],
    ['no Redis at all', ['redis.embedded.enabled=false'], /Podwright needs a Redis/],
    ['S3 without a bucket', ['keeper.blobs.type="S3"'], /keeper.blobs.s3.bucket must name a bucket/],
    ['an unknown store', ['keeper.blobs.type="Disk"'], /keeper\/blobs\/type/],
    ['a public URL with a trailing slash', ['gateway.publicUrl="https://x.example/"'], /gateway\/publicUrl/],
    [
      'a default model that is not there',
      [
        'models={"default":"b","entries":[{"name":"a","provider":"openai","model":"a","price":{"input":"1","cachedInput":"1","output":"1"}}]}',
      ],
      /models.default is "b"/,
    ],
    [
      'a compatible model without its address',
      [
        'models.entries=[{"name":"a","provider":"openai-compatible","model":"a","price":{"input":"1","cachedInput":"1","output":"1"}}]',
      ],
      /needs baseUrl/,
    ],
    [
      'a price that is a number',
      [
        'models.entries=[{"name":"a","provider":"openai","model":"a","price":{"input":1,"cachedInput":"1","output":"1"}}]',
      ],
      /price\/input.*want string/s,
    ],
  ];
  test.each(cases)('%s', async (_what, values, words) => {
    expect(await refusal(...values)).toMatch(words);
  });
});
