import type { SandboxMode } from '@podwright/api/kinds/pool';
import type { LauncherFacts } from '@podwright/api/pod-launcher';
import type { SandboxFacts } from '@podwright/api/pod-door';
import type { CdpLink } from './cdp-link.ts';

/** Why what was found is less than what was asked for, in words; undefined when it is enough. Pure. */
export function sandboxShortfall(mode: SandboxMode, facts: SandboxFacts): string | undefined {
  if (mode === 'None') return undefined;
  if (facts.found === 'None') return 'the browser runs without a sandbox';
  if (facts.chromiumAdequate === false) return 'Chromium says that it is not adequately sandboxed';
  if (mode === 'UserNamespace' && facts.found !== 'UserNamespace') {
    return `the pod has no user namespace of its own (found ${facts.found})`;
  }
  return undefined;
}

export function sandboxFacts(facts: LauncherFacts, chromiumAdequate: boolean | null): SandboxFacts | null {
  return facts.sandbox === null ? null : { ...facts.sandbox, chromiumAdequate };
}

/** The page fills itself by script; on a busy node that takes seconds. */
const ASK_ATTEMPTS = 150;
const ASK_PAUSE_MS = 30;

/**
 * What Chromium says of its own sandbox, read from chrome://sandbox in a hidden target;
 * null when the page cannot be opened (managed policy may close it) or says nothing.
 */
export async function askChromiumForSandbox(
  link: CdpLink,
  pause: (ms: number) => Promise<void>,
): Promise<boolean | null> {
  const { targetId } = await link.send<{ targetId: string }>('Target.createTarget', {
    url: 'chrome://sandbox',
    hidden: true,
  });
  try {
    const { sessionId } = await link.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
    for (let attempt = 0; attempt < ASK_ATTEMPTS; attempt += 1) {
      const [href, text] = await readPage(link, sessionId);
      if (/\bnot adequately sandboxed\b/i.test(text ?? '')) return false;
      if (/\badequately sandboxed\b/i.test(text ?? '')) return true;
      if (href?.startsWith('chrome-error:')) return null;
      await pause(ASK_PAUSE_MS);
    }
    return null;
  } finally {
    await link.send('Target.closeTarget', { targetId }).catch(() => undefined);
  }
}

/** Address and text of a page; nothing while it is being replaced by the next document. */
async function readPage(link: CdpLink, sessionId: string): Promise<[string?, string?]> {
  const expression = '[location.href, document.documentElement.innerText]';
  return link
    .send<{ result: { value?: unknown } }>('Runtime.evaluate', { expression, returnByValue: true }, sessionId)
    .then(
      ({ result }) => (Array.isArray(result.value) ? (result.value as [string, string]) : []),
      () => [],
    );
}
