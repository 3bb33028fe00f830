import type { BrowserSession } from '@podwright/api/kinds/session';
import { LABEL } from '@podwright/api/names';
import type { Client } from '@podwright/kube/client';
import { RESOURCE } from '@podwright/kube/resource';
import type { SecretsCheck } from './observation.ts';

export interface SessionSecrets {
  check: SecretsCheck;
  proxyUrl: string | undefined;
}

const PROXY_URL = /^(https?|socks5):\/\/[^\s]+$/;

/**
 * Reads the Secrets a session names. One can be used only in its own namespace and only when its owner labelled it for
 * that use: a tenant must not be able to have any Secret of the namespace read out by naming it.
 */
export async function readSecrets(
  client: Client,
  session: BrowserSession,
  signal: AbortSignal,
): Promise<SessionSecrets> {
  const { proxy, task } = session.spec;
  const namespace = session.metadata.namespace ?? '';
  const wanted = [
    ...(proxy ? [{ name: proxy.secretRef.name, use: 'proxy' }] : []),
    ...(task?.secretRef ? [{ name: task.secretRef.name, use: 'fill' }] : []),
  ];
  let proxyUrl: string | undefined;
  for (const { name, use } of wanted) {
    const secret = await client.find(RESOURCE.secrets, { namespace, name }, { signal });
    // The same words for both cases: whether a Secret exists is not told to who may not use it.
    if (secret?.metadata.labels?.[LABEL.use] !== use) {
      const message = `Secret ${name} does not exist or is not labelled ${LABEL.use}=${use}`;
      return { check: { state: 'problem', message }, proxyUrl: undefined };
    }
    if (use !== 'proxy') continue;
    proxyUrl = Buffer.from(secret.data?.['url'] ?? '', 'base64')
      .toString('utf8')
      .trim();
    if (!PROXY_URL.test(proxyUrl)) {
      const message = `Secret ${name} has no key url with an http, https or socks5 URL`;
      return { check: { state: 'problem', message }, proxyUrl: undefined };
    }
  }
  return { check: { state: 'fine' }, proxyUrl };
}
