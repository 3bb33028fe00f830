import { type Product, type Query, price, search, stockWords } from './catalogue.ts';

/** Pages of the demo shop: plain HTML that works without scripts. */

const STYLE = `
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #23211d; background: #faf8f4 }
body { margin: 0 auto; max-width: 60rem; padding: 0 1.5rem 3rem }
header { display: flex; gap: 2rem; align-items: baseline; border-bottom: 1px solid #d9d3c7; padding: 1.2rem 0 }
header a { color: inherit; text-decoration: none } header strong { font-size: 1.3rem }
form { display: flex; gap: 1rem; flex-wrap: wrap; align-items: end; margin: 1.5rem 0 }
label { display: grid; font-size: .85rem; color: #6b655a } label.line { display: flex; gap: .4rem; align-items: center }
input[type=search], select { font: inherit; padding: .35rem .5rem; border: 1px solid #bdb6a8; border-radius: 4px; background: #fff }
button { font: inherit; padding: .4rem 1rem; border: 0; border-radius: 4px; background: #28536b; color: #fff; cursor: pointer }
ul.goods { list-style: none; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)) }
ul.goods li { background: #fff; border: 1px solid #e4dfd4; border-radius: 6px; padding: 1rem }
ul.goods a { font-weight: 600; color: #28536b } .price { font-size: 1.1rem } .out { color: #a03b2a }
nav.pages { display: flex; gap: 1rem } dl { display: grid; grid-template-columns: 8rem 1fr; gap: .3rem } dt { color: #6b655a } dd { margin: 0 }
`;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} – Hearth &amp; Hand</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body>
<header><a href="/"><strong>Hearth &amp; Hand</strong></a> <a href="/">All products</a> <a href="/basket">Basket</a></header>
<main>${body}</main>
</body></html>`;

export function listPage(query: Query): string {
  const { products, total, pages } = search(query);
  const link = (number: number): string => {
    const parameters = new URLSearchParams({ q: query.words, category: query.category, sort: query.sort });
    if (query.inStock) parameters.set('stock', '1');
    parameters.set('page', String(number));
    return escape(`/?${parameters.toString()}`);
  };
  const option = (value: string, text: string, chosen: string): string =>
    `<option value="${value}"${value === chosen ? ' selected' : ''}>${text}</option>`;
  return page(
    query.words ? `Results for ${query.words}` : 'All products',
    `<h1>${query.words ? `Results for “${escape(query.words)}”` : 'All products'}</h1>
<form action="/" role="search">
<label>Search <input type="search" name="q" value="${escape(query.words)}" placeholder="Name of a product"></label>
<label>Category <select name="category">${['', 'Kitchen', 'Desk', 'Garden'].map((name) => option(name, name || 'All', query.category)).join('')}</select></label>
<label>Sort by <select name="sort">${option('name', 'Catalogue', query.sort)}${option('price', 'Price', query.sort)}</select></label>
<label class="line"><input type="checkbox" name="stock" value="1"${query.inStock ? ' checked' : ''}> Only in stock</label>
<button type="submit">Search</button>
</form>
<p>${total === 0 ? 'Nothing was found.' : `${total} products, page ${query.page} of ${pages}`}</p>
<ul class="goods">${products
      .map(
        (product) =>
          `<li><a href="/products/${product.slug}">${product.name}</a><br><span class="price">${price(product.priceCents)}</span></li>`,
      )
      .join('')}</ul>
<nav class="pages" aria-label="Pages">${query.page > 1 ? `<a href="${link(query.page - 1)}">Previous page</a>` : ''}${
      query.page < pages ? `<a href="${link(query.page + 1)}">Next page</a>` : ''
    }</nav>`,
  );
}

export function productPage(product: Product): string {
  return page(
    product.name,
    `<h1>${product.name}</h1>
<p>${escape(product.words)}</p>
<dl><dt>Price</dt><dd class="price">${price(product.priceCents)}</dd>
<dt>Availability</dt><dd${product.stock === 0 ? ' class="out"' : ''}>${stockWords(product)}</dd>
<dt>Category</dt><dd>${product.category}</dd><dt>Item</dt><dd>${product.id}</dd></dl>
<form action="/basket" method="post">
<input type="hidden" name="item" value="${product.slug}">
<label>Quantity <select name="quantity"><option>1</option><option>2</option><option>3</option></select></label>
<label class="line"><input type="checkbox" name="gift" value="1"> Wrap as a gift</label>
<button type="submit"${product.stock === 0 ? ' disabled' : ''}>Put into the basket</button>
</form>`,
  );
}

export const basketPage = (words: string): string => page('Basket', `<h1>Basket</h1><p>${escape(words)}</p>`);
export const missingPage = (): string => page('Not found', '<h1>Not found</h1><p>There is no such page.</p>');
