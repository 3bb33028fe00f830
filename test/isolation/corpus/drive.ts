import { setTimeout as sleep } from 'node:timers/promises';
import type { CdpClient } from '../../harness/cdp-client.ts';
import type { Hit } from '../world/witness.ts';
import type { Typist } from '../world/rfb-typist.ts';
import type { CdpCase } from './cdp-cases.ts';
import type { PersonCase } from './person-cases.ts';

/** What came of one case; `problem` is what must not have happened. */
export interface Outcome {
  name: string;
  problem?: string;
}

/** What a page must never show: a file of the pod, the debugging port, or the answer of a witness. */
const FORBIDDEN_CONTENT = /root:x:0|webSocketDebuggerUrl|POD_UID=|\bHIT\b/;
const REFUSAL = 'is refused by the policy of this browser';

/** Address and text of every page there is. */
export async function pagesNow(cdp: CdpClient): Promise<{ href: string; text: string }[]> {
  const { targetInfos } = (await cdp.send('Target.getTargets')) as {
    targetInfos: { targetId: string; type: string }[];
  };
  const pages = targetInfos.filter(({ type }) => type === 'page' || type === 'other');
  const read = async ({ targetId }: { targetId: string }) => {
    const { sessionId } = (await cdp.send('Target.attachToTarget', { targetId, flatten: true })) as {
      sessionId: string;
    };
    const expression = '[location.href, document.documentElement ? document.documentElement.innerText : ""]';
    const answer = cdp.send('Runtime.evaluate', { expression, returnByValue: true }, sessionId);
    const { result } = (await Promise.race([answer, sleep(3_000, { result: {} })])) as {
      result: { value?: [string, string] };
    };
    await cdp.send('Target.detachFromTarget', { sessionId }).catch(() => undefined);
    return { href: result.value?.[0] ?? '', text: result.value?.[1] ?? '' };
  };
  return Promise.all(pages.map((target) => read(target).catch(() => ({ href: '', text: '' }))));
}

export async function closeOtherPages(cdp: CdpClient, keep: string): Promise<void> {
  const { targetInfos } = (await cdp.send('Target.getTargets')) as {
    targetInfos: { targetId: string; type: string }[];
  };
  for (const { targetId, type } of targetInfos) {
    if (type === 'page' && targetId !== keep) await cdp.send('Target.closeTarget', { targetId }).catch(() => undefined);
  }
}

/** Sends one message on a connection of its own; what came back, or the code it was closed with. */
async function sendRaw(cdpUrl: string, text: string): Promise<{ error?: string; closed?: number }> {
  const socket = new WebSocket(cdpUrl.replace(/^http/, 'ws'));
  try {
    await new Promise((done, fail) => {
      socket.addEventListener('open', done, { once: true });
      socket.addEventListener('error', () => fail(new Error('no connection')), { once: true });
    });
    return await new Promise((done) => {
      socket.addEventListener('close', ({ code }) => done({ closed: code }), { once: true });
      socket.addEventListener('message', ({ data }) => {
        const answer = JSON.parse(String(data)) as { id?: number; error?: { message: string } };
        if (answer.id === 1) done({ error: answer.error?.message ?? '' });
      });
      socket.send(text);
      setTimeout(() => done({}), 3_000).unref();
    });
  } finally {
    socket.close();
  }
}

export async function tryCdp(
  one: CdpCase,
  { cdp, cdpUrl, sessionId }: { cdp: CdpClient; cdpUrl: string; sessionId: string },
): Promise<Outcome> {
  const { name } = one;
  if (one.raw !== undefined) {
    const answer = await sendRaw(cdpUrl, one.raw.replaceAll('ID', '1').replace('SESSION', sessionId));
    if (one.outcome === 'closed')
      return answer.closed === 1008
        ? { name }
        : { name, problem: `was not closed with 1008: ${JSON.stringify(answer)}` };
    return answer.error?.includes(REFUSAL) ? { name } : { name, problem: `was not refused: ${JSON.stringify(answer)}` };
  }
  const sent = cdp.send(one.method, one.params, one.to === 'page' ? sessionId : undefined).then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error: (error as Error).message }),
  );
  const answer = await Promise.race([sent, sleep(4_000, undefined)]);
  if (one.outcome === 'refused') {
    return answer?.error?.includes(REFUSAL)
      ? { name }
      : { name, problem: `was not refused: ${JSON.stringify(answer)}` };
  }
  await sleep(60);
  const shown = (await pagesNow(cdp)).find(({ text }) => FORBIDDEN_CONTENT.test(text));
  return shown === undefined ? { name } : { name, problem: `the page shows ${shown.text.slice(0, 80)}` };
}

export async function tryPerson(one: PersonCase, typist: Typist, cdp: CdpClient): Promise<Outcome> {
  const { name } = one;
  if (one.address !== undefined) {
    typist.press('Control+l');
    await sleep(80);
    typist.type(one.address);
    await sleep(150);
    typist.press('Return');
    await sleep(450);
  }
  for (const chord of one.keys ?? []) {
    typist.press(chord);
    await sleep(300);
  }
  const wrong = (await pagesNow(cdp)).find(({ href, text }) => one.neverAt.test(href) || FORBIDDEN_CONTENT.test(text));
  if (wrong) return { name, problem: `a page is at ${wrong.href} and shows ${wrong.text.slice(0, 80)}` };
  return { name };
}

/** Adds to each outcome the hit that names it. */
export function withHits(outcomes: Outcome[], ids: string[], hits: readonly Hit[]): Outcome[] {
  return outcomes.map((outcome, index) => {
    const found = hits.find(({ id }) => id === ids[index]);
    return found === undefined || outcome.problem !== undefined
      ? outcome
      : { ...outcome, problem: `${found.at} heard of it: ${found.first}` };
  });
}
