import { CDP_HIDDEN_TARGET_TYPE } from '@podwright/api/cdp-rules';

/**
 * Chromium's discovery answers as clients see them: without targets of the browser's own interface, without the front end
 * of a third party, and with WebSocket addresses of this door.
 */

export type Described = Record<string, unknown>;

/** One description of /json/version, /json/list or /json/new. `host` is the Host that the client used. */
export function publicDescription(description: Described, host: string): Described {
  const { webSocketDebuggerUrl, ...rest } = description;
  delete rest['devtoolsFrontendUrl'];
  if (typeof webSocketDebuggerUrl !== 'string') return rest;
  const { pathname } = new URL(webSocketDebuggerUrl);
  return { ...rest, webSocketDebuggerUrl: `ws://${host}/cdp${pathname}` };
}

export function publicList(list: readonly Described[], host: string): Described[] {
  return list
    .filter((description) => description['type'] !== CDP_HIDDEN_TARGET_TYPE)
    .map((description) => publicDescription(description, host));
}
