// @ts-check
import { CallError, createGatewayCalls, readAddress } from './gateway-calls.js';
import { createScreen } from './screen.js';
import { createSizes } from './sizes.js';

/** Composition of the page: what is shown follows from the picture's connection and the state that is asked for. */

const STATE_MS = 2_000;
const HIDDEN_STATE_MS = 15_000;
const PRESENCE_MS = 30_000;
const START_AGAIN_MS = 3_000;
const RUN_WORDS = {
  waiting: 'waiting',
  queued: 'waiting for an agent',
  running: 'working',
  paused: 'paused',
  succeeded: 'done',
  failed: 'failed',
  cancelled: 'stopped',
};

/** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
function element(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${id}`);
  return found;
}
const text = (/** @type {string} */ id) => element(id, HTMLElement);
const control = element('control', HTMLButtonElement);
const retry = element('retry', HTMLButtonElement);
const panelToggle = element('panel-toggle', HTMLButtonElement);

const address = readAddress(location.href);
const gateway = createGatewayCalls(address);
const viewer = crypto.randomUUID();
/** @type {import('./gateway-calls.js').Grant | null} */
let grant = null;
/** @type {import('./gateway-calls.js').State | null} */
let seen = null;
let controlling = false;
let decided = false;

/** @param {'connecting' | 'queued' | 'live' | 'reconnecting' | 'ended'} state @param {string} title @param {string} words */
function show(state, title, words) {
  document.body.dataset['state'] = state;
  text('status-text').textContent = title;
  text('cover-title').textContent = title;
  text('cover-text').textContent = words;
  if (state !== 'live') setControl(false);
  control.hidden = state !== 'live' || grant?.mode !== 'control';
  text('size-label').hidden = state !== 'live' || grant?.mode !== 'control';
}

const screen = createScreen({
  target: text('screen'),
  socket: () => gateway.socket(),
  onLive() {
    show('live', 'Live', '');
    if (grant?.mode === 'view') hint('You are watching.');
    // Nobody works in it: the keyboard is yours at once. During a run it takes a decision.
    if (grant?.mode === 'control' && !decided && !isWorking()) setControl(true);
  },
  onBroken(pause) {
    if (seen?.state === 'ended') return;
    const words = pause > 2000 ? 'The connection was lost and is tried again every few seconds.' : 'One moment.';
    show('reconnecting', 'Reconnecting', words);
    void refresh();
  },
  // The state knows better why than the close of a connection.
  onEnded: (reason) => void refresh().then(() => end(reason)),
});

const isWorking = () => seen?.run != null && ['running', 'queued', 'waiting'].includes(seen.run.state);

/** @param {string} words */
function hint(words) {
  text('hint').textContent = words;
  text('hint').hidden = words === '';
}

/** @param {boolean} on */
function setControl(on) {
  controlling = on;
  screen.setInteractive(on);
  control.textContent = on ? 'Hand back' : 'Take control';
  control.setAttribute('aria-pressed', String(on));
  document.body.dataset['control'] = on ? 'on' : 'off';
  if (grant?.mode === 'control') hint(on ? 'Ctrl + Alt + Esc leaves the screen.' : '');
}

/** @param {string} reason */
function end(reason) {
  screen.close();
  text('deadline').textContent = '';
  show('ended', 'Ended', seen?.state === 'ended' && seen.reason ? seen.reason : sentence(reason));
}
const sentence = (/** @type {string} */ words) =>
  words === '' ? 'The session has ended.' : `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** @param {import('./gateway-calls.js').State} state */
function showState(state) {
  seen = state;
  const { run } = state;
  text('run').hidden = run === null;
  text('no-run').hidden = run !== null;
  if (run) {
    text('goal').textContent = run.goal;
    text('run-state').textContent = RUN_WORDS[/** @type {keyof typeof RUN_WORDS} */ (run.state)] ?? run.state;
    text('run-state').dataset['run'] = run.state;
    text('steps').textContent = run.steps === 1 ? '1 step' : `${run.steps} steps`;
    text('last-step').textContent = run.lastStep ?? 'Nothing yet.';
  }
  const until = state.idleDeadline ?? state.expiresAt;
  text('deadline').textContent =
    until === null || state.state === 'ended' ? '' : `Open until ${new Date(until).toLocaleTimeString()} if nobody uses it.`;
  if (state.idleDeadline === null && state.expiresAt !== null && state.state !== 'ended') {
    text('deadline').textContent = `Open until ${new Date(state.expiresAt).toLocaleTimeString()}.`;
  }
  if (state.state === 'ended') end(state.reason ?? '');
  else if (document.body.dataset['state'] !== 'live' && document.body.dataset['state'] !== 'reconnecting') {
    if (state.state === 'queued') {
      const place = state.queuePosition === null ? '' : ` It is number ${state.queuePosition} in the queue.`;
      show('queued', 'Waiting for a free place', `${state.reason ?? 'The browser starts when its turn comes.'}${place}`);
    } else show('connecting', 'Connecting', 'The picture appears as soon as the browser answers.');
  }
}

async function refresh() {
  if (document.body.dataset['state'] === 'ended') return;
  try {
    showState(await gateway.state());
    if (seen?.state === 'live') screen.retry();
  } catch (error) {
    if (error instanceof CallError && (error.status === 401 || error.status === 410)) stopShowing(error);
    // Anything else passes: the picture tells whether the connection stands.
  }
}

/** @param {CallError} error */
function stopShowing(error) {
  screen.close();
  const titles = { ticket_used: 'This address was used', unauthorized: 'Not a valid address' };
  show('ended', titles[/** @type {keyof typeof titles} */ (error.code)] ?? 'Ended', error.message);
}

async function pollState() {
  await refresh();
  setTimeout(() => void pollState(), document.visibilityState === 'visible' ? STATE_MS : HIDDEN_STATE_MS);
}

const isVisible = () => document.visibilityState === 'visible' && document.body.dataset['state'] === 'live';
async function sayPresent() {
  // A lost one costs nothing: the next comes in half a minute.
  if (isVisible()) await gateway.presence().catch(() => {});
}

control.addEventListener('click', () => {
  decided = true;
  setControl(!controlling);
});
panelToggle.addEventListener('click', () => {
  const closed = document.body.dataset['panel'] === 'closed';
  document.body.dataset['panel'] = closed ? 'open' : 'closed';
  panelToggle.setAttribute('aria-expanded', String(closed));
});
// Before noVNC sees it: the way out of the screen for whoever has only a keyboard.
window.addEventListener(
  'keydown',
  (event) => {
    if (!(event.ctrlKey && event.altKey && event.key === 'Escape') || !controlling) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    decided = true;
    setControl(false);
    control.focus();
  },
  { capture: true },
);
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh().then(sayPresent);
});
retry.addEventListener('click', () => void start());

/** @type {ReturnType<typeof setTimeout> | undefined} */
let nextStart;
async function start() {
  clearTimeout(nextStart);
  retry.hidden = true;
  show('connecting', 'Connecting', 'The picture appears as soon as the browser answers.');
  try {
    grant = await gateway.trade(address.token);
  } catch (error) {
    if (error instanceof CallError && error.status < 500) return stopShowing(error);
    show('reconnecting', 'Not reachable', 'The gateway does not answer. It is asked again every few seconds.');
    retry.hidden = false;
    clearTimeout(nextStart);
    nextStart = setTimeout(() => void start(), START_AGAIN_MS);
    return;
  }
  if (grant.mode === 'control') {
    createSizes({
      stage: text('screen'),
      choice: element('size', HTMLSelectElement),
      viewer,
      setSize: gateway.setSize,
      say: (words) => (text('size-note').textContent = words),
    });
  }
  await refresh();
  if (document.body.dataset['state'] === 'ended') return;
  screen.open();
  setTimeout(() => void pollState(), STATE_MS);
  setInterval(() => void sayPresent(), PRESENCE_MS);
}
void start();
