import { posix } from 'node:path';
import {
  CDP_ABOUT_URLS,
  CDP_DOWNLOAD_PATH,
  CDP_FILE_ROOT,
  CDP_HIDDEN_TARGET_TYPE,
  CDP_URL_SCHEMES,
  type CdpCheck,
  type CdpRewrite,
} from '@podwright/api/cdp-rules';

type Params = Record<string, unknown>;

/** Why the parameters do not pass the check, in words for the client; undefined when they pass. */
export function checkParams(check: CdpCheck, params: Params): string | undefined {
  switch (check) {
    case 'url':
      return params['url'] === undefined ? undefined : checkUrl(params['url']);
    case 'files':
      return checkFiles(params['files']);
    case 'dragFiles': {
      const { data } = params;
      if (typeof data !== 'object' || data === null) return undefined;
      const { files } = data as Params;
      return files === undefined ? undefined : checkFiles(files);
    }
    case 'browserContext':
      return ['proxyServer', 'proxyBypassList', 'originsWithUniversalNetworkAccess'].some((name) => name in params)
        ? 'a context has no proxy and no universal access of its own; the proxy belongs to the session'
        : undefined;
  }
}

/** Why the browser may not be sent to `url`; undefined when it may. */
export function checkUrl(url: unknown): string | undefined {
  if (typeof url !== 'string') return 'url must be text';
  if (url === '') return undefined;
  // What this parser rejects is refused, so that no text is left to the judgement of another one.
  if (!URL.canParse(url)) return 'the URL cannot be read';
  const { protocol, href } = new URL(url);
  if (protocol === 'about:') {
    const [address = ''] = href.split(/[?#]/, 1);
    return CDP_ABOUT_URLS.has(address) ? undefined : `${address} is not open to clients`;
  }
  return CDP_URL_SCHEMES.has(protocol) ? undefined : `${protocol} addresses are not open to clients`;
}

function checkFiles(files: unknown): string | undefined {
  if (!Array.isArray(files)) return 'files must be a list';
  return files.every((file) => typeof file === 'string' && isInside(file))
    ? undefined
    : `files must be below ${CDP_FILE_ROOT}; put them there through the files door`;
}

const isInside = (path: string): boolean =>
  !path.includes('\0') && posix.isAbsolute(path) && posix.normalize(path).startsWith(`${CDP_FILE_ROOT}/`);

/** The parameters that are sent instead. */
export function rewriteParams(rewrite: CdpRewrite, params: Params): Params {
  switch (rewrite) {
    case 'downloads':
      return params['behavior'] === 'allow' || params['behavior'] === 'allowAndName'
        ? { ...params, downloadPath: CDP_DOWNLOAD_PATH }
        : Object.fromEntries(Object.entries(params).filter(([name]) => name !== 'downloadPath'));
    case 'targetFilter':
      // Chromium refuses a filter on the command that switches discovery off.
      if (params['discover'] === false) return params;
      return { ...params, filter: [HIDDEN, ...(Array.isArray(params['filter']) ? params['filter'] : DEFAULT_FILTER)] };
  }
}

const HIDDEN = { type: CDP_HIDDEN_TARGET_TYPE, exclude: true };
/** What Chromium assumes when a client sends no filter. */
const DEFAULT_FILTER = [{ type: 'browser', exclude: true }, { type: 'tab', exclude: true }, {}];
