import { expect, test } from 'vitest';
import { createOriginCheck } from './origins.ts';

test.each<[string, string[] | null, string, boolean]>([
  ['everything when nothing is named', null, 'https://any.example/', true],
  ['an origin', ['https://shop.example'], 'https://shop.example/a?b', true],
  ['not another scheme of it', ['https://shop.example'], 'http://shop.example/', false],
  ['not another port of it', ['https://shop.example'], 'https://shop.example:8443/', false],
  ['not a longer name', ['https://shop.example'], 'https://shop.example.evil.test/', false],
  ['not a name before an @', ['https://shop.example'], 'https://shop.example@evil.test/', false],
  ['a host on every scheme', ['shop.example'], 'http://shop.example:8080/', true],
  ['subdomains', ['*.example'], 'https://a.b.example/', true],
  ['not the domain itself by a star', ['*.shop.example'], 'https://shop.example/', false],
  ['the empty page', ['https://shop.example'], 'about:blank', true],
  ['no data address', ['https://shop.example'], 'data:text/html,hi', false],
  ['no blob of another origin', ['https://shop.example'], 'blob:https://evil.test/1', false],
])('allows %s', (_, allowed, url, expected) => {
  expect(createOriginCheck(allowed)(url)).toBe(expected);
});
