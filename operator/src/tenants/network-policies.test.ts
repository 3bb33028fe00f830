import type { Service } from '@podwright/kube/objects';
import { describe, expect, test } from 'vitest';
import { pool, time } from '../testing/objects.ts';
import { egressRule, serviceKeyOf } from './internal-destination.ts';
import { networkPolicies } from './network-policies.ts';

const site: Service = {
  metadata: { name: 'site', namespace: 'demo', uid: 'u', resourceVersion: '1', creationTimestamp: time(0) },
  spec: {
    selector: { app: 'site' },
    ports: [
      { port: 80, targetPort: 8080 },
      { port: 443, targetPort: 'https' },
    ],
  },
};
const serviceOf = (key: string): Service | undefined => (key === 'demo/site' ? site : undefined);

describe('an internal destination', () => {
  test.each([
    ['site.demo', 'demo/site'],
    ['site.demo.svc', 'demo/site'],
    ['site.demo.svc.cluster.local', 'demo/site'],
    ['site', undefined],
    ['www.example.com', undefined],
    ['*.demo', undefined],
  ])('%s names Service %s', (host, key) => {
    expect(serviceKeyOf(host)).toBe(key);
  });

  test('a Service is opened as its pods on their own ports', () => {
    expect(egressRule({ host: 'site.demo.svc.cluster.local', ports: [80, 443] }, serviceOf)).toEqual({
      to: [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'demo' } },
          podSelector: { matchLabels: { app: 'site' } },
        },
      ],
      ports: [
        { protocol: 'TCP', port: 8080 },
        { protocol: 'TCP', port: 'https' },
      ],
    });
  });

  test.each([
    ['a Service that does not exist', { host: 'other.demo', ports: [80] }, /not a Service/],
    ['a port it does not have', { host: 'site.demo', ports: [81] }, /no port 81/],
  ])('%s opens nothing and is told', (_name, destination, words) => {
    expect(egressRule(destination, serviceOf)).toEqual({ problem: expect.stringMatching(words) as string });
  });

  test('addresses are opened as they are', () => {
    expect(egressRule({ cidr: '10.1.0.0/16', ports: [5432] }, serviceOf)).toEqual({
      to: [{ ipBlock: { cidr: '10.1.0.0/16' } }],
      ports: [{ protocol: 'TCP', port: 5432 }],
    });
  });
});

describe('the policies of a tenant', () => {
  const { policies, problems } = networkPolicies({
    releaseNamespace: 'system',
    clusterCidrs: ['34.10.0.0/16', '2001:db8:1::/48', 'fd00::/8'],
    pools: [
      pool({
        network: {
          allowInternal: [
            { host: 'site.demo', ports: [80] },
            { host: 'gone.demo', ports: [80] },
          ],
        },
      }),
    ],
    serviceOf,
  });
  const named = (name: string) => policies.find((policy) => policy.name === name)?.spec;

  test('close everything in both directions first', () => {
    expect(named('podwright-default-deny')).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  test('open the Internet to the classes that have it, without private, metadata and cluster addresses', () => {
    const [v4, v6] = named('podwright-public')?.egress?.[0]?.to ?? [];
    expect(v4?.ipBlock?.except).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '100.64.0.0/10', '34.10.0.0/16']),
    );
    expect(v6?.ipBlock).toEqual({ cidr: '2000::/3', except: ['2001::/32', '2002::/16', '2001:db8:1::/48'] });
  });

  test('let only parts of the release knock at the door', () => {
    expect(named('podwright-door')?.ingress?.[0]?.from).toHaveLength(1);
    expect(named('podwright-door')?.ingress?.[0]?.ports).toEqual([{ protocol: 'TCP', port: 9000 }]);
  });

  test('open what the pool opens, and tell what could not be', () => {
    expect(named('podwright-internal-default')?.egress).toHaveLength(1);
    expect(problems).toEqual(['pool default: gone.demo is not a Service of this cluster']);
  });
});
