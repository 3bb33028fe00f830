/**
 * Ways of a page to the network. `run` is the body of `async (url, id, open) => …` in the page: `url` is
 * `http://HOST/hit/ID`, `open` the site that the pool opens. `control: false` says that even an allowed address is not
 * reached that way, because this browser does not go it at all: then the control is that the witness counts others.
 */
export interface Vector {
  name: string;
  run: string;
  control?: false;
}

const element = (tag: string, attribute: string): string =>
  `const e = document.createElement('${tag}'); e.${attribute} = url; document.body.append(e);`;
const link = (rel: string, more = ''): string =>
  `const e = document.createElement('link'); e.rel = '${rel}'; ${more} e.href = url; document.head.append(e);`;
const frame = (assign: string): string =>
  `const e = document.createElement('iframe'); ${assign} document.body.append(e);`;
const redirect = (status: number): string => `open + '/redirect?status=${status}&to=' + encodeURIComponent(url)`;
const host = `new URL(url).host`;

export const PAGE_VECTORS: readonly Vector[] = [
  { name: 'fetch', run: `await fetch(url, { mode: 'no-cors' })` },
  { name: 'fetch with credentials', run: `await fetch(url, { mode: 'no-cors', credentials: 'include' })` },
  {
    name: 'fetch that outlives the page',
    run: `await fetch(url, { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' })`,
  },
  { name: 'XMLHttpRequest', run: `const x = new XMLHttpRequest(); x.open('POST', url); x.send('x')` },
  { name: 'a beacon', run: `navigator.sendBeacon(url, 'x')` },
  { name: 'an image', run: element('img', 'src') },
  {
    name: 'an image that reports its attribution',
    run: `const e = document.createElement('img'); e.setAttribute('attributionsrc', url); e.src = url; document.body.append(e);`,
  },
  { name: 'a script', run: element('script', 'src') },
  { name: 'an import', run: `await import(url).catch(() => 0)` },
  { name: 'a style sheet', run: link('stylesheet') },
  {
    name: 'an import of a style sheet',
    run: `const e = document.createElement('style'); e.textContent = '@import url("' + url + '")'; document.head.append(e);`,
  },
  {
    name: 'a background',
    run: `const e = document.createElement('div'); e.style.background = 'url("' + url + '")'; e.textContent = 'x'; document.body.append(e);`,
  },
  { name: 'a font', run: `new FontFace('f' + id, 'url("' + url + '")').load().catch(() => 0)` },
  { name: 'an icon', run: link('icon'), control: false },
  { name: 'a manifest', run: link('manifest'), control: false },
  { name: 'a frame', run: frame(`e.src = url;`) },
  { name: 'a frame of a data URL', run: frame(`e.src = 'data:text/html,<img src="' + url + '">';`) },
  {
    name: 'a frame of a blob',
    run: frame(`e.src = URL.createObjectURL(new Blob(['<img src="' + url + '">'], { type: 'text/html' }));`),
  },
  {
    name: 'a sandboxed frame',
    run: frame(
      `e.sandbox = 'allow-scripts'; e.srcdoc = '<script>fetch("' + url + '",{mode:"no-cors"})</' + 'script>';`,
    ),
  },
  {
    name: 'a frame that refreshes',
    run: frame(`e.srcdoc = '<meta http-equiv="refresh" content="0;url=' + url + '">';`),
  },
  {
    name: 'a frame with a base',
    run: frame(`e.srcdoc = '<base href="' + url + '"><img src="' + new URL(url).pathname + '">';`),
  },
  { name: 'an object', run: element('object', 'data') },
  { name: 'an embed', run: element('embed', 'src') },
  {
    name: 'a video',
    run: `const e = document.createElement('video'); e.preload = 'auto'; e.src = url; document.body.append(e); e.load();`,
  },
  { name: 'a poster', run: element('video', 'poster') },
  { name: 'a sound', run: `new Audio(url).load()` },
  {
    name: 'a button with a picture',
    run: `const e = document.createElement('input'); e.type = 'image'; e.src = url; document.body.append(e);`,
  },
  {
    name: 'a picture in SVG',
    run: `document.body.insertAdjacentHTML('beforeend', '<svg><image href="' + url + '"/></svg>')`,
  },
  {
    name: 'a form',
    run: `const t = document.createElement('iframe'); t.name = 'f' + id; document.body.append(t); const e = document.createElement('form'); e.method = 'POST'; e.target = t.name; e.action = url; document.body.append(e); e.submit();`,
  },
  { name: 'a window', run: `window.open(url, '_blank', 'noopener')` },
  {
    name: 'a download',
    run: `const f = document.createElement('iframe'); document.body.append(f); const e = f.contentDocument.createElement('a'); e.href = url; e.download = 'x'; f.contentDocument.body.append(e); e.click();`,
  },
  { name: 'an event source', run: `const e = new EventSource(url); setTimeout(() => e.close(), 1000)` },
  { name: 'a WebSocket', run: `const e = new WebSocket(url.replace('http', 'ws')); setTimeout(() => e.close(), 1000)` },
  { name: 'a preload', run: link('preload', `e.as = 'image';`) },
  { name: 'a module preload', run: link('modulepreload') },
  { name: 'a prefetch', run: link('prefetch') },
  { name: 'a connection in advance', run: link('preconnect'), control: false },
  { name: 'a name in advance', run: link('dns-prefetch'), control: false },
  {
    name: 'a page in advance',
    run: `const e = document.createElement('script'); e.type = 'speculationrules'; e.textContent = JSON.stringify({ prerender: [{ source: 'list', urls: [url] }], prefetch: [{ source: 'list', urls: [url] }] }); document.head.append(e);`,
    control: false,
  },
  {
    name: 'a ping of a link',
    run: `const e = document.createElement('a'); e.href = '#' + id; e.ping = url; document.body.append(e); e.click();`,
    control: false,
  },
  {
    name: 'a report of a violated policy',
    run: frame(
      `e.src = open + '/?' + new URLSearchParams({ header: "Content-Security-Policy: script-src 'none'; report-uri " + url, body: '<script>1</' + 'script>' });`,
    ),
  },
  { name: 'a redirect', run: `await fetch(${redirect(302)}, { mode: 'no-cors' })` },
  {
    name: 'a redirect that keeps its method',
    run: `await fetch(${redirect(307)}, { mode: 'no-cors', method: 'POST', body: 'x' })`,
  },
  { name: 'a redirect of a frame', run: frame(`e.src = ${redirect(301)};`) },
  { name: 'a redirect of a picture', run: `new Image().src = ${redirect(308)}` },
  {
    name: 'WebTransport',
    run: `const e = new WebTransport(url.replace('http:', 'https:')); await e.ready.catch(() => 0)`,
    control: false,
  },
  {
    name: 'STUN',
    run: `const e = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + ${host} }] }); e.createDataChannel('x'); await e.setLocalDescription(); setTimeout(() => e.close(), 1500)`,
    control: false,
  },
  {
    name: 'TURN over TCP',
    run: `const e = new RTCPeerConnection({ iceServers: [{ urls: 'turn:' + ${host} + '?transport=tcp', username: 'u', credential: 'p' }], iceTransportPolicy: 'relay' }); e.createDataChannel('x'); await e.setLocalDescription(); setTimeout(() => e.close(), 1500)`,
    control: false,
  },
  {
    name: 'a candidate of WebRTC',
    run: `const h = new URL(url); const a = new RTCPeerConnection(), b = new RTCPeerConnection(); a.createDataChannel('x'); await a.setLocalDescription(); await b.setRemoteDescription(a.localDescription); await b.setLocalDescription(); await a.setRemoteDescription(b.localDescription); await a.addIceCandidate({ candidate: 'candidate:1 1 udp 2122260223 ' + h.hostname.replace(/[[\\]]/g, '') + ' ' + (h.port || 80) + ' typ host', sdpMid: '0' }).catch(() => 0); setTimeout(() => { a.close(); b.close(); }, 1500)`,
    control: false,
  },
];

/** Ways of a script in a worker; `run` is the body of a worker with `url`, `open` and `id`. */
export const WORKER_VECTORS: readonly Vector[] = [
  { name: 'fetch', run: `await fetch(url, { mode: 'no-cors' })` },
  {
    name: 'fetch that outlives it',
    run: `await fetch(url, { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' })`,
  },
  { name: 'XMLHttpRequest, at once', run: `const x = new XMLHttpRequest(); x.open('GET', url, false); x.send()` },
  { name: 'importScripts', run: `importScripts(url)` },
  { name: 'an import', run: `await import(url)` },
  {
    name: 'a WebSocket',
    run: `const e = new WebSocket(url.replace('http', 'ws')); await new Promise((done) => { e.onerror = e.onopen = done; })`,
  },
  {
    name: 'an event source',
    run: `const e = new EventSource(url); await new Promise((done) => { e.onerror = e.onopen = done; }); e.close()`,
  },
  { name: 'a redirect', run: `await fetch(${redirect(302)}, { mode: 'no-cors' })` },
  {
    name: 'WebTransport',
    run: `const e = new WebTransport(url.replace('http:', 'https:')); await e.ready`,
    control: false,
  },
  {
    name: 'a worker of its own',
    run: `const e = new Worker(URL.createObjectURL(new Blob(['fetch("' + url + '",{mode:"no-cors"})']))); await new Promise((done) => setTimeout(done, 400))`,
  },
];

/** Source of an expression that tries many cases at once and comes back when all had their time. */
export function runInPage(
  vectors: readonly { run: string; url: string; id: string }[],
  open: string,
  where: 'page' | 'worker' | 'sharedWorker',
): string {
  const cases = vectors.map(({ run, url, id }) => {
    const args = JSON.stringify([url, id, open]).slice(1, -1);
    if (where === 'page') return `(async (url, id, open) => { ${run} })(${args})`;
    const body = `(async (url, id, open) => { try { ${run} } catch {} })(${args})`;
    const source = `URL.createObjectURL(new Blob([${JSON.stringify(body)}]))`;
    if (where === 'worker') return `Promise.resolve(new Worker(${source}))`;
    return `Promise.resolve(new SharedWorker(${source}, ${JSON.stringify(id)}))`;
  });
  return `(async () => {
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const all = [${cases.map((one) => `() => ${one}`).join(',\n')}];
    await Promise.all(all.map((one) => Promise.race([Promise.resolve().then(one).catch(() => 0), wait(1800)])));
    await wait(700);
    for (const e of document.querySelectorAll('body > *, head > link, head > script')) e.remove();
    return all.length;
  })()`;
}
