import { describe, expect, test } from 'vitest';
import { createPresigner } from './presigner.ts';

const key = Buffer.alloc(32, 1);
const at = (now: number, withKey = key, ...older: Buffer[]) =>
  createPresigner({ keys: () => [withKey, ...older], now: () => now });
const access = { method: 'GET', key: 'tenants/demo/downloads/a.png', contentType: 'image/png' } as const;

describe('a presigned token', () => {
  const token = at(1_000_000).sign(access, 60);

  test('opens what it was signed for, until its end', () => {
    expect(at(1_059_000).verify(token, 'GET')).toEqual(access);
  });

  test('opens nothing for another method', () => {
    expect(() => at(1_000_000).verify(token, 'PUT')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  test('outlives the key that signed it, as long as that one is held', () => {
    const next = Buffer.alloc(32, 9);
    expect(at(1_000_000, next, key).verify(token, 'GET')).toEqual(access);
    expect(() => at(1_000_000, next).verify(token, 'GET')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  test('is gone after its end', () => {
    expect(() => at(1_060_000).verify(token, 'GET')).toThrow(expect.objectContaining({ code: 'gone' }));
  });

  test('of another installation opens nothing', () => {
    const other = at(1_000_000, Buffer.alloc(32, 2));
    expect(() => other.verify(token, 'GET')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  const [payload = '', mac = ''] = token.split('.');
  const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('demo', 'prod')).toString(
    'base64url',
  );
  const changed: [string, string][] = [
    ['with another payload', `${forged}.${mac}`],
    ['without its signature', `${payload}.`],
    ['with more parts', `${token}.x`],
    ['that is empty', ''],
    ['that is far too long', 'a'.repeat(5000)],
    ['with a signature cut short', token.slice(0, -2)],
  ];
  test.each(changed)('%s opens nothing', (_how, text) => {
    expect(() => at(1_000_000).verify(text, 'GET')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  test('carries the limits of an upload', () => {
    const upload = { method: 'PUT', key: 'tenants/demo/uploads/a', contentType: 'text/csv', size: 12 } as const;
    expect(at(0).verify(at(0).sign(upload, 60), 'PUT')).toEqual(upload);
  });
});
