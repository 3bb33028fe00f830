import { POD_DIR } from './names.ts';

/**
 * What a CDP client may send to a browser: one table for agents, MCP, scripts and tenants alike.
 * Data only; the supervisor judges every message against it.
 *
 * The table lists every method that the browser endpoint of the pinned Chromium (156) answers, and the methods of pages
 * that need a look at their parameters. A method without a rule passes only when it belongs to one of PAGE_DOMAINS and
 * is sent to a page; everything else is refused, so that a method which a newer Chromium gains is closed until read.
 * A test of the supervisor asks the real Chromium which methods its browser endpoint has and fails when one is missing here.
 */
export type CdpRule =
  | { verdict: 'allow' }
  /** Answered with an error that says why. */
  | { verdict: 'refuse'; because: string }
  /** Allowed when the parameters pass the named check. */
  | { verdict: 'check'; check: CdpCheck }
  /** Forwarded with parameters of ours. */
  | { verdict: 'rewrite'; rewrite: CdpRewrite }
  /** Answered with success, then the client's connection is closed; the browser stays. */
  | { verdict: 'detach' }
  /** The message inside is judged. */
  | { verdict: 'unwrap' };

/**
 * `url`: `params.url`, when there, has a scheme of CDP_URL_SCHEMES.
 * `files`: each of `params.files` is below CDP_FILE_ROOT. `dragFiles`: the same for `params.data.files`.
 * `browserContext`: neither a proxy of its own nor origins with universal access.
 */
export type CdpCheck = 'url' | 'files' | 'dragFiles' | 'browserContext';

/**
 * `downloads`: files go to CDP_DOWNLOAD_PATH, whatever path was asked for.
 * `targetFilter`: targets of the browser's own interface are left out.
 */
export type CdpRewrite = 'downloads' | 'targetFilter';

export const CDP_URL_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'data:', 'blob:', 'javascript:']);
/** `about:` leads to chrome: pages but for these. */
export const CDP_ABOUT_URLS: ReadonlySet<string> = new Set(['about:blank', 'about:srcdoc']);
export const CDP_FILE_ROOT = POD_DIR.files;
export const CDP_DOWNLOAD_PATH = POD_DIR.downloads;
/** Type of the targets that are Chromium's own interface (omnibox popups): privileged pages. */
export const CDP_HIDDEN_TARGET_TYPE = 'browser_ui';

const allow = { verdict: 'allow' } as const;
const refuse = (because: string): CdpRule => ({ verdict: 'refuse', because });
const allAllowed = (domain: string, ...methods: string[]): Record<string, CdpRule> =>
  Object.fromEntries(methods.map((method) => [`${domain}.${method}`, allow]));
const allRefused = (because: string, domain: string, ...methods: string[]): Record<string, CdpRule> =>
  Object.fromEntries(methods.map((method) => [`${domain}.${method}`, refuse(because)]));

const browser: Record<string, CdpRule> = {
  ...allAllowed(
    'Browser',
    'setPermission',
    'grantPermissions',
    'resetPermissions',
    'cancelDownload',
    'getVersion',
    'getHistograms',
    'getHistogram',
    'getWindowBounds',
    'getWindowForTarget',
    'setWindowBounds',
    'setContentsSize',
    'addMockCamera',
    'getGlobalPrivacyControl',
    'setGlobalPrivacyControl',
    'addPrivacySandboxEnrollmentOverride',
  ),
  'Browser.close': { verdict: 'detach' },
  'Browser.setDownloadBehavior': { verdict: 'rewrite', rewrite: 'downloads' },
  ...allRefused('the browser belongs to its session, not to one client', 'Browser', 'crash', 'crashGpuProcess'),
  ...allRefused('it acts on the desktop around the page', 'Browser', 'setDockTile', 'executeBrowserCommand'),
  'Browser.getBrowserCommandLine': refuse('how the browser was started is not for clients'),
};

const target: Record<string, CdpRule> = {
  ...allAllowed(
    'Target',
    'activateTarget',
    'attachToTarget',
    'attachToBrowserTarget',
    'closeTarget',
    'detachFromTarget',
    'disposeBrowserContext',
    'getBrowserContexts',
    'getTargetInfo',
  ),
  'Target.createTarget': { verdict: 'check', check: 'url' },
  'Target.createBrowserContext': { verdict: 'check', check: 'browserContext' },
  'Target.getTargets': { verdict: 'rewrite', rewrite: 'targetFilter' },
  'Target.setAutoAttach': { verdict: 'rewrite', rewrite: 'targetFilter' },
  'Target.autoAttachRelated': { verdict: 'rewrite', rewrite: 'targetFilter' },
  'Target.setDiscoverTargets': { verdict: 'rewrite', rewrite: 'targetFilter' },
  'Target.sendMessageToTarget': { verdict: 'unwrap' },
  'Target.setRemoteLocations': refuse('it makes the browser connect to a debugging port elsewhere'),
  'Target.exposeDevToolsProtocol': refuse('it hands the debugging protocol to a page'),
  ...allRefused('it opens a privileged page', 'Target', 'openDevTools', 'getDevToolsTarget'),
};

const otherBrowserMethods: Record<string, CdpRule> = {
  ...allRefused('it listens on ports of the pod', 'Tethering', 'bind', 'unbind'),
  ...allRefused(
    'extensions of this browser are fixed',
    'Extensions',
    'triggerAction',
    'loadUnpacked',
    'getExtensions',
    'uninstall',
    'getStorageItems',
    'removeStorageItems',
    'clearStorageItems',
    'setStorageItems',
  ),
  ...allRefused('how the browser was started is not for clients', 'SystemInfo', 'getInfo', 'getProcessInfo'),
  ...allAllowed('SystemInfo', 'getFeatureState'),
  ...allAllowed('IO', 'close', 'read', 'resolveBlob'),
  ...allAllowed(
    'Tracing',
    'start',
    'end',
    'getCategories',
    'getTrackEventDescriptor',
    'recordClockSyncMarker',
    'requestMemoryDump',
  ),
  ...allAllowed(
    'Security',
    'disable',
    'enable',
    'setIgnoreCertificateErrors',
    'handleCertificateError',
    'setOverrideCertificateErrors',
  ),
  ...allAllowed(
    'Fetch',
    'disable',
    'enable',
    'failRequest',
    'fulfillRequest',
    'continueWithAuth',
    'continueResponse',
    'getResponseBody',
    'takeResponseBodyAsStream',
  ),
  'Fetch.continueRequest': { verdict: 'check', check: 'url' },
  ...allAllowed(
    'Memory',
    'getDOMCounters',
    'getDOMCountersForLeakDetection',
    'prepareForLeakDetection',
    'forciblyPurgeJavaScriptMemory',
    'setPressureNotificationsSuppressed',
    'simulatePressureNotification',
    'startSampling',
    'stopSampling',
    'getAllTimeSamplingProfile',
    'getBrowserSamplingProfile',
    'getSamplingProfile',
  ),
  ...allAllowed(
    'Storage',
    'getStorageKeyForFrame',
    'getStorageKey',
    'clearDataForOrigin',
    'clearDataForStorageKey',
    'getCookies',
    'setCookies',
    'clearCookies',
    'getUsageAndQuota',
    'overrideQuotaForOrigin',
    'trackCacheStorageForOrigin',
    'trackCacheStorageForStorageKey',
    'trackIndexedDBForOrigin',
    'trackIndexedDBForStorageKey',
    'untrackCacheStorageForOrigin',
    'untrackCacheStorageForStorageKey',
    'untrackIndexedDBForOrigin',
    'untrackIndexedDBForStorageKey',
    'getTrustTokens',
    'clearTrustTokens',
    'getPrivateVerificationTokens',
    'getPrivateVerificationTokensIssuerConfigs',
    'clearPrivateVerificationTokens',
    'deletePrivateVerificationToken',
    'setPrivateVerificationTokensTracking',
    'setStorageBucketTracking',
    'deleteStorageBucket',
    'runBounceTrackingMitigations',
  ),
  ...allAllowed('Emulation', 'setAutomationOverride', 'getScreenInfos'),
  ...allRefused(
    'the screen is set through the viewport of the session',
    'Emulation',
    'addScreen',
    'updateScreen',
    'removeScreen',
    'setPrimaryScreen',
  ),
  ...allAllowed('Runtime', 'runIfWaitingForDebugger'),
  ...allAllowed('Schema', 'getDomains'),
  ...allAllowed(
    'BluetoothEmulation',
    'enable',
    'disable',
    'setSimulatedCentralState',
    'simulatePreconnectedPeripheral',
    'simulateAdvertisement',
    'simulateGATTOperationResponse',
    'simulateCharacteristicOperationResponse',
    'simulateDescriptorOperationResponse',
    'addService',
    'removeService',
    'addCharacteristic',
    'removeCharacteristic',
    'addDescriptor',
    'removeDescriptor',
    'simulateGATTDisconnection',
  ),
};

/** Methods of pages whose parameters matter. The rest of their domains passes. */
const page: Record<string, CdpRule> = {
  'Page.navigate': { verdict: 'check', check: 'url' },
  'Page.setDownloadBehavior': { verdict: 'rewrite', rewrite: 'downloads' },
  'DOM.setFileInputFiles': { verdict: 'check', check: 'files' },
  'Input.dispatchDragEvent': { verdict: 'check', check: 'dragFiles' },
  'Network.loadNetworkResource': refuse('it fetches outside of any page'),
};

export const CDP_RULES: ReadonlyMap<string, CdpRule> = new Map(
  Object.entries({ ...browser, ...target, ...otherBrowserMethods, ...page }),
);

/** Domains that act inside one page; their methods pass when sent to a page and the table says nothing else. */
export const PAGE_DOMAINS: ReadonlySet<string> = new Set([
  'Accessibility',
  'Ads',
  'Animation',
  'Audits',
  'Autofill',
  'BackgroundService',
  'CSS',
  'CacheStorage',
  'Console',
  'CrashReportContext',
  'DOM',
  'DOMDebugger',
  'DOMSnapshot',
  'DOMStorage',
  'Debugger',
  'DeviceAccess',
  'DeviceOrientation',
  'DigitalCredentials',
  'Emulation',
  'EventBreakpoints',
  'FedCm',
  'FileSystem',
  'FindInPage',
  'HeadlessExperimental',
  'HeapProfiler',
  'IndexedDB',
  'Input',
  'Inspector',
  'LayerTree',
  'Log',
  'Media',
  'Network',
  'Overlay',
  'Page',
  'Performance',
  'PerformanceTimeline',
  'Preload',
  'Profiler',
  'Runtime',
  'ServiceWorker',
  'SmartCardEmulation',
  'WebAudio',
  'WebAuthn',
  'WebMCP',
]);

/** Domains of the pinned protocol that are closed as a whole, with the reason a client is told. */
export const REFUSED_DOMAINS: ReadonlyMap<string, string> = new Map([
  ['Cast', 'it streams the screen to devices of the network'],
  ['PWA', 'it installs applications on the desktop'],
  ['Tethering', 'it listens on ports of the pod'],
  ['Extensions', 'extensions of this browser are fixed'],
]);

/** Methods by which a client takes the device metrics of a page; the session's own are applied again when it leaves. */
export const VIEWPORT_METHODS: ReadonlySet<string> = new Set([
  'Emulation.setDeviceMetricsOverride',
  'Emulation.clearDeviceMetricsOverride',
  'Page.setDeviceMetricsOverride',
  'Page.clearDeviceMetricsOverride',
  'Browser.setWindowBounds',
  'Browser.setContentsSize',
]);

/** The rule of `method`, sent to the browser endpoint or to a page. */
export function cdpRule(method: string, sentTo: 'browser' | 'page'): CdpRule {
  const rule = CDP_RULES.get(method);
  if (rule) return rule;
  const domain = method.slice(0, Math.max(0, method.indexOf('.')));
  const because = REFUSED_DOMAINS.get(domain);
  if (because !== undefined) return refuse(because);
  if (sentTo === 'page' && PAGE_DOMAINS.has(domain)) return allow;
  return refuse('it is not among the methods this browser offers');
}
