import type { Target } from './targets.ts';
import { PRIVILEGED_URLS } from './cdp-cases.ts';

/** What a person at the viewer does; `keys` are X key symbols, a chord joined by `+`. */
export interface PersonCase {
  name: string;
  /** Typed into the address bar and sent. */
  address?: string;
  keys?: string[];
  /** The page shows its own address afterwards, or nothing: never one that begins like this. */
  neverAt: RegExp;
}

/** No file, and no page of the browser itself. */
const PRIVILEGED =
  /^(file|chrome|devtools|view-source|chrome-untrusted|chrome-extension):(?!\/\/(new-tab-page|newtab))/;

const TYPED = PRIVILEGED_URLS.filter((url) => !/[\t]|^ws:|restart/.test(url));

export const personCases = (targets: readonly Target[]): PersonCase[] => [
  ...targets.slice(0, 14).map(({ name, host }, index) => ({
    name: `types the address of ${name}`,
    address: `http://${host}/hit/person-${index}`,
    neverAt: PRIVILEGED,
  })),
  ...TYPED.map((url) => ({ name: `types ${url}`, address: url, neverAt: PRIVILEGED })),
  {
    name: 'types a script',
    address: `javascript:location.href='http://127.0.0.1:18081/hit/person-javascript'`,
    neverAt: PRIVILEGED,
  },
  { name: 'searches for an address inside', address: '127.0.0.1:18081/hit/person-bare', neverAt: PRIVILEGED },
  ...(
    [
      ['opens a file', ['Control+o']],
      ['saves the page', ['Control+s']],
      ['prints', ['Control+p']],
      ['asks for the source', ['Control+u']],
      ['opens the developer tools', ['F12']],
      ['opens the developer tools by chord', ['Control+Shift+i']],
      ['opens the console', ['Control+Shift+j']],
      ['inspects an element', ['Control+Shift+c']],
      ['opens the history', ['Control+h']],
      ['opens the downloads', ['Control+j']],
      ['opens a private window', ['Control+Shift+n']],
      ['opens the bookmarks', ['Control+Shift+o']],
      ['clears browsing data', ['Control+Shift+Delete']],
      ['opens the task manager', ['Shift+Escape']],
      ['opens the menu', ['Alt+e', 'Down', 'Return']],
      ['opens help', ['F1']],
      ['browses with a caret', ['F7', 'Return']],
      ['switches to a terminal', ['Control+Alt+F1']],
      ['leaves full screen', ['F11', 'F11']],
    ] as const
  ).map(([name, keys]) => ({ name, keys: [...keys], neverAt: PRIVILEGED })),
];
