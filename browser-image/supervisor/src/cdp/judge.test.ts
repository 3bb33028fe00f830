import { describe, expect, test } from 'vitest';
import { isMethodName, judge } from './judge.ts';

const say = (method: string, params: object = {}, sessionId?: string): string =>
  JSON.stringify({ id: 7, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
const toBrowser = (method: string, params: object = {}) => judge(say(method, params), 'browser');
const toPage = (method: string, params: object = {}) => judge(say(method, params, 'S1'), 'browser');
const paramsOf = (verdict: ReturnType<typeof judge>): unknown =>
  'text' in verdict ? (JSON.parse(verdict.text) as { params?: unknown }).params : undefined;
const errorOf = (verdict: ReturnType<typeof judge>): string | undefined =>
  verdict.kind === 'answer' ? (JSON.parse(verdict.text) as { error: { message: string } }).error.message : undefined;

describe('what goes through as it came', () => {
  test.each([
    ['Target.attachToTarget', { targetId: 'T', flatten: true }],
    ['Target.createTarget', { url: 'https://example.com/' }],
    ['Target.createTarget', { url: '' }],
    ['Target.createBrowserContext', { disposeOnDetach: true }],
    ['Browser.getVersion', {}],
    ['Storage.getCookies', {}],
  ])('%s to the browser', (method, params) => {
    expect(toBrowser(method, params)).toMatchObject({ kind: 'forward', method });
  });

  test.each([
    ['Page.navigate', { url: 'https://example.com/' }],
    ['Page.navigate', { url: 'about:blank' }],
    ['Page.navigate', { url: 'data:text/html,hello' }],
    ['Page.createIsolatedWorld', { frameId: 'F', grantUniveralAccess: true }],
    ['Runtime.evaluate', { expression: '1' }],
    ['DOM.setFileInputFiles', { files: ['/session/uploads/a.pdf'], nodeId: 1 }],
    ['Input.dispatchDragEvent', { type: 'drop', x: 1, y: 1, data: { items: [], dragOperationsMask: 1 } }],
    ['Fetch.continueRequest', { requestId: 'R' }],
    ['Network.enable', {}],
  ])('%s to a page', (method, params) => {
    expect(toPage(method, params)).toMatchObject({ kind: 'forward', method });
  });
});

describe('what is refused, with an answer that says so', () => {
  test.each([
    ['Target.setRemoteLocations', { locations: [{ host: '10.0.0.1', port: 9222 }] }],
    ['Target.exposeDevToolsProtocol', { targetId: 'T' }],
    ['Target.openDevTools', { targetId: 'T' }],
    ['Target.createBrowserContext', { proxyServer: 'direct://' }],
    ['Target.createBrowserContext', { proxyBypassList: '127.0.0.1' }],
    ['Target.createBrowserContext', { originsWithUniversalNetworkAccess: ['https://a.example'] }],
    ['Target.createTarget', { url: 'file:///etc/passwd' }],
    ['Target.createTarget', { url: 'chrome://settings' }],
    ['Tethering.bind', { port: 8080 }],
    ['Extensions.loadUnpacked', { path: '/tmp/x' }],
    ['Browser.crash', {}],
    ['Browser.executeBrowserCommand', { commandId: 'openTabSearch' }],
    ['SystemInfo.getInfo', {}],
    ['PWA.install', { manifestId: 'x' }],
    ['Cast.enable', {}],
    ['Browser.somethingNew', {}],
    ['Brandnew.method', {}],
    ['noDomain', {}],
    ['', {}],
  ])('%s %j', (method, params) => {
    const verdict = toBrowser(method, params);
    expect(verdict.kind).toBe('answer');
    expect(errorOf(verdict)).toContain('is refused by the policy of this browser');
  });

  test.each([
    ['Page.navigate', { url: 'file:///etc/passwd' }],
    ['Page.navigate', { url: ' FILE:///etc/passwd' }],
    ['Page.navigate', { url: 'fi\tle:///etc/passwd' }],
    ['Page.navigate', { url: 'view-source:https://example.com' }],
    ['Page.navigate', { url: 'chrome://version' }],
    ['Page.navigate', { url: 'about:version' }],
    ['Page.navigate', { url: 'devtools://devtools/bundled/inspector.html' }],
    ['Page.navigate', { url: 'chrome-extension://abc/x.html' }],
    ['Page.navigate', { url: 'filesystem:https://example.com/temporary/x' }],
    ['Page.navigate', { url: 'no scheme' }],
    ['Page.navigate', { url: { toString: 'x' } }],
    ['Fetch.continueRequest', { requestId: 'R', url: 'file:///etc/passwd' }],
    ['Network.loadNetworkResource', { url: 'http://169.254.169.254/', options: {} }],
    ['DOM.setFileInputFiles', { files: ['/etc/passwd'] }],
    ['DOM.setFileInputFiles', { files: ['/session/../etc/passwd'] }],
    ['DOM.setFileInputFiles', { files: ['/session/uploads/a', '/run/podwright/vnc.sock'] }],
    ['DOM.setFileInputFiles', { files: ['session/uploads/a'] }],
    ['DOM.setFileInputFiles', { files: '/session/uploads/a' }],
    ['DOM.setFileInputFiles', {}],
    ['Input.dispatchDragEvent', { data: { items: [], files: ['/etc/passwd'] } }],
    ['Tethering.bind', { port: 1 }],
    ['Target.setRemoteLocations', { locations: [] }],
    ['Brandnew.method', {}],
  ])('%s %j to a page', (method, params) => {
    expect(toPage(method, params).kind).toBe('answer');
  });

  test('a method of pages is refused at the browser endpoint, where a newer Chromium might answer it', () => {
    expect(toBrowser('Page.somethingNew').kind).toBe('answer');
    expect(toPage('Page.somethingNew').kind).toBe('forward');
  });

  test('an empty session is no page', () => {
    expect(judge('{"id":1,"method":"Page.somethingNew","sessionId":""}', 'browser').kind).toBe('answer');
  });

  test('a text that cannot be a method is not repeated', () => {
    const verdict = toBrowser('X'.repeat(1_000_000));
    expect('text' in verdict ? verdict.text.length : Infinity).toBeLessThan(300);
    expect(isMethodName('X'.repeat(1_000_000))).toBe(false);
    expect(isMethodName('Browser.crash')).toBe(true);
  });

  test('the answer carries id and session of the question', () => {
    const verdict = toPage('Network.loadNetworkResource', { url: 'x', options: {} });
    expect(JSON.parse('text' in verdict ? verdict.text : '')).toMatchObject({
      id: 7,
      sessionId: 'S1',
      error: { code: -32_000 },
    });
  });

  test.each([
    ['no id', '{"method":"Browser.getVersion"}'],
    ['no method', '{"id":1}'],
    ['a list', '[{"id":1,"method":"Browser.getVersion"}]'],
    ['parameters that are a list', '{"id":1,"method":"Browser.getVersion","params":[]}'],
    ['a session that is a number', '{"id":1,"method":"Browser.getVersion","sessionId":1}'],
  ])('a message with %s', (_, text) => {
    expect(judge(text, 'browser').kind).toBe('answer');
  });
});

test.each([
  ['no JSON', 'hello'],
  ['a method given twice', '{"id":1,"method":"Page.enable","method":"Browser.crash"}'],
])('%s closes the connection', (_, text) => {
  expect(judge(text, 'browser').kind).toBe('close');
});

test('an escaped method name is judged as the name it stands for', () => {
  const text = String.raw`{"id":1,"method":"Br\u006fwser.crash"}`;
  expect(judge(text, 'browser')).toMatchObject({ kind: 'answer', method: 'Browser.crash' });
});

describe('what is sent in another form', () => {
  test.each(['allow', 'allowAndName'])('downloads (%s) go to the folder of the session', (behavior) => {
    const verdict = toBrowser('Browser.setDownloadBehavior', {
      behavior,
      downloadPath: '/tmp/x',
      eventsEnabled: true,
    });
    expect(paramsOf(verdict)).toEqual({ behavior, downloadPath: '/session/downloads', eventsEnabled: true });
  });

  test('downloads that are denied name no path', () => {
    const verdict = toPage('Page.setDownloadBehavior', { behavior: 'deny', downloadPath: '/tmp/x' });
    expect(paramsOf(verdict)).toEqual({ behavior: 'deny' });
  });

  test('targets of the browser interface are left out, with and without a filter of the client', () => {
    const hidden = { type: 'browser_ui', exclude: true };
    const own = toBrowser('Target.setAutoAttach', { autoAttach: true, filter: [{ type: 'page' }] });
    expect(paramsOf(own)).toEqual({ autoAttach: true, filter: [hidden, { type: 'page' }] });
    const none = toBrowser('Target.getTargets');
    expect(paramsOf(none)).toEqual({
      filter: [hidden, { type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}],
    });
  });
});

test('Browser.close is answered and only detaches', () => {
  expect(toBrowser('Browser.close')).toEqual({ kind: 'detach', method: 'Browser.close', text: '{"id":7,"result":{}}' });
});

describe('a message inside Target.sendMessageToTarget', () => {
  const inside = (method: string, params: object = {}) =>
    toBrowser('Target.sendMessageToTarget', { targetId: 'T', message: JSON.stringify({ id: 1, method, params }) });

  test('passes when it may', () => {
    expect(inside('Runtime.evaluate', { expression: '1' }).kind).toBe('forward');
  });

  test('is refused when it may not', () => {
    expect(inside('Page.navigate', { url: 'file:///' })).toMatchObject({ kind: 'answer', method: 'Page.navigate' });
  });

  test('is rewritten inside', () => {
    const verdict = inside('Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/tmp' });
    const { message } = paramsOf(verdict) as { message: string };
    expect(JSON.parse(message)).toMatchObject({ params: { downloadPath: '/session/downloads' } });
  });

  test('is judged at every depth, and refused when it goes too deep', () => {
    const nest = (text: string, depth: number): string =>
      depth === 0 ? text : nest(say('Target.sendMessageToTarget', { message: text }), depth - 1);
    expect(judge(nest(say('Page.navigate', { url: 'file:///' }), 2), 'browser').kind).toBe('answer');
    expect(judge(nest(say('Runtime.evaluate'), 2), 'browser').kind).toBe('forward');
    expect(judge(nest(say('Runtime.evaluate'), 6), 'browser').kind).toBe('answer');
  });
});

test.each([
  ['Emulation.setDeviceMetricsOverride', true],
  ['Browser.setWindowBounds', true],
  ['Runtime.evaluate', false],
])('%s takes the viewport: %s', (method, takesViewport) => {
  const verdict = method.startsWith('Browser.') ? toBrowser(method) : toPage(method);
  expect(verdict).toMatchObject({ takesViewport });
});
