import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CollectRequest,
  type CollectResponse,
  ProfileLoadRequest,
  type ProfileLoadResponse,
} from '@podwright/api/internal-doors';
import { PORT } from '@podwright/api/names';
import type { Scope, Signer } from '@podwright/api/tokens';
import { describeError, readBody, sendEmpty, sendJson } from '@podwright/supervisor/door/http-answers';

/**
 * A stand-in for the keeper's internal door: it pulls from pods and pushes into them with real tokens, and keeps versions
 * of profiles in memory. It stores nothing, encrypts nothing and asks nobody who its caller is.
 */
export interface SimulatedKeeper {
  url: string;
  /** Version of a profile's bytes by `namespace/name`. */
  readonly versions: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export async function startSimulatedKeeper(options: { signer: Signer }): Promise<SimulatedKeeper> {
  const versions = new Map<string, number>();

  async function askPod(
    pod: { podUid: string; podIP: string; sessionUid: string },
    method: 'GET' | 'PUT' | 'POST',
    path: string,
    scope: Scope,
  ): Promise<void> {
    const token = await options.signer.sign(pod.podUid, { scope, subject: pod.sessionUid });
    const response = await fetch(`http://${pod.podIP}:${PORT.podDoor}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(method === 'PUT' && { 'content-type': 'application/json' }) },
      ...(method === 'PUT' && { body: '{"cookies":[],"origins":[]}' }),
      signal: AbortSignal.timeout(5_000),
    });
    await response.text();
    if (!response.ok) throw new Error(`the pod answered ${response.status} to ${method} ${path}`);
  }

  async function collect(request: CollectRequest): Promise<CollectResponse> {
    const lost: string[] = [];
    let profileVersion: number | null = null;
    const key = `${request.namespace}/${request.profile}`;
    try {
      if (request.profile !== undefined) {
        await askPod(request, 'GET', '/profile', 'profile');
        profileVersion = (versions.get(key) ?? 0) + 1;
        versions.set(key, profileVersion);
      }
      await askPod(request, 'POST', '/collected', 'collect');
    } catch (error) {
      lost.push(error instanceof Error ? error.message : String(error));
    }
    return { downloads: 0, profileVersion, lost };
  }

  async function load(request: ProfileLoadRequest): Promise<ProfileLoadResponse> {
    await askPod(request, 'PUT', '/profile', 'profile');
    const version = versions.get(`${request.namespace}/${request.profile}`) ?? null;
    return {
      outcome: version === null ? 'Empty' : 'Loaded',
      version,
      capturedAt: null,
      expiresAt: null,
      missing: [],
    };
  }

  const server = createServer((request, response) => {
    const serve = async (): Promise<void> => {
      if (request.url === '/collect') sendJson(response, 200, await collect(await readBody(request, CollectRequest)));
      else if (request.url === '/profiles/load') {
        sendJson(response, 200, await load(await readBody(request, ProfileLoadRequest)));
      } else if (request.method === 'DELETE' && request.url?.startsWith('/profiles/')) sendEmpty(response);
      else sendJson(response, 404, {});
    };
    serve().catch((error: unknown) => {
      const { status, body } = describeError(error);
      sendJson(response, status, body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    versions,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
