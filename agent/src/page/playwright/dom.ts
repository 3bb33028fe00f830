/**
 * The few members of the DOM that code sent into pages uses. The project compiles without the DOM library, so that a
 * `window` in server code stays an error.
 */
export interface PageElement extends PageDomNode {
  tagName: string;
  id: string;
  shadowRoot: PageRoot | null;
  labels?: ArrayLike<PageElement> | null;
  /** Control of a label. */
  control?: PageElement | null;
  options?: ArrayLike<PageOption>;
  selectedOptions?: ArrayLike<PageOption>;
  multiple?: boolean;
  type?: string;
  value?: string;
  checked?: boolean;
  indeterminate?: boolean;
  disabled?: boolean;
  open?: boolean;
  isContentEditable?: boolean;
  innerText?: string;
  scrollTop: number;
  scrollLeft: number;
  scrollHeight: number;
  scrollWidth: number;
  clientHeight: number;
  clientWidth: number;
  assignedNodes?(options: { flatten: boolean }): PageDomNode[];
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  matches(selector: string): boolean;
  closest(selector: string): PageElement | null;
  contains(other: PageDomNode | null): boolean;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
  checkVisibility(options?: { visibilityProperty?: boolean; opacityProperty?: boolean }): boolean;
  getBoundingClientRect(): PageRect;
  scrollIntoView(options: { block: string; inline: string; behavior: string }): void;
  scrollBy(options: { left: number; top: number; behavior: string }): void;
  getRootNode(): PageRoot;
}

export interface PageOption extends PageElement {
  label: string;
  selected: boolean;
}

export interface PageDomNode {
  nodeType: number;
  isConnected: boolean;
  parentElement: PageElement | null;
  childNodes: ArrayLike<PageDomNode>;
  textContent: string | null;
}

export interface PageRect {
  top: number;
  left: number;
  right: number;
  bottom: number;
  width: number;
  height: number;
}

export interface PageRoot extends PageDomNode {
  host?: PageElement;
  activeElement: PageElement | null;
  getElementById(id: string): PageElement | null;
  elementFromPoint(x: number, y: number): PageElement | null;
}

export interface PageDocument extends PageRoot {
  body: PageElement | null;
  documentElement: PageElement;
  scrollingElement: PageElement | null;
}

export interface PageWindow {
  document: PageDocument;
  innerWidth: number;
  innerHeight: number;
  getComputedStyle(
    element: PageElement,
  ): Record<'display' | 'cursor' | 'visibility' | 'overflowY' | 'overflowX', string>;
  MutationObserver: new (callback: () => void) => {
    observe(target: PageDomNode, options: Record<string, boolean>): void;
    disconnect(): void;
  };
  setTimeout(callback: () => void, milliseconds: number): number;
  clearTimeout(timer: number): void;
}
