import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const GOOD = {
  PODWRIGHT_INSTALLATION: 'podwright',
  POD_UID: 'uid',
  PODWRIGHT_TOKEN_KEYS: '{"operator":[],"gateway":[],"keeper":[{"kid":"k","pem":"p"}]}',
  PODWRIGHT_EGRESS_FLOOR: '{"egress":"Public","allowedHosts":[],"allowInternal":[],"clusterCidrs":["10.0.0.0/8"]}',
  PODWRIGHT_POOL_DEFAULTS:
    '{"pool":"default","maxScreen":{"width":1920,"height":1080},"sandboxMode":"Auto","canaries":["10.0.0.1:443"]}',
};

test('reads what the operator puts into the pod', () => {
  expect(readConfig(GOOD)).toMatchObject({
    installation: 'podwright',
    doorPort: 9000,
    egressPort: 3128,
    vncSocket: '/run/podwright/vnc.sock',
    floor: { clusterCidrs: ['10.0.0.0/8'] },
    defaults: { sandboxMode: 'Auto' },
  });
  expect(readConfig({ ...GOOD, PODWRIGHT_DOOR_PORT: '9100' }).doorPort).toBe(9100);
});

test('names every problem at once', () => {
  const wrong = {
    ...GOOD,
    POD_UID: '',
    PODWRIGHT_EGRESS_FLOOR: '{',
    PODWRIGHT_POOL_DEFAULTS: '{"pool":1}',
    PODWRIGHT_DOOR_PORT: 'x',
  };
  for (const name of [
    'POD_UID',
    'PODWRIGHT_EGRESS_FLOOR is not JSON',
    'PODWRIGHT_POOL_DEFAULTS/pool',
    'PODWRIGHT_DOOR_PORT',
  ]) {
    expect(() => readConfig(wrong)).toThrow(name);
  }
  expect(() => readConfig({})).toThrow('PODWRIGHT_TOKEN_KEYS');
});
