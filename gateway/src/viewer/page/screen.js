// @ts-check
import RFB from '../novnc/core/rfb.js';

/**
 * The live picture: one noVNC connection at a time, made again after a break. Ends for good only when the gateway says
 * that the session has ended.
 */

/** Close codes after which connecting again is pointless: ended, idle, expired. */
const FINAL = new Set([4001, 4002, 4003]);
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8_000;

/**
 * @param {{
 *   target: HTMLElement,
 *   socket: () => {url: string, protocols: string[]},
 *   onLive: () => void,
 *   onBroken: (pauseMs: number) => void,
 *   onEnded: (reason: string) => void,
 * }} options
 */
export function createScreen({ target, socket, onLive, onBroken, onEnded }) {
  /** @type {any} */
  let rfb = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let pause = FIRST_PAUSE_MS;
  let interactive = false;
  let over = false;

  function open() {
    clearTimeout(timer);
    // One at a time: a second one would lie on the first and take its clicks.
    if (over || rfb) return;
    const { url, protocols } = socket();
    const channel = new WebSocket(url, protocols);
    channel.binaryType = 'arraybuffer';
    const mine = new RFB(target, channel, { shared: true });
    rfb = mine;
    mine.scaleViewport = true;
    mine.resizeSession = false;
    mine.focusOnClick = true;
    mine.background = 'transparent';
    mine.qualityLevel = 7;
    mine.compressionLevel = 2;
    mine.viewOnly = !interactive;
    mine.addEventListener('connect', () => {
      if (rfb !== mine) return;
      pause = FIRST_PAUSE_MS;
      onLive();
    });
    channel.addEventListener('close', ({ code, reason }) => {
      if (rfb !== mine || over) return;
      rfb = null;
      if (FINAL.has(code)) {
        over = true;
        onEnded(reason);
        return;
      }
      onBroken(pause);
      timer = setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
  }

  return {
    open,
    /** Connects again at once, when it is not connected. */
    retry() {
      pause = FIRST_PAUSE_MS;
      open();
    },
    /** @param {boolean} on */
    setInteractive(on) {
      interactive = on;
      if (!rfb) return;
      rfb.viewOnly = !on;
      if (on) rfb.focus({ preventScroll: true });
      else rfb.blur();
    },
    close() {
      over = true;
      clearTimeout(timer);
      rfb?.disconnect();
      rfb = null;
    },
    get connected() {
      return rfb !== null;
    },
  };
}
