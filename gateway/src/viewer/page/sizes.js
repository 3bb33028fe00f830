// @ts-check
import { CallError } from './gateway-calls.js';

/**
 * The size of the remote page. Nothing is changed until someone chooses. "Fit" follows this window; only the newest size
 * counts, one request at a time, and the right to set it is a lease that is renewed while it is in use.
 */

/** @type {Record<string, {width: number, height: number} | null>} */
const PRESETS = {
  phone: { width: 390, height: 844 },
  tablet: { width: 768, height: 1024 },
  laptop: { width: 1280, height: 800 },
  desktop: { width: 1440, height: 900 },
  default: null,
};
const SETTLE_MS = 250;
const RENEW_MS = 8_000;
const BOUNDS = { minWidth: 320, maxWidth: 6144, minHeight: 320, maxHeight: 3456 };

/** A size inside the bounds, scaled down in proportion. @param {number} width @param {number} height */
export function bounded(width, height) {
  const scale = Math.min(1, BOUNDS.maxWidth / width, BOUNDS.maxHeight / height);
  return {
    width: Math.max(BOUNDS.minWidth, Math.round(width * scale)),
    height: Math.max(BOUNDS.minHeight, Math.round(height * scale)),
  };
}

/**
 * @param {{
 *   stage: HTMLElement,
 *   choice: HTMLSelectElement,
 *   viewer: string,
 *   setSize: (size: {width: number, height: number} | null, viewer: string, takeover: boolean) => Promise<unknown>,
 *   say: (text: string) => void,
 * }} options
 */
export function createSizes({ stage, choice, viewer, setSize, say }) {
  let chosen = 'keep';
  let sending = false;
  let again = false;
  let last = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let settle;

  const wanted = () => (chosen === 'fit' ? bounded(stage.clientWidth, stage.clientHeight) : (PRESETS[chosen] ?? null));

  /** @param {boolean} takeover */
  async function send(takeover) {
    if (chosen === 'keep') return;
    if (sending) {
      again = true;
      return;
    }
    sending = true;
    const before = chosen;
    try {
      const size = wanted();
      await setSize(size, viewer, takeover);
      last = chosen;
      say(size ? `The page is ${size.width} × ${size.height}.` : 'The page has the size of the browser.');
    } catch (error) {
      // The selection goes back to what the page really has.
      if (before === chosen) chosen = choice.value = last === '' ? 'keep' : last;
      const taken = error instanceof CallError && error.code === 'exclusive_holder';
      say(taken ? 'Size follows another viewer. Choose again to take it over.' : 'The size could not be changed.');
      takeNext = taken;
    } finally {
      sending = false;
      if (again) {
        again = false;
        void send(false);
      }
    }
  }
  let takeNext = false;

  choice.addEventListener('change', () => {
    chosen = choice.value;
    const takeover = takeNext;
    takeNext = false;
    void send(takeover);
  });
  const watcher = new ResizeObserver(() => {
    clearTimeout(settle);
    settle = setTimeout(() => {
      if (chosen === 'fit' && document.visibilityState === 'visible') void send(false);
    }, SETTLE_MS);
  });
  watcher.observe(stage);
  setInterval(() => {
    if (document.visibilityState === 'visible' && chosen !== 'keep') void send(false);
  }, RENEW_MS);
}
