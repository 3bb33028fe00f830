import { describe, expect, test } from 'vitest';
import { STORAGE_STATE_MAX_BYTES } from '@podwright/api/storage-state';
import { checkStorageState } from './storage-state-check.ts';

const cookie = {
  name: 'sid',
  value: 'x',
  domain: '.Shop.example',
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: true,
  sameSite: 'Lax',
};
const check = (value: unknown) => checkStorageState(Buffer.from(JSON.stringify(value)));

describe('a storage state is kept', () => {
  test('with its cookies, storages and databases', () => {
    const full = {
      cookies: [{ ...cookie, partitionKey: 'https://top.example' }],
      origins: [
        {
          origin: 'https://shop.example',
          localStorage: [{ name: 'a', value: '1' }],
          sessionStorage: [{ name: 'b', value: '2' }],
          indexedDB: [
            {
              name: 'db',
              version: 1,
              stores: [{ name: 's', autoIncrement: false, indexes: [], records: [{ key: 'k', value: { deep: [1] } }] }],
            },
          ],
        },
      ],
    };
    expect(JSON.parse(check(full).state.toString())).toEqual(full);
  });

  test('without members that the schema does not know', () => {
    const { state } = check({ cookies: [{ ...cookie, extra: 1 }], origins: [], __proto__x: { a: 1 } });
    expect(JSON.parse(state.toString())).toEqual({ cookies: [cookie], origins: [] });
  });

  test('and its cookie domains are listed once each, without the leading dot', () => {
    const domains = check({
      cookies: [cookie, { ...cookie, name: 'b', domain: 'shop.example' }, { ...cookie, domain: 'a.example' }],
      origins: [],
    }).cookieDomains;
    expect(domains).toEqual(['a.example', 'shop.example']);
  });
});

describe('a storage state is refused', () => {
  const nested = (depth: number): string => `{"cookies":[],"origins":[${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}]}`;
  const bad: [string, Buffer, string][] = [
    ['when it is not JSON', Buffer.from('not json'), 'invalid_request'],
    ['when it is empty', Buffer.alloc(0), 'invalid_request'],
    ['when it is another JSON', Buffer.from('[]'), 'invalid_request'],
    ['when a cookie lacks its domain', Buffer.from('{"cookies":[{"name":"a"}],"origins":[]}'), 'invalid_request'],
    [
      'when an origin is no origin',
      Buffer.from('{"cookies":[],"origins":[{"origin":"file:///etc","localStorage":[]}]}'),
      'invalid_request',
    ],
    ['when it is nested without end', Buffer.from(nested(50_000)), 'invalid_request'],
    [
      'when it has millions of values',
      Buffer.from(`{"cookies":[],"origins":[${'[],'.repeat(600_000)}1]}`),
      'too_large',
    ],
    ['when it is too large', Buffer.alloc(STORAGE_STATE_MAX_BYTES + 1, 0x20), 'too_large'],
  ];
  test.each(bad)('%s', (_why, bytes, code) => {
    expect(() => checkStorageState(bytes)).toThrow(expect.objectContaining({ code }));
  });
});
