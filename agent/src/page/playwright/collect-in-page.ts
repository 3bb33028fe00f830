import type { PageNode } from '../snapshot.ts';
import type { PageDomNode, PageElement, PageWindow } from './dom.ts';

export interface Collected {
  nodes: PageNode[];
  /** Elements of the nodes of kind `control` and `frame`, in order. */
  elements: PageElement[];
  /** True when the page has more nodes than `limit`. */
  cut: boolean;
}

/**
 * Runs in a frame, so it may name nothing outside itself. Walks the rendered tree (open shadow roots and slots
 * included) once and gives texts and controls in reading order.
 */
export function collectInPage(limit: number): Collected {
  const page = globalThis as unknown as PageWindow;
  const { document } = page;
  const nodes: PageNode[] = [];
  const elements: PageElement[] = [];
  let cut = false;
  let words = '';
  let wordsDepth = 0;
  let wordsPlace: PageNode['place'] = 'in';

  const SKIPPED = new Set([
    'SCRIPT',
    'STYLE',
    'NOSCRIPT',
    'TEMPLATE',
    'HEAD',
    'META',
    'LINK',
    'OBJECT',
    'EMBED',
    'SVG',
    'svg',
  ]);
  const GROUPS: Record<string, string> = {
    LI: 'item',
    TR: 'row',
    ARTICLE: 'item',
    FIELDSET: 'group',
    DIALOG: 'dialog',
  };
  const GROUP_ROLES: Record<string, string> = {
    listitem: 'item',
    row: 'row',
    article: 'item',
    group: 'group',
    radiogroup: 'group',
    dialog: 'dialog',
    alertdialog: 'dialog',
  };
  const CONTROL_ROLES = new Set(
    'button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox textbox searchbox slider spinbutton treeitem'.split(
      ' ',
    ),
  );
  const TEXT_INPUTS = new Set(
    'text email url tel number password date time datetime-local month week color'.split(' '),
  );

  const collapse = (text: string, most: number): string => {
    const flat = text.replace(/\s+/g, ' ').trim();
    return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
  };
  const placeOf = (element: PageElement): PageNode['place'] => {
    const box = element.getBoundingClientRect();
    return box.bottom < 0 ? 'above' : box.top > page.innerHeight ? 'below' : 'in';
  };
  const add = (node: PageNode): void => {
    if (nodes.length >= limit) cut = true;
    else nodes.push(node);
  };
  const flush = (): void => {
    const name = collapse(words, 1000);
    words = '';
    if (name !== '') add({ kind: 'text', depth: wordsDepth, role: '', name, place: wordsPlace });
  };
  const textOf = (element: PageElement): string => element.innerText ?? element.textContent ?? '';

  const nameOf = (element: PageElement): string => {
    const root = element.getRootNode();
    const labelledBy = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
    const labelled = labelledBy.map((id) => root.getElementById?.(id)?.textContent ?? '').join(' ');
    if (labelled.trim() !== '') return collapse(labelled, 120);
    const aria = element.getAttribute('aria-label');
    if (aria !== null && aria.trim() !== '') return collapse(aria, 120);
    // A label around its select would otherwise name it by all of its options.
    const labels = Array.from(element.labels ?? [])
      .flatMap((label) => Array.from(label.childNodes))
      .filter((node) => !(node.nodeType === 1 && (node as PageElement).contains(element)))
      .map((node) => node.textContent ?? '')
      .join(' ');
    if (labels.trim() !== '' && element.tagName !== 'BUTTON') return collapse(labels, 120);
    const tag = element.tagName;
    if (tag === 'INPUT' && /^(button|submit|reset)$/.test(element.type ?? '')) {
      return collapse(element.value || (element.type ?? ''), 120);
    }
    if (tag !== 'INPUT' && tag !== 'SELECT' && tag !== 'TEXTAREA' && element.isContentEditable !== true) {
      const own = collapse(textOf(element), 120);
      if (own !== '') return own;
      const image = element.querySelector('img[alt], svg title, [aria-label], [title]');
      const alternative =
        image?.getAttribute('alt') ??
        image?.getAttribute('aria-label') ??
        image?.getAttribute('title') ??
        image?.textContent;
      if (alternative) return collapse(alternative, 120);
    }
    return collapse(
      element.getAttribute('alt') ??
        element.getAttribute('title') ??
        element.getAttribute('placeholder') ??
        element.getAttribute('name') ??
        '',
      120,
    );
  };

  const roleOf = (element: PageElement, pointer: boolean): string | null => {
    const explicit = element.getAttribute('role');
    if (explicit !== null && CONTROL_ROLES.has(explicit)) return explicit;
    switch (element.tagName) {
      case 'A':
      case 'AREA':
        return element.hasAttribute('href') ? 'link' : pointer ? 'clickable' : null;
      case 'BUTTON':
      case 'SUMMARY':
        return 'button';
      case 'SELECT':
        return element.multiple === true ? 'listbox' : 'combobox';
      case 'TEXTAREA':
        return 'textbox';
      case 'INPUT': {
        const type = element.type ?? 'text';
        if (type === 'hidden') return null;
        if (type === 'checkbox' || type === 'radio') return type;
        if (type === 'range') return 'slider';
        if (type === 'search') return 'searchbox';
        if (type === 'file') return 'file';
        return TEXT_INPUTS.has(type) ? 'textbox' : 'button';
      }
      case 'LABEL': {
        // The label stands in for a control that is styled away.
        const { control } = element;
        if (!control || control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return null;
        return /^(checkbox|radio)$/.test(control.type ?? '') ? (control.type ?? null) : 'clickable';
      }
      default:
    }
    if (element.isContentEditable === true && element.parentElement?.isContentEditable !== true) return 'textbox';
    if (element.hasAttribute('onclick')) return 'clickable';
    const tabindex = element.getAttribute('tabindex');
    if (tabindex !== null && Number(tabindex) >= 0 && pointer) return 'clickable';
    return pointer ? 'clickable' : null;
  };

  const addControl = (element: PageElement, role: string, depth: number): void => {
    flush();
    const node: PageNode = { kind: 'control', depth, role, name: nameOf(element), place: placeOf(element) };
    const href = role === 'link' ? element.getAttribute('href') : null;
    if (href !== null) node.href = href;
    const editable = element.isContentEditable === true;
    if (
      role === 'textbox' ||
      role === 'searchbox' ||
      role === 'slider' ||
      role === 'spinbutton' ||
      element.tagName === 'SELECT'
    ) {
      const raw = editable ? textOf(element) : (element.value ?? '');
      const chosen = Array.from(element.selectedOptions ?? []).map((option) => option.label.trim());
      const shown = element.tagName === 'SELECT' ? chosen.join(', ') : raw;
      node.value = element.type === 'password' && shown !== '' ? '•••' : collapse(shown, 200);
    }
    const placeholder = element.getAttribute('placeholder');
    if (placeholder !== null && placeholder !== '') node.placeholder = collapse(placeholder, 80);
    const ariaChecked = element.getAttribute('aria-checked') ?? element.getAttribute('aria-selected');
    if (element.tagName === 'INPUT' && /^(checkbox|radio)$/.test(element.type ?? ''))
      node.checked = element.checked === true;
    else if (element.control) node.checked = element.control.checked === true;
    else if (ariaChecked !== null) node.checked = ariaChecked === 'true';
    if (element.disabled === true || element.getAttribute('aria-disabled') === 'true') node.disabled = true;
    const expanded = element.getAttribute('aria-expanded');
    if (expanded !== null) node.expanded = expanded === 'true';
    if (element.tagName === 'SUMMARY') node.expanded = element.parentElement?.open === true;
    if (element.options && element.tagName === 'SELECT') {
      node.options = Array.from(element.options)
        .slice(0, 30)
        .map((option) => collapse(option.label, 60));
    }
    if (nodes.length < limit) elements.push(element);
    add(node);
  };

  const childrenOf = (element: PageElement): PageDomNode[] => {
    if (element.shadowRoot) return Array.from(element.shadowRoot.childNodes);
    const assigned = element.tagName === 'SLOT' ? (element.assignedNodes?.({ flatten: true }) ?? []) : [];
    return assigned.length > 0 ? assigned : Array.from(element.childNodes);
  };

  const walk = (element: PageElement, depth: number, pointerAbove: boolean, named: boolean): void => {
    if (cut || SKIPPED.has(element.tagName)) return;
    const style = page.getComputedStyle(element);
    if (style.display === 'none') return;
    const visible = element.checkVisibility({ visibilityProperty: true });
    if (!visible && style.display !== 'contents' && style.visibility !== 'hidden') return;
    const block = !/^(inline|contents)/.test(style.display);
    if (block) flush();

    const pointer = style.cursor === 'pointer' && !pointerAbove;
    const role = visible ? roleOf(element, pointer) : null;
    let inner = named;
    if (
      role !== null &&
      !(
        role === 'clickable' &&
        (element.querySelector('a[href], button, input, select, textarea') !== null ||
          (element.innerText ?? '').length > 160)
      )
    ) {
      addControl(element, role, depth);
      // The name of a control already holds its words; only controls inside it are still of interest.
      inner = true;
    }
    if (element.tagName === 'LABEL' && element.control) inner = true;
    if (element.tagName === 'IFRAME' || element.tagName === 'FRAME') {
      flush();
      if (visible && nodes.length < limit) {
        elements.push(element);
        add({
          kind: 'frame',
          depth,
          role: 'frame',
          name: collapse(element.getAttribute('title') ?? element.getAttribute('name') ?? '', 80),
          place: placeOf(element),
        });
      }
      return;
    }
    if (element.tagName === 'IMG' && visible && !inner) {
      const alternative = element.getAttribute('alt');
      if (alternative) {
        flush();
        add({ kind: 'image', depth, role: 'image', name: collapse(alternative, 120), place: placeOf(element) });
      }
      return;
    }
    const level = /^H([1-6])$/.exec(element.tagName)?.[1];
    if (level !== undefined && visible && !inner) {
      const name = collapse(textOf(element), 200);
      if (name !== '') add({ kind: 'heading', depth, role: level, name, place: placeOf(element) });
      inner = true;
    }
    if (element.tagName === 'SELECT' || element.tagName === 'TEXTAREA') return;

    const group = GROUP_ROLES[element.getAttribute('role') ?? ''] ?? GROUPS[element.tagName];
    let deeper = depth;
    const start = nodes.length;
    if (group !== undefined && visible && !inner) {
      const legend = element.tagName === 'FIELDSET' ? (element.querySelector('legend')?.textContent ?? '') : '';
      add({
        kind: 'group',
        depth,
        role: group,
        name: collapse(element.getAttribute('aria-label') ?? legend, 80),
        place: placeOf(element),
      });
      deeper = depth + 1;
    }
    for (const child of childrenOf(element)) {
      if (child.nodeType === 3) {
        if (inner || !visible) continue;
        const text = child.textContent ?? '';
        if (text.trim() !== '' && words.trim() === '') {
          wordsDepth = deeper;
          wordsPlace = placeOf(element);
        }
        words += text;
      } else if (child.nodeType === 1) {
        walk(child as PageElement, deeper, pointerAbove || style.cursor === 'pointer', inner);
      }
    }
    if (block || deeper > depth) flush();
    if (element.tagName === 'BR') words += ' ';
    // A group without content says nothing.
    if (deeper > depth && nodes.length === start + 1) nodes.pop();
  };

  if (document.body) walk(document.body, 0, false, false);
  flush();
  return { nodes, elements, cut };
}
