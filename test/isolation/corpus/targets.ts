import { PLACE, PLACE_6, PORT_OF, type World } from '../world/world.ts';

/** One spelling of an address that no browser may reach. */
export interface Target {
  name: string;
  /** `host:port` as it stands in a URL. */
  host: string;
}

const at = (host: string): string => `${host}:${PORT_OF.closed}`;
const dashed = (address: string): string => `4-${address.replaceAll('.', '-')}`;

/** Targets that every way out is tried against. */
export const mainTargets = (world: World): Target[] => [
  { name: 'loopback', host: at('127.0.0.1') },
  { name: 'a private address', host: at(PLACE.private10) },
  { name: 'metadata', host: `${PLACE.metadata}:80` },
  { name: 'the node', host: at(world.nodeAddress) },
  { name: 'another pod', host: at(world.neighbour) },
  { name: 'a name of loopback', host: at('4-127-0-0-1.w.iso.test') },
];

/** Every spelling, for the few ways that are tried against all of them. */
export const allTargets = (world: World, podAddress: string): Target[] => [
  ...mainTargets(world),
  { name: 'localhost', host: at('localhost') },
  { name: 'a name below localhost', host: at('a.localhost') },
  { name: 'loopback in IPv6', host: at('[::1]') },
  { name: 'the own pod', host: at(podAddress) },
  { name: 'loopback in decimal', host: at('2130706433') },
  { name: 'loopback in octal', host: at('0177.0.0.1') },
  { name: 'loopback in hex', host: at('0x7f000001') },
  { name: 'loopback, shortened', host: at('127.1') },
  { name: 'another loopback address', host: at('127.7.7.7') },
  { name: 'loopback mapped into IPv6', host: at('[::ffff:127.0.0.1]') },
  { name: 'loopback mapped, in hex', host: at('[::ffff:7f00:1]') },
  { name: 'loopback, IPv4-compatible', host: at('[::127.0.0.1]') },
  { name: 'no address', host: at('0.0.0.0') },
  { name: 'no address in IPv6', host: at('[::]') },
  { name: 'a private address in NAT64', host: at(`[${PLACE_6.nat64}]`) },
  { name: 'a private address in NAT64 of the network', host: at(`[${PLACE_6.localNat64}]`) },
  { name: 'a private address in 6to4', host: at(`[${PLACE_6.sixToFour}]`) },
  { name: 'a unique local address', host: at(`[${PLACE_6.uniqueLocal}]`) },
  { name: 'metadata in IPv6', host: at(`[${PLACE_6.metadata}]`) },
  { name: 'a private address in decimal', host: at(decimal(PLACE.private10)) },
  { name: '172.16.0.0/12', host: at(PLACE.private172) },
  { name: '192.168.0.0/16', host: at(PLACE.private192) },
  { name: '100.64.0.0/10', host: at(PLACE.carrier) },
  { name: '198.18.0.0/15', host: at(PLACE.benchmark) },
  { name: 'link-local', host: at(PLACE.linkLocal) },
  { name: 'metadata in decimal', host: `${decimal(PLACE.metadata)}:80` },
  { name: 'metadata mapped into IPv6', host: `[::ffff:${PLACE.metadata}]:80` },
  { name: 'metadata by name', host: `${dashed(PLACE.metadata)}.w.iso.test:80` },
  { name: 'a private address by name', host: at(`${dashed(PLACE.private10)}.w.iso.test`) },
  { name: 'the node by name', host: at(`${dashed(world.nodeAddress)}.w.iso.test`) },
  { name: 'another pod by name', host: at(`${dashed(world.neighbour)}.w.iso.test`) },
  { name: 'a unique local address by name', host: at('6-fd77z7.w.iso.test') },
  { name: 'NAT64 by name', host: at('6-64-ff9bza4d-7.w.iso.test') },
  { name: 'loopback in IPv6 by name', host: at('6-z1.w.iso.test') },
  {
    name: 'a name with a public and a private address',
    host: at(`${dashed(PLACE.public)}--${dashed(PLACE.private10)}.w.iso.test`),
  },
  { name: 'a name with a trailing dot', host: at(`${dashed(PLACE.private10)}.w.iso.test.`) },
  { name: 'an alias of a Service', host: 'cname.kubernetes.default.svc.cluster.local.end.iso.test:443' },
  {
    name: 'a name that becomes private',
    host: at(`${dashed(PLACE.public)}.then.${dashed(PLACE.private10)}.w.iso.test`),
  },
  { name: 'a name that becomes loopback', host: at(`${dashed(PLACE.public)}.then.4-127-0-0-1.w.iso.test`) },
  { name: 'the API server by its Service', host: 'kubernetes.default.svc.cluster.local:443' },
  { name: 'the API server of the node', host: `${world.nodeAddress}:6443` },
  { name: 'the kubelet', host: `${world.nodeAddress}:10250` },
  { name: 'cluster DNS', host: 'kube-dns.kube-system.svc.cluster.local:9153' },
];

const decimal = (address: string): string =>
  String(address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0));
