import { CONTAINER, OBJECT, SUPERVISOR_ENV } from '@podwright/api/names';
import { ISSUERS, type PublicKeySet } from '@podwright/api/tokens';
import type { Client } from '@podwright/kube/client';
import { isConflict } from '@podwright/kube/kube-error';
import type { Pod } from '@podwright/kube/objects';
import type { Log } from '@podwright/kube/reflector';
import { RESOURCE } from '@podwright/kube/resource';
import { sleep } from '@podwright/kube/sleep';
import { isEnded } from '../pods/pod-state.ts';
import { type Signing, decideSigning } from './decide-signing.ts';

const LOOK_EVERY_MS = 5_000;

/** The public keys that pods list, and which of them the issuers may sign with by now. */
export interface TokenKeys {
  /** Read from the API server itself: a file that is mounted may be a minute behind. */
  current(): PublicKeySet;
  stop(): Promise<void>;
}

/** Only the leader runs it. Returns after the first look; when that fails, the keys are those of `mounted` until another works. */
export async function startTokenKeys(options: {
  client: Client;
  namespace: string;
  prefix: string;
  /** The same list as the kubelet brought it. */
  mounted: PublicKeySet;
  pods: () => readonly Pod[];
  now: () => number;
  log: Log;
}): Promise<TokenKeys> {
  const { client, namespace, now, log } = options;
  const target = { namespace, name: OBJECT.tokenKeysConfigMap(options.prefix) };
  const life = new AbortController();
  const kidsOf = createKidsReader();
  let text = '';
  let keys = options.mounted;
  let listedSince: ReadonlyMap<string, number> = new Map();

  async function look(): Promise<void> {
    const found = await client.get(RESOURCE.configMaps, target);
    const fresh = found.data?.['keys.json'] ?? '';
    if (fresh !== text) {
      keys = JSON.parse(fresh) as PublicKeySet;
      if (text !== '')
        log.info({ kids: ISSUERS.map((issuer) => keys[issuer].map(({ kid }) => kid)) }, 'token keys changed');
      text = fresh;
    }
    const released = JSON.parse(found.data?.['signing.json'] ?? '{}') as Signing;
    const pods = options
      .pods()
      .filter((pod) => !isEnded(pod))
      .map(kidsOf);
    const decided = decideSigning({ now: now(), keys, pods, released, listedSince });
    listedSince = decided.listedSince;
    const signing = JSON.stringify(decided.released);
    if (signing === found.data?.['signing.json']) return;
    await client.update(RESOURCE.configMaps, { ...found, data: { ...found.data, 'signing.json': signing } });
    log.info({ signing: decided.released }, 'keys that every pod lists were released for signing');
  }

  async function tryLook(): Promise<void> {
    await look().catch((error: unknown) => {
      // Somebody else changed the list: the next look sees both.
      if (!isConflict(error)) log.warn({ err: error }, 'the token keys were not looked after');
    });
  }

  async function keepLooking(): Promise<void> {
    while (!life.signal.aborted) {
      await sleep(LOOK_EVERY_MS, life.signal).catch(() => undefined);
      if (!life.signal.aborted) await tryLook();
    }
  }

  await tryLook();
  const looking = keepLooking();
  return {
    current: () => keys,
    async stop() {
      life.abort();
      await looking;
    },
  };
}

/** Key ids that the supervisor of a pod was started with; none when they cannot be read, so that nothing new is released. */
function createKidsReader(): (pod: Pod) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  const none: ReadonlySet<string> = new Set();
  return (pod) => {
    const supervisor = pod.spec.containers.find(({ name }) => name === CONTAINER.supervisor);
    const text = supervisor?.env?.find(({ name }) => name === SUPERVISOR_ENV.tokenKeys)?.value;
    if (text === undefined) return none;
    let kids = known.get(text);
    if (!kids) {
      kids = new Set(Object.values(JSON.parse(text) as PublicKeySet).flatMap((list) => list.map(({ kid }) => kid)));
      if (known.size > 32) known.clear();
      known.set(text, kids);
    }
    return kids;
  };
}
