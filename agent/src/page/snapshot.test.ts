import { describe, expect, test } from 'vitest';
import { renderSnapshot } from './render-snapshot.ts';
import { type PageNode, findAgain, findNodes, identityOf, parseRef, toSnapshot } from './snapshot.ts';

const control = (name: string, more: Partial<PageNode> = {}): PageNode => ({
  kind: 'control',
  depth: 0,
  role: 'button',
  name,
  place: 'in',
  ...more,
});
const text = (name: string, more: Partial<PageNode> = {}): PageNode => ({
  kind: 'text',
  depth: 0,
  role: '',
  name,
  place: 'in',
  ...more,
});
const page = (...nodes: PageNode[]) => ({ url: 'http://shop/', title: 'Shop', nodes });

test.each([
  ['s3e12', { snapshot: 3, element: 12 }],
  [' s1e1 ', { snapshot: 1, element: 1 }],
  ['e12', null],
  ['s3e', null],
  ['s3e1; drop', null],
])('the ref %j reads as %j', (ref, expected) => {
  expect(parseRef(ref)).toEqual(expected);
});

describe('a page is the same one', () => {
  const before = page(control('Buy'), control('Name', { role: 'textbox', value: '' }));
  test.each<[string, boolean, { url: string; nodes: PageNode[] }]>([
    ['when nothing changed', true, before],
    ['when a value changed', true, page(control('Buy'), control('Name', { role: 'textbox', value: 'x' }))],
    ['when it was scrolled', true, page(control('Buy', { place: 'above' }), control('Name', { role: 'textbox' }))],
    ['not when a control came', false, page(control('Buy'), control('Name', { role: 'textbox' }), control('Sell'))],
    ['not when a text changed', false, page(text('Sold'), control('Name', { role: 'textbox' }))],
    ['not when the order changed', false, page(control('Name', { role: 'textbox' }), control('Buy'))],
    ['not at another address', false, { ...before, url: 'http://shop/2' }],
  ])('%s', (_, same, after) => {
    expect(identityOf(after) === identityOf(before)).toBe(same);
  });
});

describe('an old control', () => {
  const old = toSnapshot(1, page(control('Next', { role: 'link', href: '/2' }))).nodes[0]!;
  test('is found again when it is the only one of its kind', () => {
    const now = toSnapshot(2, page(control('Back'), control('Next', { role: 'link', href: '/2' })));
    expect(findAgain(old, now)?.ref).toBe('s2e2');
  });
  test.each([
    ['when two look the same', page(...[1, 2].map(() => control('Next', { role: 'link', href: '/2' })))],
    ['when it leads elsewhere now', page(control('Next', { role: 'link', href: '/3' }))],
    ['when it is gone', page(text('Next'))],
  ])('is not guessed %s', (_, now) => {
    expect(findAgain(old, toSnapshot(2, now))).toBeNull();
  });
});

test('find looks at names, values, placeholders and options', () => {
  const snapshot = toSnapshot(
    1,
    page(
      text('Kettle'),
      control('a', { value: 'kettle' }),
      control('b', { placeholder: 'KETTLE' }),
      control('c', { options: ['Kettle'] }),
      control('d'),
    ),
  );
  expect(findNodes(snapshot, 'kettle', 10).map((node) => node.name)).toEqual(['Kettle', 'a', 'b', 'c']);
  expect(findNodes(snapshot, 'kettle', 2)).toHaveLength(2);
});

describe('a rendered snapshot', () => {
  const rendered = (...nodes: PageNode[]) => renderSnapshot(toSnapshot(1, page(...nodes)));
  test('writes every state of a control', () => {
    const all = control('Size', { role: 'combobox', value: 'M', options: ['S', 'M'], disabled: true, expanded: false });
    expect(rendered(all)).toBe('[s1e1] combobox "Size" value="M" collapsed disabled options: "S", "M"');
  });
  test('puts the cells of a row on one line', () => {
    const row: PageNode = { kind: 'group', depth: 0, role: 'row', name: '', place: 'in' };
    expect(rendered(row, text('Kettle', { depth: 1 }), text('49.90', { depth: 1 }))).toBe('row:\n  Kettle | 49.90');
  });
  test('removes what could disguise text', () => {
    expect(rendered(text('pay \u202Eevil\u001B[31m'))).toBe('pay evil[31m');
  });
  test('begins at the visible part when it does not fit', () => {
    const lines = Array.from({ length: 100 }, (_, index) =>
      text(`line ${index}`, { place: index < 40 ? 'above' : index < 60 ? 'in' : 'below' }),
    );
    const shown = renderSnapshot(toSnapshot(1, page(...lines)), 200).split('\n');
    expect(shown[0]).toBe('(40 lines above are not shown: scroll up, or use find)');
    expect(shown[1]).toBe('line 40');
    expect(shown.at(-1)).toMatch(/^\(\d+ lines below are not shown/);
  });
});
