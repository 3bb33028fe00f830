import type { ShownControl, ShownPage } from './read-observation.ts';

/** Parameters of one action, or the end. */
export type Move = { next: string; action: Record<string, unknown> };

const DEMO = 'Answered by the bundled demo model, which can do the sample only.';

/** True for tasks that name a web address and something of the shop. */
export const isSampleTask = (task: string): boolean =>
  /https?:\/\/\S+/.test(task) && /\b(price|stock|cost|basket)/i.test(task);

/**
 * One move in the demo shop, decided from the task and the page alone: open the shop, find the product that the task
 * names, read it or put it into the basket, answer.
 */
export function shop(options: {
  task: string;
  schema: Record<string, unknown> | null;
  page: ShownPage | null;
  /** Actions of the run so far. */
  actions: readonly Record<string, unknown>[];
}): Move {
  const { task, page } = options;
  const start = /https?:\/\/[^\s"'<>]+/.exec(task)?.[0].replace(/[.,;)]+$/, '') ?? '';
  const open: Move = { next: 'Open the shop that the task names.', action: { tool: 'open', url: start } };
  const opened = options.actions.filter((action) => action['tool'] === 'open').length;
  if (!page || originOf(page.url) !== originOf(start)) {
    return opened < 3 ? open : giveUp('The shop cannot be opened.');
  }
  const named = (name: string): boolean => name.length > 3 && task.toLowerCase().includes(name.toLowerCase());

  const basketLine = page.lines.find((line) => /is in the basket/.test(line));
  if (
    /\bbasket/i.test(task) &&
    basketLine !== undefined &&
    named(basketLine.replace(/^\d+ × | is in the basket.*|, wrapped.*/g, ''))
  ) {
    return finish(basketLine, {});
  }
  const product = readProduct(page);
  if (product && named(product.name)) {
    if (!/\bbasket/i.test(task)) return finish(productWords(product), product, options.schema);
    const button = page.controls.find((control) => control.role === 'button' && /basket/i.test(control.name));
    if (!button || button.disabled) return giveUp(`${product.name} is sold out.`);
    return { next: 'Put it into the basket.', action: { tool: 'click', ref: button.ref } };
  }
  const link = page.controls.find((control) => isProductLink(control) && named(control.name));
  if (link) return { next: `Open ${link.name}.`, action: { tool: 'click', ref: link.ref } };

  const words = productWordsOf(task);
  const search = page.controls.find((control) => control.role === 'searchbox');
  const searched = options.actions.some((action) => action['tool'] === 'type');
  if (search && words !== null && !searched) {
    return { next: `Search for ${words}.`, action: { tool: 'type', ref: search.ref, text: words, submit: true } };
  }
  const next = page.controls.find((control) => control.role === 'link' && /next page/i.test(control.name));
  if (next) return { next: 'Look at the next page.', action: { tool: 'click', ref: next.ref } };
  // The browser may have stood on some other page of the shop.
  return opened === 0 ? open : giveUp('The shop has no product that the task names.');
}

interface Product {
  name: string;
  price: string;
  stock: number;
}

const isProductLink = (control: ShownControl): boolean =>
  control.role === 'link' && (control.href ?? '').includes('/products/');

/** Price and stock as the product page shows them, wherever on it they are. */
function readProduct(page: ShownPage): Product | null {
  const name = page.headings[0];
  const text = page.lines.join('\n');
  const price = /Price[\s|]+([\d.,]+ [A-Z]{3})/.exec(text)?.[1];
  const stock = /Sold out/.test(text) ? '0' : /In stock: (\d+)/.exec(text)?.[1];
  return name === undefined || price === undefined || stock === undefined
    ? null
    : { name, price, stock: Number(stock) };
}

const productWords = ({ name, price, stock }: Product): string =>
  `${name} costs ${price} and is ${stock === 0 ? 'sold out' : `in stock (${stock} pieces)`}.`;

/** The product that a task means: in quotes, else two or more capitalised words in a row. */
function productWordsOf(task: string): string | null {
  return /["“']([^"”']{3,60})["”']/.exec(task)?.[1] ?? /\b[A-Z][a-z]+(?: [A-Z][a-z]+)+/.exec(task)?.[0] ?? null;
}

function finish(words: string, facts: Partial<Product>, schema: Record<string, unknown> | null = null): Move {
  const done = { tool: 'done', success: true, summary: `${words} ${DEMO}` };
  const output = schema ? fillSchema(schema, facts) : `${words} ${DEMO}`;
  return { next: 'Give the answer.', action: { ...done, output } };
}

const giveUp = (why: string): Move => ({
  next: 'End the run.',
  action: { tool: 'done', success: false, summary: `${why} ${DEMO}` },
});

/** Fills the fields it knows by their names, in the type that the schema wants. */
function fillSchema(schema: Record<string, unknown>, product: Partial<Product>): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, { type?: string }>;
  const amount = (product.price ?? '').replace(/[^\d.]/g, '');
  const values: [RegExp, string | number | boolean | undefined][] = [
    [/currency/i, (product.price ?? '').slice(-3)],
    [/price|cost/i, product.price],
    [/in.?stock|available|availability/i, (product.stock ?? 0) > 0],
    [/stock|quantity|pieces/i, product.stock],
    [/name|title|product/i, product.name],
  ];
  const filled: Record<string, unknown> = {};
  for (const [key, { type }] of Object.entries(properties)) {
    const value = values.find(([pattern]) => pattern.test(key))?.[1];
    if (value === undefined) continue;
    if (type === 'number' || type === 'integer') filled[key] = Number(/price|cost/i.test(key) ? amount : value);
    else if (type === 'string')
      filled[key] = typeof value === 'boolean' ? (value ? 'in stock' : 'sold out') : String(value);
    else filled[key] = value;
  }
  return filled;
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');
