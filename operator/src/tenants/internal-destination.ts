import type { InternalDestination } from '@podwright/api/kinds/pool';
import type { NetworkPolicyPeer, NetworkPolicyPort, Service } from '@podwright/kube/objects';

/** One destination inside as NetworkPolicy says it, or why it cannot be said. */
export type EgressRule = { to: NetworkPolicyPeer[]; ports: NetworkPolicyPort[] } | { problem: string };

/** `<service>.<namespace>` of a name of the cluster's DNS: `a.b`, `a.b.svc`, `a.b.svc.<cluster domain>`. */
export function serviceKeyOf(host: string): string | undefined {
  const [name, namespace, svc] = host.split('.');
  if (!name || !namespace || name === '*' || (svc !== undefined && svc !== 'svc')) return undefined;
  return `${namespace}/${name}`;
}

/**
 * NetworkPolicy is judged after a Service's address was translated, so a Service is opened as the pods behind it on their
 * own ports.
 */
export function egressRule(
  destination: InternalDestination,
  serviceOf: (key: string) => Service | undefined,
): EgressRule {
  if (destination.cidr !== undefined) {
    const ports = destination.ports.map((port): NetworkPolicyPort => ({ protocol: 'TCP', port }));
    return { to: [{ ipBlock: { cidr: destination.cidr } }], ports };
  }
  const host = destination.host ?? '';
  const key = serviceKeyOf(host);
  const service = key === undefined ? undefined : serviceOf(key);
  if (!service) return { problem: `${host} is not a Service of this cluster` };
  const { selector, ports = [] } = service.spec;
  if (!selector || Object.keys(selector).length === 0) return { problem: `Service ${host} selects no pods; use cidr` };
  const missing = destination.ports.filter((port) => !ports.some((known) => known.port === port));
  if (missing.length > 0) return { problem: `Service ${host} has no port ${missing.join(', ')}` };
  return {
    to: [
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': service.metadata.namespace ?? '' } },
        podSelector: { matchLabels: selector },
      },
    ],
    ports: ports
      .filter((known) => destination.ports.includes(known.port))
      .map(({ port, targetPort }) => ({ protocol: 'TCP', port: targetPort ?? port })),
  };
}
