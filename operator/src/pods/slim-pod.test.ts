import { SUPERVISOR_ENV } from '@podwright/api/names';
import type { Pod } from '@podwright/kube/objects';
import { expect, test } from 'vitest';
import { pool } from '../testing/objects.ts';
import { pod } from '../testing/objects.ts';
import { podFailure } from './pod-failure.ts';
import { podTemplate } from './pod-template.ts';
import { createSlimPod } from './slim-pod.ts';

const template = podTemplate(pool(), 'tenant', {
  installation: 'test',
  supervisorImage: 'supervisor:1',
  tokenKeys: { operator: [{ kid: 'one', pem: 'a long text' }], gateway: [], keeper: [] },
  clusterCidrs: [],
  apiServer: undefined,
  userNamespaces: false,
  priorityClass: undefined,
  imagePullSecrets: [],
  gateway: undefined,
  limits: { images: [], unsandboxed: [] },
});
const whole = (): Pod => {
  const facts = pod({ browser: { terminated: { exitCode: 137, reason: 'OOMKilled' } } });
  return { ...facts, spec: { ...structuredClone(template.spec), nodeName: 'node-1' } };
};

test('what decisions ask of a pod is still there', () => {
  const slim = createSlimPod()(whole());
  expect(slim.metadata).toEqual(whole().metadata);
  expect(slim.status).toEqual(whole().status);
  expect(slim.spec.nodeName).toBe('node-1');
  expect(podFailure(slim)).toEqual(podFailure(whole()));
});

test('the template is not, but for the token keys that it was started with', () => {
  const slim = createSlimPod()(whole());
  expect(slim.spec.volumes).toBeUndefined();
  expect(JSON.stringify(slim).length).toBeLessThan(JSON.stringify(whole()).length / 2);
  const env = slim.spec.containers.flatMap((container) => container.env);
  expect(env).toEqual([{ name: SUPERVISOR_ENV.tokenKeys, value: expect.stringContaining('a long text') }]);
});
