import { LABEL, SUPERVISOR_ENV } from '@podwright/api/names';
import { describe, expect, test } from 'vitest';
import { pool, session } from '../testing/objects.ts';
import { newColdPod, newWarmPod } from './new-pod.ts';
import { labelValue, warmPodName } from './pod-names.ts';
import { type PodSettings, podTemplate } from './pod-template.ts';

const settings: PodSettings = {
  installation: 'podwright',
  supervisorImage: 'podwright:1',
  tokenKeys: { operator: [], gateway: [], keeper: [] },
  clusterCidrs: ['10.244.0.0/16'],
  apiServer: '10.96.0.1:443',
  gateway: '10.96.0.2:8080',
  limits: { images: [], unsandboxed: [] },
  userNamespaces: false,
  priorityClass: undefined,
  imagePullSecrets: [],
};
const template = (over: Parameters<typeof pool>[0] = {}, more: Partial<PodSettings> = {}) =>
  podTemplate(pool(over), 't', { ...settings, ...more });

describe('a browser pod', () => {
  test('passes the restricted Pod Security standard by its own fields', () => {
    const { spec } = template();
    expect(spec).toMatchObject({ automountServiceAccountToken: false, restartPolicy: 'Never' });
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const { securityContext } of spec.containers) {
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  test('gives its containers different users', () => {
    const users = template().spec.containers.map(({ securityContext }) => securityContext?.runAsUser);
    expect(new Set(users).size).toBe(2);
  });

  test.each([
    ['Auto', false, undefined, 'Localhost'],
    ['Auto', true, false, 'Localhost'],
    ['UserNamespace', false, false, 'Localhost'],
    ['Seccomp', true, undefined, 'Localhost'],
    ['None', true, undefined, 'RuntimeDefault'],
  ] as const)('sandbox %s on nodes with user namespaces %s', (mode, userNamespaces, hostUsers, seccomp) => {
    const { spec } = template({ sandbox: { mode } }, { userNamespaces });
    expect(spec.hostUsers).toBe(hostUsers);
    expect(spec.containers[1]?.securityContext?.seccompProfile?.type).toBe(seccomp);
  });

  test('holds no secret: only public keys and what the pool opens', () => {
    const names = template().spec.containers[0]?.env?.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([SUPERVISOR_ENV.tokenKeys, SUPERVISOR_ENV.egressFloor]));
    expect(names?.filter((name) => /secret|password|private/i.test(name))).toEqual([]);
  });

  test('has another hash when anything in its template differs, and the same when nothing does', () => {
    expect(template().hash).toBe(template().hash);
    expect(template().hash).not.toBe(template({ maxScreen: { width: 800, height: 600 } }).hash);
    expect(template().hash).not.toBe(template({}, { supervisorImage: 'podwright:2' }).hash);
    expect(template({ warm: { min: 3 } }).hash).toBe(template().hash);
  });
});

describe('names and labels', () => {
  test('a warm pod belongs to its pool and may go nowhere', () => {
    const { metadata } = newWarmPod(pool(), template(), 'abcd1234');
    expect(metadata.name).toBe('default-warm-abcd1234');
    expect(metadata.labels).toMatchObject({ [LABEL.claimed]: 'false', [LABEL.egress]: 'none' });
    expect(metadata.ownerReferences?.[0]?.kind).toBe('BrowserPool');
  });

  test('a cold pod is named for its session, and ends by itself at the latest', () => {
    const { metadata, spec } = newColdPod(session(), template(), 'public', 4200);
    expect(metadata.name).toBe('bs-uid-s');
    expect(metadata.ownerReferences?.[0]).toMatchObject({ kind: 'BrowserSession', uid: 'uid-s' });
    expect(spec.activeDeadlineSeconds).toBe(4200);
  });

  test('long names stay within the bounds of labels and keep apart', () => {
    const [first, second] = [`${'a'.repeat(80)}1`, `${'a'.repeat(80)}2`];
    expect(labelValue(first).length).toBeLessThanOrEqual(63);
    expect(labelValue(first)).not.toBe(labelValue(second));
    expect(warmPodName(first, 'abcd1234').length).toBeLessThanOrEqual(63);
  });
});
