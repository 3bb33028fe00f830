import type { Target } from './targets.ts';

/**
 * What a CDP client through the gateway tries. `refused`: the supervisor answers with its own words. `closed`: the
 * connection is closed for it. `nothing`: it may be answered in any way, as long as no witness hears of it and the
 * page shows no file of the pod and no page of the browser's own.
 */
export interface CdpCase {
  name: string;
  to: 'browser' | 'page';
  method: string;
  params?: object;
  /** Sent as it stands instead; ID and SESSION are filled in. */
  raw?: string;
  outcome: 'refused' | 'closed' | 'nothing';
}

const browser = (name: string, method: string, params: object = {}): CdpCase => ({
  name,
  to: 'browser',
  method,
  params,
  outcome: 'refused',
});
const page = (name: string, method: string, params: object = {}): CdpCase => ({
  name,
  to: 'page',
  method,
  params,
  outcome: 'refused',
});
const nothing = (name: string, method: string, params: object = {}): CdpCase => ({
  name,
  to: 'page',
  method,
  params,
  outcome: 'nothing',
});

const PROXIES: [string, object][] = [
  ['no proxy', { proxyServer: 'direct://' }],
  ["Chromium's own port as proxy", { proxyServer: 'http://127.0.0.1:9222' }],
  ['a proxy elsewhere', { proxyServer: 'socks5://10.77.0.7:18081' }],
  ['an empty proxy', { proxyServer: '' }],
  ['a bypass list', { proxyBypassList: '*' }],
  ['a bypass of loopback', { proxyServer: 'http://127.0.0.1:3128', proxyBypassList: '127.0.0.1;localhost' }],
  ['universal access', { originsWithUniversalNetworkAccess: ['http://a.example'] }],
];

/** Addresses that are no pages of the web. */
export const PRIVILEGED_URLS = [
  'file:///etc/passwd',
  'file:///proc/self/environ',
  'file://localhost/etc/passwd',
  'FILE:///etc/passwd',
  'file:/etc/passwd',
  ' file:///etc/passwd',
  'fi\tle:///etc/passwd',
  'view-source:file:///etc/passwd',
  'view-source:http://127.0.0.1:9222/json/version',
  'chrome://version/',
  'chrome://settings/',
  'chrome://net-export/',
  'chrome://inspect/',
  'chrome://policy/',
  'chrome://restart/',
  'chrome-untrusted://print/',
  'chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html',
  'chrome-search://local-ntp/',
  'about:version',
  'about:settings',
  'devtools://devtools/bundled/inspector.html',
  'filesystem:http://10.77.0.7:18080/temporary/x',
  'isolated-app://x/',
  'ftp://10.77.0.7/',
  'intent://10.77.0.7/',
  'ws://10.77.0.7:18081/',
] as const;

const FILES = [
  '/etc/passwd',
  '/session/../etc/passwd',
  '/session/uploads/../../etc/passwd',
  '/session',
  '/proc/self/environ',
  'etc/passwd',
  '/sessionx/a',
  '/session/uploads/a\0/etc/passwd',
];

export const CDP_CASES: readonly CdpCase[] = [
  ...PROXIES.map(([name, params]) => browser(`a context with ${name}`, 'Target.createBrowserContext', params)),
  browser('remote locations', 'Target.setRemoteLocations', { locations: [{ host: '127.0.0.1', port: 9222 }] }),
  browser('the protocol inside a page', 'Target.exposeDevToolsProtocol', { targetId: 'x', bindingName: 'cdp' }),
  browser('a port of the pod', 'Tethering.bind', { port: 9999 }),
  browser('an extension from disk', 'Extensions.loadUnpacked', { path: '/tmp' }),
  browser('the storage of an extension', 'Extensions.getStorageItems', { id: 'x', storageArea: 'local' }),
  browser('a command of the desktop', 'Browser.executeBrowserCommand', { commandId: 'openTabSearch' }),
  browser('a crash', 'Browser.crash'),
  browser('how the browser was started', 'Browser.getBrowserCommandLine'),
  browser('the machine', 'SystemInfo.getInfo'),
  browser('the processes', 'SystemInfo.getProcessInfo'),
  browser('the developer tools', 'Target.openDevTools', { targetId: 'x' }),
  browser('an application', 'PWA.install', { manifestId: 'http://a.example/' }),
  browser('devices of the network', 'Cast.enable'),
  browser('another screen', 'Emulation.addScreen', { left: 0, top: 0, width: 9999, height: 9999 }),
  browser('a method that nobody knows', 'Browser.doAnything'),
  browser('a method of another case', 'target.setRemoteLocations', { locations: [] }),
  browser('a method of a page at the browser', 'Page.navigate', { url: 'http://127.0.0.1:9222/' }),
  page('a resource outside of any page', 'Network.loadNetworkResource', {
    url: 'http://127.0.0.1:9222/json',
    options: { disableCache: true, includeCredentials: true },
  }),
  page('devices of the network, at a page', 'Cast.enable'),
  page('a port of the pod, at a page', 'Tethering.bind', { port: 9998 }),
  page('a context with a proxy, at a page', 'Target.createBrowserContext', { proxyServer: 'direct://' }),
  ...FILES.map((file) =>
    page(`the file ${JSON.stringify(file)} for a form`, 'DOM.setFileInputFiles', { files: [file], backendNodeId: 1 }),
  ),
  page('a dragged file', 'Input.dispatchDragEvent', {
    type: 'drop',
    x: 1,
    y: 1,
    data: { items: [], files: ['/etc/passwd'], dragOperationsMask: 1 },
  }),
  ...PRIVILEGED_URLS.slice(0, 8).map((url) => ({
    ...browser(`a new page at ${JSON.stringify(url)}`, 'Target.createTarget', { url }),
  })),
  ...PRIVILEGED_URLS.map((url) => page(JSON.stringify(url), 'Page.navigate', { url })),
  page('a request that is sent elsewhere by a file', 'Fetch.continueRequest', {
    requestId: 'x',
    url: 'file:///etc/passwd',
  }),
  {
    name: 'a refused message inside another',
    to: 'browser',
    method: 'Target.sendMessageToTarget',
    params: { targetId: 'x', message: '{"id":1,"method":"Tethering.bind","params":{"port":9997}}' },
    outcome: 'refused',
  },
  {
    name: 'a refused message inside another inside another',
    to: 'browser',
    method: 'Target.sendMessageToTarget',
    params: {
      targetId: 'x',
      message: JSON.stringify({
        id: 1,
        method: 'Target.sendMessageToTarget',
        params: { message: '{"id":1,"method":"Page.navigate","params":{"url":"file:///etc/passwd"}}' },
      }),
    },
    outcome: 'refused',
  },
  {
    name: 'a method in escapes',
    to: 'browser',
    method: '',
    raw: String.raw`{"id":ID,"method":"\u0054ethering.bind","params":{"port":9996}}`,
    outcome: 'refused',
  },
  {
    name: 'an address in escapes',
    to: 'page',
    method: '',
    raw: String.raw`{"id":ID,"sessionId":"SESSION","method":"Page.navigate","params":{"url":"\u0066ile:///etc/passwd"}}`,
    outcome: 'refused',
  },
  {
    name: 'an empty session',
    to: 'browser',
    method: '',
    raw: `{"id":ID,"sessionId":"","method":"Page.navigate","params":{"url":"http://127.0.0.1:9222/"}}`,
    outcome: 'refused',
  },
  {
    name: 'a method named twice',
    to: 'browser',
    method: '',
    raw: `{"id":ID,"method":"Browser.getVersion","method":"Tethering.bind","params":{"port":9995}}`,
    outcome: 'closed',
  },
  {
    name: 'parameters named twice',
    to: 'page',
    method: '',
    raw: `{"id":ID,"sessionId":"SESSION","method":"Page.navigate","params":{"url":"about:blank"},"params":{"url":"file:///etc/passwd"}}`,
    outcome: 'closed',
  },
  {
    name: 'what is no JSON',
    to: 'browser',
    method: '',
    raw: `{"id":ID,"method":"Tethering.bind",}`,
    outcome: 'closed',
  },
  { name: 'a comment', to: 'browser', method: '', raw: `{"id":ID/**/,"method":"Tethering.bind"}`, outcome: 'closed' },
  {
    name: 'an endless depth',
    to: 'browser',
    method: '',
    raw: `{"id":ID,"method":"Browser.getVersion","params":${'['.repeat(100_000)}`,
    outcome: 'closed',
  },
];

/** Navigations and requests to every spelling of every target; `id` names the case in the address. */
export const targetCases = (targets: readonly Target[]): CdpCase[] => [
  ...targets.map(({ name, host }, index) =>
    nothing(`a page at ${name}`, 'Page.navigate', { url: `http://${host}/hit/cdp-navigate-${index}` }),
  ),
  ...targets.slice(0, 6).flatMap(({ name, host }, index) => [
    nothing(`TLS to ${name}`, 'Page.navigate', { url: `https://${host}/hit/cdp-tls-${index}` }),
    {
      ...nothing(`a new page at ${name}`, 'Target.createTarget', {
        url: `http://${host}/hit/cdp-create-${index}`,
        background: true,
      }),
      to: 'browser' as const,
    },
    nothing(`a script by its address at ${name}`, 'Runtime.evaluate', {
      expression: `location.href = ${JSON.stringify(`http://${host}/hit/cdp-script-${index}`)}`,
    }),
    nothing(`javascript: that goes to ${name}`, 'Page.navigate', {
      url: `javascript:location.href=${JSON.stringify(`http://${host}/hit/cdp-javascript-${index}`)}`,
    }),
    nothing(`a data: page with a picture of ${name}`, 'Page.navigate', {
      url: `data:text/html,<img src="http://${host}/hit/cdp-data-${index}">`,
    }),
    nothing(`a download from ${name}`, 'Runtime.evaluate', {
      expression: `fetch(${JSON.stringify(`http://${host}/hit/cdp-fetch-${index}`)}, { mode: 'no-cors', headers: { Accept: 'x' } })`,
    }),
  ]),
];
