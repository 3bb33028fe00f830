import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { PRODUCTS } from './catalogue.ts';
import { basketPage, listPage, missingPage, productPage } from './pages.ts';

export interface SiteRequest {
  at: string;
  method: string;
  /** Path with query. */
  path: string;
  status: number;
}

const LOG_LENGTH = 1_000;
const BODY_LIMIT = 10_000;

/**
 * A small shop to try the sample on. `GET /requests` gives what was asked of it, as JSON, so that a test can count
 * the side effects of a run.
 */
export function createDemoSite(options: { now: () => Date }): { server: Server; requests: SiteRequest[] } {
  const requests: SiteRequest[] = [];

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://shop');
    const html = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(text);
    };
    if (url.pathname === '/healthz') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
      return;
    }
    if (url.pathname === '/requests') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(requests));
      return;
    }
    response.on('finish', () => {
      requests.push({
        at: options.now().toISOString(),
        method: request.method ?? '',
        path: url.pathname + url.search,
        status: response.statusCode,
      });
      if (requests.length > LOG_LENGTH) requests.shift();
    });
    if (url.pathname === '/' && request.method === 'GET') {
      const query = url.searchParams;
      html(
        200,
        listPage({
          words: query.get('q') ?? '',
          category: query.get('category') ?? '',
          inStock: query.get('stock') === '1',
          sort: query.get('sort') === 'price' ? 'price' : 'name',
          page: Math.max(1, Math.trunc(Number(query.get('page') ?? '1')) || 1),
        }),
      );
      return;
    }
    if (url.pathname === '/basket') {
      if (request.method !== 'POST') {
        html(200, basketPage('The basket is empty: this shop keeps nothing.'));
        return;
      }
      const form = new URLSearchParams(await readBody(request));
      const product = PRODUCTS.find((candidate) => candidate.slug === form.get('item'));
      const gift = form.get('gift') === '1' ? ', wrapped as a gift' : '';
      if (product) html(200, basketPage(`${form.get('quantity') ?? '1'} × ${product.name}${gift} is in the basket.`));
      else html(404, missingPage());
      return;
    }
    const slug = /^\/products\/([a-z-]+)$/.exec(url.pathname)?.[1];
    const product = PRODUCTS.find((candidate) => candidate.slug === slug);
    if (product) html(200, productPage(product));
    else html(404, missingPage());
  };

  const server = createServer((request, response) => {
    respond(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(400);
      response.end();
    });
  });
  return { server, requests };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_LIMIT) throw new RangeError('the form is too large');
  }
  return text;
}
