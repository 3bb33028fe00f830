import { readFile } from 'node:fs/promises';
import { type CollectRequest, CollectResponse, type ProfileLoadRequest } from '@podwright/api/internal-doors';
import { Value } from 'typebox/value';
import type { Dispatcher } from 'undici';

/** What the operator asks of the keeper. Every method throws when the keeper refuses or does not answer. */
export interface KeeperClient {
  collect(request: CollectRequest, signal: AbortSignal): Promise<CollectResponse>;
  loadProfile(request: ProfileLoadRequest, signal: AbortSignal): Promise<void>;
  /** Deletes a profile's bytes; fine when there are none. */
  deleteProfile(namespace: string, name: string, signal: AbortSignal): Promise<void>;
}

export function createKeeperClient(options: {
  url: string;
  /** File with the ServiceAccount token of the internal audience; it rotates. */
  tokenFile: string;
  dispatcher: Dispatcher;
}): KeeperClient {
  async function call(method: 'POST' | 'DELETE', path: string, body: unknown, signal: AbortSignal): Promise<string> {
    const token = (await readFile(options.tokenFile, 'utf8')).trim();
    const response = await options.dispatcher.request({
      origin: options.url,
      path,
      method,
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode >= 400 && !(method === 'DELETE' && response.statusCode === 404)) {
      throw new Error(`keeper ${method} ${path.split('/')[1]}: ${response.statusCode} ${text.slice(0, 200)}`);
    }
    return text;
  }
  return {
    async collect(request, signal) {
      return Value.Parse(CollectResponse, JSON.parse(await call('POST', '/collect', request, signal)));
    },
    async loadProfile(request, signal) {
      await call('POST', '/profiles/load', request, signal);
    },
    async deleteProfile(namespace, name, signal) {
      const path = `/profiles/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
      await call('DELETE', path, undefined, signal);
    },
  };
}
