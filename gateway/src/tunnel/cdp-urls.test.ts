import { describe, expect, test } from 'vitest';
import { podSocketPath, rewriteTargets, rewriteVersion, socketBase } from './cdp-urls.ts';

const prefix = '/cdp/u/l';

describe('advertised addresses', () => {
  test.each([
    [
      'the public address keeps its scheme',
      'b.example.com',
      'https://b.example.com',
      undefined,
      'wss://b.example.com/cdp/u/l',
    ],
    [
      'a port forward is answered on the port that was asked',
      'localhost:9999',
      'https://b.example.com',
      undefined,
      'ws://localhost:9999/cdp/u/l',
    ],
    ['a trusted proxy says which scheme', 'other.example.com', 'http://b', 'https', 'wss://other.example.com/cdp/u/l'],
    ['plain HTTP stays plain', '127.0.0.1:8080', 'http://127.0.0.1:8080', undefined, 'ws://127.0.0.1:8080/cdp/u/l'],
  ])('%s', (_name, host, publicUrl, forwardedProto, expected) => {
    expect(socketBase({ host, publicUrl, forwardedProto, prefix })).toBe(expected);
  });

  test('the browser socket is on the same host and prefix', () => {
    const answer = { Browser: 'Chrome/156', webSocketDebuggerUrl: 'ws://127.0.0.1:9222/devtools/browser/ab-12' };
    expect(rewriteVersion(answer, 'wss://h/cdp/u/l')).toEqual({
      Browser: 'Chrome/156',
      webSocketDebuggerUrl: 'wss://h/cdp/u/l/devtools/browser/ab-12',
    });
  });

  test('targets of the browser itself are left out, and its front end too', () => {
    const targets = [
      {
        id: '1',
        type: 'page',
        url: 'https://a/',
        webSocketDebuggerUrl: 'ws://x/devtools/page/1',
        devtoolsFrontendUrl: '/d',
      },
      { id: '2', type: 'browser_ui', url: 'chrome://omnibox-popup.top-chrome/' },
    ];
    expect(rewriteTargets(targets, 'ws://h')).toEqual([
      { id: '1', type: 'page', url: 'https://a/', webSocketDebuggerUrl: 'ws://h/devtools/page/1' },
    ]);
  });
});

describe('paths of upgrades', () => {
  test.each([
    ['', '', '/cdp'],
    ['/', '', '/cdp'],
    ['/devtools/browser/ab-12', '', '/cdp/devtools/browser/ab-12'],
    ['/devtools/page/AB', 'mode=exclusive', '/cdp/devtools/page/AB?mode=exclusive'],
    ['', 'mode=other&x=1', '/cdp'],
    ['/devtools/page/../../vnc', '', null],
    ['/json/version', '', null],
  ])('%s?%s', (path, query, expected) => {
    expect(podSocketPath(path, new URLSearchParams(query))).toBe(expected);
  });
});
