import ipaddr from 'ipaddr.js';

/** Metadata and platform services of clouds (Azure, Oracle, Alibaba, AWS over IPv6) outside the link-local ranges. */
const PLATFORM_ADDRESSES = new Set(['168.63.129.16', '192.0.0.192', '100.100.100.200', 'fd00:ec2::254']);

/** Never reached, not even when a pool opens an address inside: the pod itself, its node's metadata, and nowhere. */
const NEVER = new Set(['unspecified', 'loopback', 'linkLocal', 'broadcast', 'multicast', 'reserved', 'discard']);

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** What an address is to a browser: `public`, `internal` (a pool may open it), or `never`; with the class in words. */
export interface AddressClass {
  kind: 'public' | 'internal' | 'never';
  words: string;
}

/** Classifies a textual address; `clusterCidrs` are internal although they may be public. Pure. */
export function classifyAddress(text: string, clusterCidrs: readonly string[]): AddressClass {
  if (!ipaddr.isValid(text)) return { kind: 'never', words: 'not an address' };
  const address = unwrap(ipaddr.parse(text));
  if (address === undefined) return { kind: 'never', words: 'an IPv6 transition address' };
  const plain = address.toString();
  if (PLATFORM_ADDRESSES.has(plain)) return { kind: 'never', words: 'a metadata address' };
  const range = address.range();
  if (NEVER.has(range)) return { kind: 'never', words: `a ${range} address` };
  if (range !== 'unicast') return { kind: 'internal', words: `a ${range} address` };
  if (clusterCidrs.some((cidr) => isInCidr(plain, cidr)))
    return { kind: 'internal', words: 'an address of the cluster' };
  return { kind: 'public', words: 'a public address' };
}

/** True when the address, unwrapped from IPv6 forms of IPv4, lies in the CIDR. Invalid input lies nowhere. */
export function isInCidr(text: string, cidr: string): boolean {
  if (!ipaddr.isValid(text) || !ipaddr.isValidCIDR(cidr)) return false;
  const address = unwrap(ipaddr.parse(text));
  const [base, bits] = ipaddr.parseCIDR(cidr);
  return address !== undefined && address.kind() === base.kind() && address.match(base, bits);
}

/** The IPv4 address inside a mapped, NAT64 or 6to4 form; undefined for forms whose inside cannot be trusted. */
function unwrap(address: Address): Address | undefined {
  if (address.kind() === 'ipv4') return address;
  const six = address as ipaddr.IPv6;
  const bytes = six.toByteArray();
  switch (six.range()) {
    case 'ipv4Mapped':
      return six.toIPv4Address();
    case 'rfc6052':
      return isLocalNat64(bytes) ? undefined : embedded(bytes, 12);
    case '6to4':
      return embedded(bytes, 2);
    case 'rfc6145':
    case 'teredo':
      return undefined;
    default:
      return isIpv4Compatible(bytes) ? undefined : six;
  }
}

const embedded = (bytes: number[], at: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(at, at + 4));

/** 64:ff9b:1::/48, translators inside a network (RFC 8215); where in it the IPv4 address lies is theirs to say. */
const isLocalNat64 = (bytes: number[]): boolean =>
  [0x00, 0x64, 0xff, 0x9b, 0x00, 0x01].every((byte, index) => bytes[index] === byte);

/** ::a.b.c.d, deprecated and still understood by some stacks; :: and ::1 have classes of their own. */
const isIpv4Compatible = (bytes: number[]): boolean =>
  bytes.slice(0, 12).every((byte) => byte === 0) && (bytes[12] !== 0 || bytes[13] !== 0 || bytes[14] !== 0);
