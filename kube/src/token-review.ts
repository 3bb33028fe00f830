import type { Client } from './client.ts';

/** Who a ServiceAccount token belongs to. */
export interface TokenIdentity {
  namespace: string;
  serviceAccount: string;
  /** Pod the token is bound to, when it is. */
  podName: string | undefined;
}

/** Asks the API server about a token; undefined when it is not valid for `audience` or not a ServiceAccount's. */
export async function reviewToken(options: {
  client: Client;
  token: string;
  audience: string;
  signal?: AbortSignal;
}): Promise<TokenIdentity | undefined> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: options.token, audiences: [options.audience] },
  };
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  const review = await options.client.raw<{
    status?: {
      authenticated?: boolean;
      audiences?: string[];
      user?: { username?: string; extra?: Record<string, string[]> };
    };
  }>('POST', path, body, { signal: options.signal });
  const { authenticated, audiences, user } = review.status ?? {};
  // A server that knows no audiences answers without them: then the token proves nothing about ours.
  if (authenticated !== true || !audiences?.includes(options.audience)) return undefined;
  const match = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user?.username ?? '');
  if (!match) return undefined;
  return {
    namespace: match[1]!,
    serviceAccount: match[2]!,
    podName: user?.extra?.['authentication.kubernetes.io/pod-name']?.[0],
  };
}
