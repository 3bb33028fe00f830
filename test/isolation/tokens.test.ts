import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import type { BrowserSession } from '@podwright/api/kinds/session';
import { OBJECT } from '@podwright/api/names';
import { type Issuer, type PublicKeySet, TOKEN_TYPE, audienceOf } from '@podwright/api/tokens';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, createTenant, installation } from '../harness/installation.ts';
import { eventually, getObject, kubectl } from '../harness/kubectl.ts';
import type { Request, Response } from './world/witness.ts';
import { type PodOfSession, type World, createWorld, podOf } from './world/world.ts';

/**
 * The only door of a real pod against tokens that somebody forged, found or kept. The keys are the installation's own, so
 * that each row is wrong in the one thing that it names; requests come from inside the pod's network.
 */
const INSTALLATION = 'podwright';

let world: World;
let tenant: TestTenant;
let session: BrowserSession;
let pod: PodOfSession;
const keys = {} as Record<Issuer, { pem: string; kid: string }>;
let publicKeys: PublicKeySet;

const b64 = (value: object | string | Buffer): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))).toString(
    'base64url',
  );
const seconds = (): number => Math.floor(Date.now() / 1000);

interface Forgery {
  issuer?: Issuer;
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  /** Signs the text; absent: the issuer's own key. */
  signature?: (text: string) => string;
}
function token({ issuer = 'operator', claims = {}, header = {}, signature }: Forgery = {}): string {
  const now = seconds();
  const payload = {
    iss: issuer,
    aud: audienceOf(INSTALLATION, pod.uid),
    sub: session.metadata.uid,
    scope: 'status',
    jti: crypto.randomUUID(),
    iat: now,
    exp: now + 60,
    ...claims,
  };
  const text = `${b64({ alg: 'EdDSA', typ: TOKEN_TYPE, kid: keys[issuer].kid, ...header })}.${b64(payload)}`;
  const own = (): string => b64(signBytes(null, Buffer.from(text), keys[issuer].pem));
  return `${text}.${signature ? signature(text) : own()}`;
}
const ask = (requests: Request[]): Promise<Response[]> => world.ask<Response[]>({ do: 'http', uid: pod.uid, requests });
const status = (bearer: string, path = '/status', method = 'GET'): Request => ({
  method,
  url: `http://127.0.0.1:9000${path}`,
  headers: [['authorization', `Bearer ${bearer}`]],
});

beforeAll(async () => {
  [world, tenant] = await Promise.all([createWorld(), createTenant('tokens')]);
  const { namespace } = installation();
  for (const issuer of ['operator', 'gateway', 'keeper'] as const) {
    const secret = await getObject<{ data: Record<string, string> }>(
      'secret',
      OBJECT.tokenKeySecret('podwright', issuer),
      namespace,
    );
    const read = (name: string): string => Buffer.from(secret!.data[name]!, 'base64').toString();
    keys[issuer] = { pem: read('private.pem'), kid: read('kid') };
  }
  const list = await getObject<{ data: Record<string, string> }>(
    'configmap',
    OBJECT.tokenKeysConfigMap('podwright'),
    namespace,
  );
  publicKeys = JSON.parse(list!.data['keys.json']!) as PublicKeySet;
  await tenant.session('door');
  session = await tenant.phase('door', 'Ready');
  pod = podOf([session], session.metadata.uid);
}, 240_000);
afterAll(() => Promise.all([tenant?.remove(), world?.remove()]));

const hmac = (secret: string) => (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
const publicPem = (): string => publicKeys.operator[0]!.pem;

describe('the status of a pod', () => {
  const rows: [string, number, () => Request][] = [
    ['a right token', 200, () => status(token())],
    ['a right token of another issuer', 200, () => status(token({ issuer: 'gateway' }))],
    [
      'one that expired within the skew',
      200,
      () => status(token({ claims: { iat: seconds() - 80, exp: seconds() - 20 } })),
    ],
    [
      'one that a clock ahead of ours made',
      200,
      () => status(token({ claims: { iat: seconds() + 20, exp: seconds() + 80 } })),
    ],
    ['no token', 401, () => ({ method: 'GET', url: 'http://127.0.0.1:9000/status' })],
    [
      'a token in the query',
      401,
      () => ({ method: 'GET', url: `http://127.0.0.1:9000/status?access_token=${token()}` }),
    ],
    ['another scheme', 401, () => ({ ...status(''), headers: [['authorization', `Basic ${token()}`]] })],
    ['two tokens', 401, () => status(`${token()} ${token()}`)],
    ['no algorithm', 401, () => status(token({ header: { alg: 'none' }, signature: () => '' }))],
    ['no algorithm, signed', 401, () => status(token({ header: { alg: 'none' } }))],
    ['no algorithm in capitals', 401, () => status(token({ header: { alg: 'None' }, signature: () => '' }))],
    ['HS256 with the public key', 401, () => status(token({ header: { alg: 'HS256' }, signature: hmac(publicPem()) }))],
    [
      'HS256 with the key id',
      401,
      () => status(token({ header: { alg: 'HS256' }, signature: hmac(keys.operator.kid) })),
    ],
    [
      'RS256 with a key of its own',
      401,
      () => {
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        return status(
          token({
            header: { alg: 'RS256' },
            signature: (text) => b64(signBytes('sha256', Buffer.from(text), privateKey)),
          }),
        );
      },
    ],
    [
      'a key that the token brings along',
      401,
      () => {
        const { privateKey, publicKey } = generateKeyPairSync('ed25519');
        const header = { kid: undefined, jwk: publicKey.export({ format: 'jwk' }) };
        return status(token({ header, signature: (text) => b64(signBytes(null, Buffer.from(text), privateKey)) }));
      },
    ],
    [
      'a key that the token points to',
      401,
      () => status(token({ header: { jku: 'http://10.77.0.7:18080/keys', kid: 'x' } })),
    ],
    ['a critical header that nobody knows', 401, () => status(token({ header: { crit: ['x'], x: 1 } }))],
    ['an unknown key id', 401, () => status(token({ header: { kid: 'operator-000000000000' } }))],
    ['no key id', 401, () => status(token({ header: { kid: undefined } }))],
    ['the key id of another issuer', 401, () => status(token({ header: { kid: keys.gateway.kid } }))],
    ['the name of another issuer', 401, () => status(token({ claims: { iss: 'gateway' } }))],
    ['an issuer that is none', 401, () => status(token({ claims: { iss: 'admin' } }))],
    [
      'a key of its own under a known id',
      401,
      () => {
        const { privateKey } = generateKeyPairSync('ed25519');
        return status(token({ signature: (text) => b64(signBytes(null, Buffer.from(text), privateKey)) }));
      },
    ],
    ['a signature that was cut', 401, () => status(token().slice(0, -4))],
    ['no signature', 401, () => status(token({ signature: () => '' }))],
    ['another type', 401, () => status(token({ header: { typ: 'JWT' } }))],
    ['no type', 401, () => status(token({ header: { typ: undefined } }))],
    ['another installation', 401, () => status(token({ claims: { aud: audienceOf('other', pod.uid) } }))],
    ['another pod', 401, () => status(token({ claims: { aud: audienceOf(INSTALLATION, crypto.randomUUID()) } }))],
    ['no audience', 401, () => status(token({ claims: { aud: undefined } }))],
    ['the installation alone', 401, () => status(token({ claims: { aud: INSTALLATION } }))],
    ['one that expired', 401, () => status(token({ claims: { iat: seconds() - 95, exp: seconds() - 35 } }))],
    [
      'one that was made in the future',
      401,
      () => status(token({ claims: { iat: seconds() + 40, exp: seconds() + 90 } })),
    ],
    ['one that is not to be used yet', 401, () => status(token({ claims: { nbf: seconds() + 40 } }))],
    ['a life of more than a minute', 401, () => status(token({ claims: { exp: seconds() + 61 } }))],
    ['a life without end', 401, () => status(token({ claims: { exp: undefined } }))],
    ['no beginning', 401, () => status(token({ claims: { iat: undefined } }))],
    ['no id', 401, () => status(token({ claims: { jti: undefined } }))],
    ['no subject', 401, () => status(token({ claims: { sub: undefined } }))],
    ['no scope', 401, () => status(token({ claims: { scope: undefined } }))],
    ['an unknown scope', 401, () => status(token({ claims: { scope: 'root' } }))],
    ['several scopes', 401, () => status(token({ claims: { scope: ['status', 'bind'] } }))],
    ['another session', 403, () => status(token({ claims: { sub: crypto.randomUUID() } }))],
    ['the pod, which serves somebody by now', 403, () => status(token({ claims: { sub: pod.uid } }))],
    ['the scope of another door', 403, () => status(token({ claims: { scope: 'quiesce' } }))],
    [
      'a scope above the ceiling of its issuer',
      401,
      () => status(token({ issuer: 'gateway', claims: { scope: 'bind' } }), '/bind', 'POST'),
    ],
    [
      'a profile for the gateway',
      401,
      () => status(token({ issuer: 'gateway', claims: { scope: 'profile' } }), '/profile'),
    ],
    ['CDP for the operator', 401, () => status(token({ claims: { scope: 'cdp' } }), '/cdp/json/version')],
    [
      'CDP for the keeper',
      401,
      () => status(token({ issuer: 'keeper', claims: { scope: 'cdp' } }), '/cdp/json/version'),
    ],
    [
      'a collection for the gateway',
      401,
      () => status(token({ issuer: 'gateway', claims: { scope: 'collect' } }), '/collected', 'POST'),
    ],
    ['a path around the door', 404, () => status(token(), '/status/../bind')],
  ];
  let answers: number[];
  beforeAll(async () => {
    answers = (await ask(rows.map(([, , make]) => make()))).map((answer) => answer.status);
  });
  test.each(rows.map(([name, expected], index) => [name, expected, index] as const))('%s: %i', (_, expected, index) => {
    expect(answers[index]).toBe(expected);
  });

  test('a token opens once', async () => {
    const once = status(token());
    expect((await ask([once, once])).map((answer) => answer.status)).toEqual([200, 401]);
  });

  test('an upgrade takes the same care', async () => {
    const upgrade = (bearer: string, path: string): Request => ({
      ...status(bearer, path),
      headers: [
        ['authorization', `Bearer ${bearer}`],
        ['connection', 'Upgrade'],
        ['upgrade', 'websocket'],
        ['sec-websocket-version', '13'],
        ['sec-websocket-key', Buffer.alloc(16).toString('base64')],
      ],
    });
    const cdp = (claims = {}): string => token({ issuer: 'gateway', claims: { scope: 'cdp', ...claims } });
    const answers = await ask([
      upgrade(cdp(), '/cdp'),
      upgrade(cdp({ sub: crypto.randomUUID() }), '/cdp'),
      upgrade(cdp(), '/vnc'),
      upgrade(token(), '/cdp'),
      upgrade('x', '/cdp'),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([101, 403, 403, 403, 401]);
  });
});

test('a second session that claims the pod is refused, and the pod ends rather than serve either', async () => {
  const other = crypto.randomUUID();
  const body = { sessionUid: other, sessionName: 'other', egress: { egress: 'None', allowedHosts: [] } };
  const bind = (sub: string, scope: string): Request => ({
    ...status(token({ claims: { sub, scope } }), '/bind', 'POST'),
    headers: [
      ['authorization', `Bearer ${token({ claims: { sub, scope } })}`],
      ['content-type', 'application/json'],
    ],
    body: JSON.stringify(body),
  });
  const answers = await ask([bind(session.metadata.uid, 'bind'), bind(other, 'bind')]);
  // The first names one session in the token and another in the body.
  expect(answers.map((answer) => answer.status)).toEqual([403, 409]);
  await eventually(
    'the session has ended',
    () => tenant.get('door'),
    (seen) => seen?.status?.phase === 'Failed',
    60_000,
  );
  const left = await kubectl('get', 'pod', pod.name, '-n', tenant.namespace, '--ignore-not-found', '-o', 'name');
  expect(left.trim()).toBe('');
});
