import { isIPv4 } from 'node:net';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import { API_GROUP, LABEL, PORT } from '@podwright/api/names';
import type { NetworkPolicySpec, Service } from '@podwright/kube/objects';
import { labelValue } from '../pods/pod-names.ts';
import { egressRule } from './internal-destination.ts';

export interface DesiredPolicy {
  name: string;
  spec: NetworkPolicySpec;
}

export const MANAGED_BY = { 'app.kubernetes.io/managed-by': API_GROUP } as const;

/** Addresses that are not the Internet, by RFC 6890 and its kin; metadata services are link-local. */
const CLOSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of IPv6 only global unicast is open (2000::/3), without the ranges that carry an IPv4 address inside (Teredo, 6to4). */
const CLOSED_V6 = ['2001::/32', '2002::/16'];
const isGlobalV6 = (cidr: string): boolean => /^[23][0-9a-f]{3}:/i.test(cidr);

/** Parts of the installation that may knock at a browser pod's door. */
const KNOCKERS = ['gateway', 'agent', 'operator', 'keeper'];

/**
 * The policies of a tenant's namespace: closed in both directions, then opened for the door, for DNS, for the Internet by
 * the egress class that a claim gives a pod, and for what a pool of the platform opens inside.
 */
export function networkPolicies(options: {
  releaseNamespace: string;
  clusterCidrs: readonly string[];
  pools: readonly BrowserPool[];
  serviceOf: (key: string) => Service | undefined;
}): { policies: DesiredPolicy[]; problems: string[] } {
  const problems: string[] = [];
  const browsers = { matchExpressions: [{ key: LABEL.pool, operator: 'Exists' as const }] };
  const closed = (own: string[], isOfFamily: (cidr: string) => boolean): string[] => [
    ...new Set([...own, ...options.clusterCidrs.filter(isOfFamily)]),
  ];
  const isV4 = (cidr: string): boolean => isIPv4(cidr.split('/')[0] ?? '');
  const policies: DesiredPolicy[] = [
    { name: 'podwright-default-deny', spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
    {
      name: 'podwright-door',
      spec: {
        podSelector: browsers,
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [
              {
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': options.releaseNamespace } },
                podSelector: {
                  matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: KNOCKERS }],
                },
              },
            ],
            ports: [{ protocol: 'TCP', port: PORT.podDoor }],
          },
        ],
      },
    },
    {
      name: 'podwright-dns',
      spec: {
        podSelector: browsers,
        policyTypes: ['Egress'],
        egress: [
          {
            to: [
              {
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
                podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
              },
            ],
            ports: [
              { protocol: 'UDP', port: 53 },
              { protocol: 'TCP', port: 53 },
            ],
          },
        ],
      },
    },
    {
      name: 'podwright-public',
      spec: {
        // An allow-list is by name: the egress proxy holds it, and the addresses behind it are the Internet's.
        podSelector: { matchExpressions: [{ key: LABEL.egress, operator: 'In', values: ['public', 'allowlist'] }] },
        policyTypes: ['Egress'],
        egress: [
          {
            to: [
              { ipBlock: { cidr: '0.0.0.0/0', except: closed(CLOSED_V4, isV4) } },
              { ipBlock: { cidr: '2000::/3', except: closed(CLOSED_V6, isGlobalV6) } },
            ],
          },
        ],
      },
    },
  ];
  for (const pool of options.pools) {
    const rules = (pool.spec.network?.allowInternal ?? []).map((one) => egressRule(one, options.serviceOf));
    problems.push(
      ...rules.flatMap((rule) => ('problem' in rule ? [`pool ${pool.metadata.name}: ${rule.problem}`] : [])),
    );
    const egress = rules.flatMap((rule) => ('problem' in rule ? [] : [rule]));
    if (egress.length === 0) continue;
    policies.push({
      name: `podwright-internal-${pool.metadata.name}`.slice(0, 253),
      spec: {
        podSelector: { matchLabels: { [LABEL.pool]: labelValue(pool.metadata.name) } },
        policyTypes: ['Egress'],
        egress,
      },
    });
  }
  return { policies, problems };
}
