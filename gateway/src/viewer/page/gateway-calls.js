// @ts-check
/**
 * What the page asks of the gateway. The link in the address is traded once for a credential that lives in this
 * module's memory: it is in no address, no storage and no cookie.
 */

/**
 * @typedef {{credential: string, sessionId: string, mode: 'view' | 'control', viewport: Size | null}} Grant
 * @typedef {{width: number, height: number}} Size
 * @typedef {{goal: string, state: string, steps: number, lastStep: string | null}} Run
 * @typedef {{state: 'queued' | 'starting' | 'live' | 'ended', reason: string | null, queuePosition: number | null,
 *   expiresAt: string | null, idleDeadline: string | null, run: Run | null}} State
 * @typedef {{viewport: Size, holder: string | null, leaseUntil: string | null}} SizeAnswer
 */

/** An answer that was no success; `code` is the gateway's word for it. */
export class CallError extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Base address of the gateway and the two parts of this page's own address. @param {string} href */
export function readAddress(href) {
  const url = new URL(href);
  const match = /^(.*)\/view\/([0-9a-f-]{36})\/([A-Za-z0-9_-]+)\/?$/.exec(url.pathname);
  if (!match) throw new Error('this is not the address of a viewer');
  return { base: `${url.origin}${match[1]}`, sessionId: match[2] ?? '', token: match[3] ?? '' };
}

/** @param {{base: string, sessionId: string}} address */
export function createGatewayCalls({ base, sessionId }) {
  const root = `${base}/view/${sessionId}`;
  /** @type {string | null} */
  let credential = null;

  /** @param {string} method @param {string} path @param {unknown} [body] */
  async function call(method, path, body) {
    const response = await fetch(root + path, {
      method,
      cache: 'no-store',
      credentials: 'same-origin',
      signal: AbortSignal.timeout(10_000),
      headers: {
        ...(credential === null ? {} : { authorization: `Viewer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === 204) return null;
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw new CallError(response.status, String(answer.code ?? 'unknown'), String(answer.detail ?? response.statusText));
  }

  return {
    /** @param {string} token @returns {Promise<Grant>} */
    async trade(token) {
      const grant = await call('POST', '/grant', { token });
      credential = grant.credential;
      return grant;
    },
    /** @returns {Promise<State>} */
    state: () => call('GET', '/state'),
    presence: () => call('POST', '/presence'),
    /** @param {Size | null} viewport @param {string} viewer @param {boolean} takeover @returns {Promise<SizeAnswer>} */
    setSize: (viewport, viewer, takeover) => call('PUT', '/viewport', { viewport, viewer, takeover }),
    /** Address and subprotocols of the picture. */
    socket: () => ({
      url: `${root.replace(/^http/, 'ws')}/ws`,
      protocols: ['binary', `podwright.${credential}`],
    }),
  };
}
