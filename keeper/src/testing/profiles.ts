import type { BrowserProfile, BrowserProfileStatus } from '@podwright/api/kinds/profile';
import type { StorageState } from '@podwright/api/storage-state';
import type { KeyRing, WrappingKey } from '../profiles/key-ring.ts';
import type { ProfileObjects } from '../profiles/profile-objects.ts';

/** A ring of keys in memory; the first is current, and `rotate` puts another before it. */
export function testRing(): KeyRing & { rotate(): void; retire(): void } {
  let keys: [WrappingKey, ...WrappingKey[]] = [{ kid: 'k1', key: Buffer.alloc(32, 1) }];
  return {
    get current() {
      return keys[0];
    },
    get all() {
      return keys;
    },
    find: (kid) => keys.find((key) => key.kid === kid),
    reload: () => false,
    rotate() {
      const next = keys.length + 1;
      keys = [{ kid: `k${next}`, key: Buffer.alloc(32, next) }, ...keys];
    },
    retire() {
      keys = [keys[0]];
    },
  };
}

export const SHOP = { namespace: 'tenant-demo', name: 'shop' };

type Change = { [Key in keyof BrowserProfileStatus]: BrowserProfileStatus[Key] | undefined };

/** BrowserProfiles as an API server keeps them: every write is a new version, and an old one is refused. */
export function testObjects(): ProfileObjects & {
  profile: BrowserProfile | null;
  /** Changes it as somebody else would. */
  change(status: Change, metadata?: Partial<BrowserProfile['metadata']>): void;
  /** Called before each write, so that a test can be faster. */
  beforeWrite: () => void;
} {
  let version = 1;
  const objects: ReturnType<typeof testObjects> = {
    profile: {
      apiVersion: 'podwright.dev/v1alpha1',
      kind: 'BrowserProfile',
      metadata: { ...SHOP, uid: 'uid-1', resourceVersion: '1', creationTimestamp: '' },
      spec: {},
    },
    beforeWrite: () => undefined,
    change(status, metadata = {}) {
      version += 1;
      const before = objects.profile!;
      objects.profile = {
        ...before,
        metadata: { ...before.metadata, ...metadata, resourceVersion: String(version) },
        status: Object.fromEntries(
          Object.entries({ ...before.status, ...status }).filter(([, value]) => value !== undefined),
        ),
      };
    },
    read: async () => objects.profile && structuredClone(objects.profile),
    async applyStatus({ resourceVersion }, status) {
      objects.beforeWrite();
      if (objects.profile?.metadata.resourceVersion !== resourceVersion) return false;
      objects.change(status);
      return true;
    },
  };
  return objects;
}

export const holder = (sessionUID: string) => ({
  sessionName: `session ${sessionUID}`,
  sessionUID,
  since: '2026-01-01T00:00:00Z',
});

/** A state that says who wrote it. */
export function stateOf(text: string): Buffer {
  const state: StorageState = {
    cookies: [],
    origins: [{ origin: 'https://shop.example', localStorage: [{ name: 'who', value: text }] }],
  };
  return Buffer.from(JSON.stringify(state));
}

export const whoWrote = (state: Buffer): string | undefined =>
  (JSON.parse(state.toString()) as StorageState).origins[0]?.localStorage[0]?.value;
