import { describe, expect, test } from 'vitest';
import { installation } from '../harness/installation.ts';
import { kubectl } from '../harness/kubectl.ts';

/** Which part can open a connection to which, tried from inside the parts themselves. */
const { namespace: release } = installation();
const inRelease = (service: string): string => `${service}.${release}.svc.cluster.local`;

const PLACES = {
  redis: [inRelease('podwright-redis'), 6379],
  keeper: [inRelease('podwright-keeper'), 8082],
  'the internal door of the gateway': [inRelease('podwright-gateway-internal'), 8081],
  'the API server': ['kubernetes.default.svc.cluster.local', 443],
  'the demo model': ['demo-model.podwright-demo.svc.cluster.local', 80],
} as const;
type Place = keyof typeof PLACES;

/** Whether a TCP connection from a pod of `workload` to `place` comes about within three seconds. */
async function reaches(workload: string, place: Place, namespace = release): Promise<boolean> {
  const [host, port] = PLACES[place];
  const script = `
    const socket = require('node:net').connect({ host: ${JSON.stringify(host)}, port: ${port}, timeout: 3000 });
    const end = (word) => { console.log(word); process.exit(0); };
    socket.on('connect', () => end('yes')).on('timeout', () => end('no')).on('error', () => end('no'));`;
  const printed = await kubectl('exec', '-n', namespace, workload, '--', 'node', '-e', script);
  return printed.trim() === 'yes';
}

const allowed: [string, Place[]][] = [
  ['deploy/podwright-operator', ['keeper', 'the API server']],
  ['deploy/podwright-gateway', ['redis', 'keeper', 'the API server']],
  ['deploy/podwright-agent', ['redis', 'keeper', 'the internal door of the gateway', 'the demo model']],
  ['deploy/podwright-keeper', ['the API server']],
];

describe.each(allowed)('%s', (workload, wanted) => {
  test.each(Object.keys(PLACES) as Place[])('and %s', async (place) => {
    expect(await reaches(workload, place)).toBe(wanted.includes(place));
  });
});

test('the demo page reaches nothing of the installation', async () => {
  for (const place of Object.keys(PLACES) as Place[]) {
    expect(await reaches('deploy/demo-site', place, 'podwright-demo'), place).toBe(false);
  }
});
