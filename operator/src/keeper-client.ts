import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CollectRequest,
  CollectResponse,
  type ProfileLoadRequest,
  ProfileLoadResponse,
} from '@podwright/api/internal-doors';
import { Value } from 'typebox/value';
import type { Dispatcher } from 'undici';

/** What the operator asks of the keeper. Every method throws when the keeper refuses or does not answer. */
export interface KeeperClient {
  /** While the keeper is away (it restarts, or its store does not answer) it is asked again, until `signal` ends. */
  collect(request: CollectRequest, signal: AbortSignal): Promise<CollectResponse>;
  /** Throws KeeperRefusal when asking again will not help. */
  loadProfile(request: ProfileLoadRequest, signal: AbortSignal): Promise<ProfileLoadResponse>;
  /** Deletes the bytes of exactly that profile; fine when there are none. */
  deleteProfile(profile: { namespace: string; name: string; uid: string }, signal: AbortSignal): Promise<void>;
}

const AGAIN_MS = 1_000;

/** Nobody answered, or somebody who says to ask later. */
class KeeperAway extends Error {
  override readonly name = 'KeeperAway';
}

/** The keeper says that it is so and stays so. */
export class KeeperRefusal extends Error {
  override readonly name = 'KeeperRefusal';
}

export function createKeeperClient(options: {
  url: string;
  /** File with the ServiceAccount token of the internal audience; it rotates. */
  tokenFile: string;
  dispatcher: Dispatcher;
}): KeeperClient {
  async function call(method: 'POST' | 'DELETE', path: string, body: unknown, signal: AbortSignal): Promise<string> {
    const token = (await readFile(options.tokenFile, 'utf8')).trim();
    const response = await options.dispatcher
      .request({
        origin: options.url,
        path,
        method,
        signal,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      })
      .catch((error: unknown) => {
        if (signal.aborted) throw error;
        throw new KeeperAway(`the keeper does not answer: ${error instanceof Error ? error.message : String(error)}`);
      });
    const text = await response.body.text();
    if (response.statusCode === 503)
      throw new KeeperAway(`keeper ${method} ${path.split('/')[1]}: 503 ${text.slice(0, 200)}`);
    const refusal = response.statusCode >= 400 ? finalWords(text) : undefined;
    if (refusal !== undefined && method !== 'DELETE') throw new KeeperRefusal(refusal);
    if (response.statusCode >= 400 && !(method === 'DELETE' && response.statusCode === 404)) {
      throw new Error(`keeper ${method} ${path.split('/')[1]}: ${response.statusCode} ${text.slice(0, 200)}`);
    }
    return text;
  }
  return {
    async collect(request, signal) {
      for (;;) {
        try {
          return Value.Parse(CollectResponse, JSON.parse(await call('POST', '/collect', request, signal)));
        } catch (error) {
          if (!(error instanceof KeeperAway)) throw error;
          await sleep(AGAIN_MS, undefined, { signal }).catch(() => {
            throw error;
          });
        }
      }
    },
    async loadProfile(request, signal) {
      const text = await call('POST', '/profiles/load', request, signal);
      // A keeper from before an upgrade answers with nothing.
      if (text === '') return { outcome: 'Loaded', version: null, capturedAt: null, expiresAt: null, missing: [] };
      return Value.Parse(ProfileLoadResponse, JSON.parse(text));
    },
    async deleteProfile({ namespace, name, uid }, signal) {
      const path = `/profiles/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}?uid=${encodeURIComponent(uid)}`;
      await call('DELETE', path, undefined, signal);
    },
  };
}

/** The words of an answer that says of itself that asking again will not help. */
function finalWords(text: string): string | undefined {
  try {
    const { message, retryable } = JSON.parse(text) as { message?: unknown; retryable?: unknown };
    return retryable === false && typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
