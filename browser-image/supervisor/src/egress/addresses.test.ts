import { describe, expect, test } from 'vitest';
import { classifyAddress, isInCidr } from './addresses.ts';

const CLUSTER = ['11.244.0.0/16', '2a00:1234::/48'];

test.each([
  '93.184.216.34',
  '8.8.8.8',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '2606:2800:220:1::1',
  '::ffff:93.184.216.34',
  '64:ff9b::93.184.216.34',
  '2002:5db8:d822::1',
])('%s is public', (address) => {
  expect(classifyAddress(address, CLUSTER).kind).toBe('public');
});

test.each([
  ['10.0.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'carrierGradeNat'],
  ['100.127.255.254', 'carrierGradeNat'],
  ['fd12:3456::1', 'uniqueLocal'],
  ['::ffff:10.0.0.1', 'private'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['2002:0a00:0001::1', 'private'],
  ['11.244.3.4', 'cluster'],
  ['2a00:1234:0:1::5', 'cluster'],
  ['::ffff:11.244.3.4', 'cluster'],
])('%s is internal (%s)', (address, words) => {
  const found = classifyAddress(address, CLUSTER);
  expect(found.kind).toBe('internal');
  expect(found.words).toContain(words);
});

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '169.254.169.254',
  '169.254.0.1',
  '168.63.129.16',
  '100.100.100.200',
  'fd00:ec2::254',
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '203.0.113.7',
  '::',
  '::1',
  'fe80::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '::127.0.0.1',
  '::169.254.169.254',
  '64:ff9b::127.0.0.1',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::10.0.0.1',
  '2002:7f00:0001::1',
  '2002:a9fe:a9fe::1',
  '2001:0:53aa:64c:0:0:0:1',
  '::ffff:0:127.0.0.1',
  'fe80::1%eth0',
  'localhost',
  '',
])('%s is never reached', (address) => {
  expect(classifyAddress(address, CLUSTER).kind).toBe('never');
});

describe('an address in a CIDR', () => {
  test.each([
    ['10.1.2.3', '10.1.2.0/24', true],
    ['10.1.3.3', '10.1.2.0/24', false],
    ['::ffff:10.1.2.3', '10.1.2.0/24', true],
    ['fd00::5', 'fd00::/8', true],
    ['10.1.2.3', 'fd00::/8', false],
    ['10.1.2.3', 'nonsense', false],
    ['nonsense', '10.1.2.0/24', false],
  ])('%s in %s: %s', (address, cidr, expected) => {
    expect(isInCidr(address, cidr)).toBe(expected);
  });
});
