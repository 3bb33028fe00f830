import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@podwright/api/errors';
import {
  ActivityRequest,
  BindRequest,
  type PodStatus,
  QuiesceRequest,
  type QuiesceResponse,
  ViewportRequest,
} from '@podwright/api/pod-door';
import { STORAGE_STATE_MAX_BYTES } from '@podwright/api/storage-state';
import type { PodTokenClaims } from '@podwright/api/tokens';
import type { ChromiumHttp } from '../browser/chromium-http.ts';
import { type Described, publicDescription, publicList } from '../cdp/discovery.ts';
import { checkUrl } from '../cdp/params.ts';
import type { ConfinedFolder } from '../files/confined.ts';
import type { Profile } from '../profile/profile.ts';
import type { Activity } from '../session/activity.ts';
import type { Binding } from '../session/binding.ts';
import type { Ending } from '../session/ending.ts';
import type { SizeControl } from '../session/size-control.ts';
import { readBody, readJson, sendEmpty, sendJson, sendJsonText } from './http-answers.ts';
import type { RouteName } from './routes.ts';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  claims: PodTokenClaims;
  /** What follows the path of a prefix route, still encoded. */
  rest: string;
}

/** One handler for each route. Each throws ApiError for what it refuses, before it has answered anything. */
export function createHandlers(options: {
  binding: Binding;
  status: () => PodStatus;
  activity: Activity;
  size: SizeControl;
  chromium: ChromiumHttp;
  profile: Profile;
  downloads: ConfinedFolder;
  uploads: ConfinedFolder;
  ending: Ending;
}): Record<RouteName, (exchange: Exchange) => Promise<void>> {
  const { activity, binding, chromium, profile } = options;

  const hostOf = (request: IncomingMessage): string => request.headers.host ?? 'localhost';
  const workIsWelcome = (): void => {
    const refusal = activity.refusal();
    if (refusal !== undefined) throw new ApiError('unavailable', refusal);
  };
  const ask = async (path: string, method?: 'GET' | 'PUT'): Promise<unknown> => {
    try {
      return await chromium.ask(path, method);
    } catch (error) {
      throw new ApiError('browser_unavailable', undefined, { cause: error });
    }
  };

  return {
    async bind({ request, response, claims }) {
      const body = await readBody(request, BindRequest);
      if (body.sessionUid !== claims.subject) throw new ApiError('forbidden', 'The token binds another session.');
      await binding.bind(body);
      activity.touch();
      sendJson(response, 200, options.status());
    },
    async status({ response }) {
      sendJson(response, 200, options.status());
    },
    async quiesce({ request, response }) {
      const { idleForMs } = await readBody(request, QuiesceRequest);
      const { quiet, lastActiveAt, until } = activity.quiesce(idleForMs);
      const answer: QuiesceResponse = {
        quiet,
        lastActiveAt: new Date(lastActiveAt).toISOString(),
        ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
      };
      sendJson(response, 200, answer);
    },
    async activity({ request, response }) {
      await readBody(request, ActivityRequest);
      workIsWelcome();
      activity.touch();
      sendEmpty(response);
    },
    async version({ request, response }) {
      sendJson(response, 200, publicDescription((await ask('/json/version')) as Described, hostOf(request)));
    },
    async list({ request, response }) {
      sendJson(response, 200, publicList((await ask('/json/list')) as Described[], hostOf(request)));
    },
    async newPage({ request, response, url }) {
      workIsWelcome();
      const page = decode(url.search.slice(1));
      const because = checkUrl(page);
      if (because !== undefined) throw new ApiError('forbidden', `The page is not opened: ${because}.`);
      activity.touch();
      const description = await ask(`/json/new?${encodeURIComponent(page)}`, 'PUT');
      sendJson(response, 200, publicDescription(description as Described, hostOf(request)));
    },
    async viewport({ request, response }) {
      sendJson(response, 200, await options.size.set(await readBody(request, ViewportRequest)));
    },
    async downloads({ response }) {
      sendJson(response, 200, await options.downloads.list());
    },
    async download({ response, rest }) {
      const { handle, size } = await options.downloads.open(decode(rest));
      response.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': size,
        'cache-control': 'no-store',
      });
      // The file may grow meanwhile; what was announced is what is sent.
      const bytes = size === 0 ? undefined : handle.createReadStream({ end: size - 1 });
      if (bytes) await pipeline(bytes, response);
      else {
        response.end();
        await handle.close();
      }
    },
    async upload({ request, response, rest }) {
      workIsWelcome();
      await options.uploads.write(decode(rest), request);
      activity.touch();
      sendEmpty(response);
    },
    async loadProfile({ request, response }) {
      const report = await profile.load(await readJson(request, STORAGE_STATE_MAX_BYTES));
      await binding.profileLoaded();
      sendJson(response, 200, report);
    },
    async readProfile({ response }) {
      const state = await profile.snapshot().catch((error: unknown) => {
        throw new ApiError('browser_unavailable', 'The storage state cannot be read.', { cause: error });
      });
      sendJsonText(response, 200, state);
    },
    async collected({ response }) {
      sendEmpty(response);
      await options.ending.collected();
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError('bad_request', 'The address cannot be read.');
  }
}
