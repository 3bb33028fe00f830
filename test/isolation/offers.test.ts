import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserPool } from '@podwright/api/kinds/pool';
import { GROUP_VERSION, LABEL } from '@podwright/api/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, createTenant } from '../harness/installation.ts';
import { applyObjects, eventually, getObject, kubectlFails, listObjects } from '../harness/kubectl.ts';

/** What a session may name of its namespace, and what a pool may ask of the platform. */
let tenant: TestTenant;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podwright-offers-'));
  tenant = await createTenant('offers');
});
afterAll(() => Promise.all([tenant?.remove(), rm(folder, { recursive: true, force: true })]));

async function file(object: object): Promise<string> {
  const path = join(folder, `${randomBytes(4).toString('hex')}.json`);
  await writeFile(path, JSON.stringify(object));
  return path;
}

describe('a Secret', () => {
  const session = (name: string, secret: string): Promise<unknown> =>
    tenant.session(name, { proxy: { secretRef: { name: secret } } });
  const put = (name: string, labels: Record<string, string>, data: Record<string, string>): Promise<void> =>
    applyObjects([
      { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: tenant.namespace, labels }, stringData: data },
    ]);
  const reasonOf = async (name: string): Promise<string | undefined> =>
    (
      await eventually(
        `${name} has ended`,
        () => tenant.get(name),
        (seen) => seen?.status?.phase === 'Failed' || seen?.status?.phase === 'Ready',
        90_000,
      )
    )?.status?.reason;
  const url = 'http://user:secret@45.77.0.9:3128';

  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['unlabelled', {}, { url }],
    ['for-a-model', { [LABEL.use]: 'model' }, { url }],
    ['to-be-filled', { [LABEL.use]: 'fill' }, { url }],
    ['without-url', { [LABEL.use]: 'proxy' }, { other: url }],
    ['of-a-file', { [LABEL.use]: 'proxy' }, { url: 'file:///etc/passwd' }],
  ])('that is %s is not offered', async (name, labels, data) => {
    await put(name, labels, data);
    await session(`with-${name}`, name);
    expect(await reasonOf(`with-${name}`)).toBe('SecretNotOffered');
    expect(JSON.stringify(await tenant.get(`with-${name}`))).not.toContain('user:secret');
  });

  test('that does not exist reads the same, and one of another namespace cannot be named', async () => {
    await session('with-none', 'none');
    expect(await reasonOf('with-none')).toBe('SecretNotOffered');
    await session('with-elsewhere', 'podwright-token-key-gateway');
    expect(await reasonOf('with-elsewhere')).toBe('SecretNotOffered');
    const words = (await Promise.all(['with-none', 'with-unlabelled'].map((name) => tenant.get(name)))).map((one) =>
      one?.status?.conditions?.map(({ message }) => message.replace(/Secret \S+/, 'Secret X')),
    );
    expect(words[0]).toEqual(words[1]);
  });

  test('that is offered is used', async () => {
    await put('offered', { [LABEL.use]: 'proxy' }, { url });
    await session('with-offered', 'offered');
    expect(await reasonOf('with-offered')).toBe('Ready');
  });
});

describe('a pool that asks for too much', () => {
  const poolOf = async (name: string, spec: object): Promise<object> => {
    const base = (await getObject<BrowserPool>('bpool', 'default', tenant.namespace))!;
    return {
      apiVersion: GROUP_VERSION,
      kind: 'BrowserPool',
      metadata: { name, namespace: tenant.namespace },
      spec: { ...base.spec, ...spec },
    };
  };

  test.each([
    '--no-sandbox',
    '--remote-debugging-address=0.0.0.0',
    '--renderer-cmd-prefix=/bin/sh',
    '--proxy-server=direct://',
    '--mute-audio --no-sandbox',
  ])('the flag %s is refused by the API server, whoever asks', async (flag) => {
    const printed = await kubectlFails(
      'create',
      '-f',
      await file(await poolOf('flags', { chromiumFlags: ['--mute-audio', flag] })),
    );
    expect(printed).toContain('not on the list of allowed flags');
  });

  test.each<[string, object, string]>([
    ['foreign', { image: 'evil/browser:1' }, 'image evil/browser:1 is not on'],
    ['helper', { supervisorImage: 'evil/supervisor' }, 'image evil/supervisor is not on'],
    ['unsandboxed', { sandbox: { mode: 'None' } }, 'sandbox.mode None is for the pools'],
  ])('%s makes no pods and says so, and its sessions fail at once', async (name, spec, words) => {
    await applyObjects([await poolOf(name, { ...spec, warm: { min: 1, max: 1 } })]);
    await tenant.session(`in-${name}`, { poolRef: { name } });
    const session = await eventually(
      `in-${name} has failed`,
      () => tenant.get(`in-${name}`),
      (seen) => seen?.status?.phase === 'Failed',
      60_000,
    );
    expect(session?.status?.reason).toBe('PoolNotAllowed');
    const pool = await eventually(
      'the pool says why',
      () => getObject<BrowserPool>('bpool', name, tenant.namespace),
      (seen) => seen?.status?.conditions?.some(({ type }) => type === 'Confined') ?? false,
    );
    expect(pool?.status?.conditions?.find(({ type }) => type === 'Confined')).toMatchObject({
      status: 'False',
      reason: 'NotAllowed',
    });
    expect(JSON.stringify(pool?.status?.conditions)).toContain(words);
    expect(await listObjects<object>('pods', tenant.namespace, `${LABEL.pool}=${name}`)).toEqual([]);
  });
});
