/**
 * Chromium flags that a pool may add. Everything else is refused: one flag is enough to switch the sandbox off, to run
 * a program in place of a renderer, or to go around the egress proxy. Ours come last on the command line, and the last
 * of two equal flags counts.
 */

interface AllowedFlag {
  /** With the two dashes. */
  name: string;
  /** Regular expression (RE2) of the whole value; absent: the flag takes none. */
  value?: string;
  reason: string;
}

export const ALLOWED_FLAGS: readonly AllowedFlag[] = [
  {
    name: '--autoplay-policy',
    value: '(no-user-gesture-required|user-gesture-required|document-user-activation-required)',
    reason: 'Whether pages may play sound and video by themselves.',
  },
  { name: '--blink-settings', value: 'imagesEnabled=(true|false)', reason: 'Pages without pictures.' },
  { name: '--disable-lcd-text', reason: 'Text in grey levels, for pictures that are compared.' },
  { name: '--disable-smooth-scrolling', reason: 'Scrolling that has ended when it has begun.' },
  { name: '--font-render-hinting', value: '(none|slight|medium|full|max)', reason: 'How text is drawn.' },
  { name: '--force-dark-mode', reason: 'Pages that know a dark scheme show it.' },
  { name: '--force-device-scale-factor', value: '[0-9]([.][0-9]{1,2})?', reason: 'Sharper pictures.' },
  { name: '--force-prefers-reduced-motion', reason: 'Pages that know less motion show it.' },
  { name: '--hide-scrollbars', reason: 'Pictures without scroll bars.' },
  { name: '--js-flags', value: '--max-old-space-size=[0-9]{2,5}', reason: 'Memory that a page may use for objects.' },
  { name: '--mute-audio', reason: 'Nobody hears it.' },
  { name: '--process-per-site', reason: 'Fewer renderers where many tabs show one site.' },
  { name: '--renderer-process-limit', value: '[1-9][0-9]{0,2}', reason: 'Fewer renderers.' },
  { name: '--use-fake-device-for-media-stream', reason: 'A camera and a microphone for pages that insist on one.' },
  { name: '--use-fake-ui-for-media-stream', reason: 'Goes with the one above.' },
  { name: '--user-agent', value: '[ -~]{1,256}', reason: 'What sites are told the browser is.' },
];

/** Matches an allowed flag with its value, and nothing else. */
export const ALLOWED_FLAG_PATTERN = `^(${ALLOWED_FLAGS.map(({ name, value }) =>
  value === undefined ? name : `${name}=${value}`,
).join('|')})$`;

export const isAllowedFlag = (flag: string): boolean => new RegExp(ALLOWED_FLAG_PATTERN, 'u').test(flag);
