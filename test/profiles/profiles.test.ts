import type { BrowserProfile, BrowserProfileSpec } from '@podwright/api/kinds/profile';
import type { BrowserSession, BrowserSessionSpec } from '@podwright/api/kinds/session';
import { GROUP_VERSION, LABEL, OBJECT } from '@podwright/api/names';
import type { StorageState } from '@podwright/api/storage-state';
import { FILL, FILLED, READ } from '@podwright/supervisor/testing/profile-pages';
import { type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, api, conditionOf, createTenant, installation } from '../harness/installation.ts';
import { applyObjects, eventually, getObject, kubectl, listObjects } from '../harness/kubectl.ts';
import { bytesOf, keeperDoor, keeperReady, killPods, rotateKey, setSaveSeconds } from './keeper.ts';

/** Saved login states on a running installation: real pods, a real keeper, and every part killed in turn. */
const SITE = 'http://demo-site.podwright-demo.svc.cluster.local/';
const SAVE_SECONDS = 5;

// Parts of the page that functions below run in.
declare const localStorage: Record<string, string>;

let tenant: TestTenant;
beforeAll(async () => {
  tenant = await createTenant('profile');
  await setSaveSeconds(SAVE_SECONDS);
});
afterAll(async () => {
  await setSaveSeconds(180);
  await tenant?.remove();
});

const profile = async (name: string): Promise<BrowserProfile> =>
  (await getObject<BrowserProfile>('browserprofile', name, tenant.namespace))!;

async function makeProfile(name: string, spec: BrowserProfileSpec = {}): Promise<void> {
  const metadata = { name, namespace: tenant.namespace };
  await applyObjects([{ apiVersion: GROUP_VERSION, kind: 'BrowserProfile', metadata, spec }]);
}

async function ready(name: string, profileName: string, spec: BrowserSessionSpec = {}): Promise<BrowserSession> {
  await tenant.session(name, { profileRef: { name: profileName }, startUrl: SITE, ...spec });
  return tenant.phase(name, ['Ready', 'Idle']);
}

async function stop(name: string): Promise<BrowserSession> {
  const patch = '{"spec":{"stop":{"reason":"Asked"}}}';
  await kubectl('patch', 'bs', name, '-n', tenant.namespace, '--type=merge', '-p', patch);
  return tenant.phase(name, 'Stopped');
}

async function onPage<Result>(session: BrowserSession, work: (page: Page) => Promise<Result>): Promise<Result> {
  const { body } = await api<{ cdpUrl: string }>(tenant.apiKey, 'GET', `/api/v3/browsers/${session.metadata.uid}`);
  const browser = await chromium.connectOverCDP(body.cdpUrl);
  try {
    const page = browser.contexts()[0]!.pages()[0]!;
    await page.waitForURL(SITE);
    return await work(page);
  } finally {
    await browser.close();
  }
}

const remember = (session: BrowserSession, text: string) =>
  onPage(session, (page) => page.evaluate((value) => (localStorage['kept'] = value), text));
const remembered = (session: BrowserSession) => onPage(session, (page) => page.evaluate(() => localStorage['kept']));
const savedAfter = (name: string, instant: string) =>
  eventually(
    `profile ${name} is saved after ${instant}`,
    () => profile(name),
    ({ status }) => (status?.lastSavedAt ?? '') > instant,
    60_000,
  );
const now = (): string => new Date().toISOString();

describe('a login state', () => {
  test('comes back in the next session as it was, with everything it is made of', async () => {
    await makeProfile('shop');
    const first = await ready('first', 'shop');
    expect(conditionOf(first, 'ProfileLoaded')).toMatchObject({ message: 'profile shop holds nothing yet' });
    await onPage(first, (page) => page.evaluate(FILL));
    expect((await stop('first')).status?.message).not.toMatch(/lost|not saved/);
    const saved = await profile('shop');
    expect(saved.status?.holder).toBeUndefined();
    expect(saved.status).toMatchObject({ version: expect.any(Number) as number, cookieDomains: [new URL(SITE).host] });
    expect(Date.parse(saved.status!.expiresAt!)).toBeGreaterThan(Date.parse(saved.status!.capturedAt!));

    const second = await ready('second', 'shop');
    const words = `profile shop is loaded: version ${saved.status?.version} of ${saved.status?.capturedAt}`;
    expect(conditionOf(second, 'ProfileLoaded')).toMatchObject({ status: 'True', message: words });
    expect(await onPage(second, (page) => page.evaluate(READ))).toMatchObject(FILLED);
  });

  test('has one writer: a second one ends with the name of the holder, while readers are welcome', async () => {
    await tenant.session('intruder', { profileRef: { name: 'shop' } });
    const refused = await tenant.phase('intruder', 'Failed');
    expect(refused.status).toMatchObject({ reason: 'ProfileInUse', message: 'profile shop is held by session second' });
    const reader = await ready('reader', 'shop', { profileRef: { name: 'shop', mode: 'ReadOnly' } });
    expect(await onPage(reader, (page) => page.evaluate(READ))).toMatchObject(FILLED);
    await stop('reader');
  });

  test('is waited for where the tenant wants that, and passed on with its last changes', async () => {
    const patch = (value: string) =>
      kubectl('patch', 'browsertenant', tenant.name, '--type=merge', '-p', `{"spec":{"whenProfileBusy":"${value}"}}`);
    await patch('Wait');
    await tenant.session('patient', { profileRef: { name: 'shop' }, startUrl: SITE });
    const waiting = await tenant.phase('patient', 'Queued');
    expect(waiting.status).toMatchObject({
      reason: 'ProfileInUse',
      message: expect.stringContaining('second') as string,
    });
    await remember((await tenant.get('second'))!, 'passed on');
    await stop('second');
    const patient = await tenant.phase('patient', ['Ready', 'Idle']);
    expect(await remembered(patient)).toBe('passed on');
    await patch('Fail');
    await stop('patient');
  });

  test('that has expired is not loaded, and the session says so', async () => {
    await makeProfile('brief', { maxAge: '1s' });
    await remember(await ready('before', 'brief'), 'old');
    await stop('before');
    const after = await ready('after', 'brief');
    expect(conditionOf(after, 'ProfileLoaded')).toMatchObject({ status: 'False', reason: 'ProfileExpired' });
    expect(await remembered(after)).toBeUndefined();
    await stop('after');
  });
});

describe('what is in use', () => {
  let session: BrowserSession;

  test('is saved every few seconds, also after its keeper was killed', async () => {
    await makeProfile('busy');
    session = await ready('worker', 'busy');
    await remember(session, 'before the keeper died');
    await savedAfter('busy', now());
    await killPods('keeper');
    await remember(session, 'after the keeper died');
    await keeperReady();
    await savedAfter('busy', now());
  });

  test('survives a killed pod as of its last save, and the session says which', async () => {
    await savedAfter('busy', now());
    const kill = ['-n', tenant.namespace, '--grace-period=0', '--force'];
    await kubectl('delete', 'pod', session.status!.podName!, ...kill);
    const failed = await tenant.phase('worker', 'Failed');
    const { version, lastSavedAt } = (await profile('busy')).status!;
    expect(failed.status?.reason).toBe('PodLost');
    expect(failed.status?.message).toContain(
      `profile busy keeps version ${version}, saved at ${lastSavedAt}; later changes are lost`,
    );
    const next = await ready('heir', 'busy');
    expect(await remembered(next)).toBe('after the keeper died');
  });

  test('survives the deletion of its pod with the changes of its last moment', async () => {
    const heir = (await tenant.get('heir'))!;
    await remember(heir, 'just before the end');
    await kubectl('delete', 'pod', heir.status!.podName!, '-n', tenant.namespace, '--wait=false');
    const ended = await tenant.phase('heir', ['Failed', 'Stopped']);
    expect(ended.status?.message).not.toMatch(/lost/);
    expect(await remembered(await ready('third', 'busy'))).toBe('just before the end');
  });

  test('survives an operator that is killed while the session stops', async () => {
    await remember((await tenant.get('third'))!, 'while the operator died');
    const patch = '{"spec":{"stop":{"reason":"Asked"}}}';
    await kubectl('patch', 'bs', 'third', '-n', tenant.namespace, '--type=merge', '-p', patch);
    await killPods('operator');
    await tenant.phase('third', 'Stopped');
    await eventually(
      'the profile is released',
      () => profile('busy'),
      ({ status }) => status?.holder === undefined,
    );
    expect(await remembered(await ready('fourth', 'busy'))).toBe('while the operator died');
    await stop('fourth');
  });

  test('is released when its session vanished without a word', async () => {
    const status = { holder: { sessionName: 'ghost', sessionUID: crypto.randomUUID(), since: '2026-01-01T00:00:00Z' } };
    const args = ['-n', tenant.namespace, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
    await kubectl('patch', 'browserprofile', 'busy', ...args);
    await eventually(
      'the ghost is gone',
      () => profile('busy'),
      (seen) => seen.status?.holder === undefined,
    );
  });
});

describe('the bytes of a profile', () => {
  const door = () => `/profiles/${tenant.namespace}/carried/state`;

  test("go out and in by the keeper's door, in Playwright's form", async () => {
    await makeProfile('carried');
    const state: StorageState = {
      cookies: [],
      origins: [{ origin: new URL(SITE).origin, localStorage: [{ name: 'kept', value: 'imported' }] }],
    };
    expect(await keeperDoor('PUT', door(), state)).toMatchObject({ status: 200, body: { version: 1 } });
    const session = await ready('importer', 'carried');
    expect(await remembered(session)).toBe('imported');
    expect(await keeperDoor('PUT', door(), state)).toMatchObject({ status: 409 });
    await remember(session, 'changed');
    await stop('importer');
    const exported = await keeperDoor('GET', door());
    expect(exported.body).toMatchObject({
      origins: [{ origin: new URL(SITE).origin, localStorage: [{ name: 'kept', value: 'changed' }] }],
    });
  });

  test('are wrapped by a new key while sessions go on, and the old one may go', async () => {
    expect(await rotateKey({})).toMatch(/every data key is wrapped by key [0-9a-f]{12}; still held: /);
    expect(await rotateKey({ RETIRE: '1' })).toMatch(/1 earlier keys left the Secret/);
    await killPods('keeper');
    await keeperReady();
    expect(await remembered(await ready('rotated', 'carried'))).toBe('changed');
    await stop('rotated');
  });

  test('are gone with the profile', async () => {
    expect(await bytesOf(tenant.namespace, 'carried')).not.toEqual([]);
    await kubectl('delete', 'browserprofile', 'carried', '-n', tenant.namespace, '--timeout=60s');
    expect(await bytesOf(tenant.namespace, 'carried')).toEqual([]);
  });

  test('that were left behind are deleted by a keeper that finds a tombstone', async () => {
    const { metadata } = await profile('busy');
    const namespace = installation().namespace;
    const name = OBJECT.profileTombstone('podwright', metadata.uid);
    const remove = '{"metadata":{"finalizers":null}}';
    // As an operator does that has waited five minutes for a keeper.
    await kubectl('scale', 'deployment/podwright-keeper', '-n', namespace, '--replicas=0');
    await kubectl('delete', 'browserprofile', 'busy', '-n', tenant.namespace, '--wait=false');
    await kubectl(
      'create',
      'configmap',
      name,
      '-n',
      namespace,
      `--from-literal=uid=${metadata.uid}`,
      `--from-literal=namespace=${tenant.namespace}`,
      '--from-literal=name=busy',
    );
    await kubectl('label', 'configmap', name, '-n', namespace, `${LABEL.tombstone}=profile`);
    await kubectl('patch', 'browserprofile', 'busy', '-n', tenant.namespace, '--type=merge', '-p', remove);
    await kubectl('scale', 'deployment/podwright-keeper', '-n', namespace, '--replicas=1');
    await keeperReady();
    await eventually(
      'the tombstone is worked off',
      () => listObjects('configmap', namespace, `${LABEL.tombstone}=profile`),
      (left) => left.length === 0,
      90_000,
    );
    expect(await bytesOf(tenant.namespace, 'busy')).toEqual([]);
  });
});
