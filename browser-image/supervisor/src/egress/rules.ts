import { isIP } from 'node:net';
import type { Egress } from '@podwright/api/kinds/shared';
import type { InternalDestination } from '@podwright/api/kinds/pool';
import type { PodEgressFloor } from '@podwright/api/pod-door';
import { classifyAddress, isInCidr } from './addresses.ts';
import { coversPattern, matchesHost, normalHost } from './host-pattern.ts';

/** What a session narrows the pool's floor to; absent until the pod is bound. */
export interface SessionEgress {
  egress: Egress;
  allowedHosts: readonly string[];
}

export interface EgressRules {
  floor: PodEgressFloor;
  session: SessionEgress | undefined;
}

export type Refusal = { allowed: false; because: string };
export type Allowed = { allowed: true };

const WIDTH: Record<Egress, number> = { None: 0, Allowlist: 1, Public: 2 };
const no = (because: string): Refusal => ({ allowed: false, because });

/** Why the wishes of a session are wider than the floor of its pool; undefined when they narrow it. Pure. */
export function widerThanFloor(floor: PodEgressFloor, wish: SessionEgress): string | undefined {
  if (WIDTH[wish.egress] > WIDTH[floor.egress]) return `egress ${wish.egress} is wider than the pool's ${floor.egress}`;
  if (floor.egress !== 'Allowlist' || wish.egress !== 'Allowlist') return undefined;
  const wide = wish.allowedHosts.find((host) => !floor.allowedHosts.some((outer) => coversPattern(outer, host)));
  return wide === undefined ? undefined : `${wide} is not among the hosts of the pool`;
}

/**
 * Judges a destination by its name, before any resolver hears of it: a name that is refused must not leave in a DNS query.
 * `byCidr`: the name alone is refused, but a destination inside that is opened by address may still be meant. Pure.
 */
export function judgeName(rules: EgressRules, host: string, port: number): (Allowed & { byCidr: boolean }) | Refusal {
  const { floor, session } = rules;
  if (session === undefined) return no('this browser serves no session yet');
  const name = normalHost(host);
  if (name === '') return no('the address names no host');
  if (opensByHost(floor.allowInternal, name, port)) return { allowed: true, byCidr: false };
  const refusal = judgeClass(floor, name) ?? judgeClass(session, name);
  if (refusal === undefined) return { allowed: true, byCidr: false };
  const byCidr = floor.allowInternal.some(({ cidr, ports }) => cidr !== undefined && ports.includes(port));
  return byCidr ? { allowed: true, byCidr } : refusal;
}

/** Judges what the name resolved to; every address must pass, so that an answer mixed with internal ones does not. Pure. */
export function judgeAddresses(
  rules: EgressRules,
  destination: { host: string; port: number; byCidr: boolean },
  addresses: readonly string[],
): Allowed | Refusal {
  const { floor } = rules;
  const { port, byCidr } = destination;
  const name = normalHost(destination.host);
  if (addresses.length === 0) return no('the name has no address');
  const byHost = opensByHost(floor.allowInternal, name, port);
  for (const address of addresses) {
    const { kind, words } = classifyAddress(address, floor.clusterCidrs);
    if (kind === 'never') return no(`${name} is ${words}, which no browser reaches`);
    const opened = byHost || floor.allowInternal.some((inside) => opensByCidr(inside, address, port));
    if (!opened && byCidr) return no(`${name} is not among the allowed hosts`);
    if (!opened && kind === 'internal') return no(`${name} is ${words}, which this pool does not open`);
  }
  return { allowed: true };
}

function judgeClass({ egress, allowedHosts }: SessionEgress, name: string): Refusal | undefined {
  if (egress === 'Public') return undefined;
  if (egress === 'None') return no('this session has no way out');
  return allowedHosts.some((pattern) => matchesHost(pattern, name))
    ? undefined
    : no(`${name} is not among the allowed hosts`);
}

const opensByHost = (internal: readonly InternalDestination[], name: string, port: number): boolean =>
  internal.some(({ host, ports }) => host !== undefined && ports.includes(port) && matchesHost(host, name));

const opensByCidr = ({ cidr, ports }: InternalDestination, address: string, port: number): boolean =>
  cidr !== undefined && ports.includes(port) && isInCidr(address, cidr);

/** True for text that is an address and needs no resolver. */
export const isAddress = (host: string): boolean => isIP(normalHost(host)) !== 0;
