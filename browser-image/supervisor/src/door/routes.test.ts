import { describe, expect, test } from 'vitest';
import { findRoute, findUpgrade } from './routes.ts';

describe('a request', () => {
  test.each<[string, string, string | undefined]>([
    ['POST', '/bind', 'bind'],
    ['GET', '/bind', undefined],
    ['GET', '/cdp/json/version', 'version'],
    ['GET', '/cdp/json/version/', 'version'],
    ['GET', '/cdp/json', 'list'],
    ['GET', '/cdp/json/list/', 'list'],
    ['PUT', '/cdp/json/new', 'newPage'],
    ['GET', '/cdp/json/new', undefined],
    ['GET', '/cdp/json/protocol', undefined],
    ['GET', '/files/downloads', 'downloads'],
    ['GET', '/files/downloads/', undefined],
    ['GET', '/files/downloads/a/b', 'download'],
    ['PUT', '/files/downloads/a', undefined],
    ['PUT', '/files/uploads/a', 'upload'],
    ['GET', '/files/uploads/a', undefined],
    ['GET', '/', undefined],
    ['GET', '//bind', undefined],
  ])('%s %s leads to %s', (method, path, name) => {
    expect(findRoute(method, path, false)?.name).toBe(name);
  });

  test.each([
    ['GET', '/status', false],
    ['GET', '/profile', false],
    ['GET', '/files/downloads/a', false],
    ['POST', '/collected', false],
    ['POST', '/bind', true],
    ['PUT', '/profile', true],
    ['PUT', '/viewport', true],
  ])('%s %s is closed while the pod ends: %s', (method, path, closed) => {
    expect(findRoute(method, path, true)?.closed).toBe(closed);
  });
});

test.each([
  ['/cdp', { kind: 'browser' }],
  ['/cdp/', { kind: 'browser' }],
  ['/cdp/devtools/browser', { kind: 'browser' }],
  ['/cdp/devtools/browser/0f-a', { kind: 'browser' }],
  ['/cdp/devtools/page/ABC', { kind: 'page', targetId: 'ABC' }],
  ['/cdp/devtools/page/..%2fbrowser', undefined],
  ['/cdp/devtools/page/', undefined],
  ['/devtools/browser/x', undefined],
  ['/vnc', { kind: 'vnc' }],
  ['/', undefined],
])('an upgrade of %s leads to its door', (path, target) => {
  expect(findUpgrade(path)).toEqual(target);
});
