import { safeText } from '@podwright/api/safe-text';
import type { Client } from './client.ts';
import { errorFields, isNotFound } from './kube-error.ts';
import type { KubeEvent, ObjectReference } from './objects.ts';
import type { Log } from './reflector.ts';
import { type KubeObject, RESOURCE, apiVersionOf } from './resource.ts';

export interface EventFacts {
  type: 'Normal' | 'Warning';
  /** One word in CamelCase, from the reasons of api/conditions where there is one. */
  reason: string;
  /** What was being done: Admit, Claim, Create, Bind, Stop … */
  action: string;
  /** For people. Made safe and cut to 1024 characters. */
  note: string;
  related?: ObjectReference;
}

/** Tells the story that `kubectl describe` shows. */
export interface EventRecorder {
  /** Never throws and never blocks the caller. The same fact again within ten minutes is counted, not repeated. */
  record(about: KubeObject, facts: EventFacts): void;
  /** Resolves when everything recorded so far has been sent or given up. */
  flush(): Promise<void>;
}

const SERIES_WINDOW_MS = 600_000;
/** A series is rewritten at its 2nd, 4th, 8th … repetition: a fact repeated for ever costs little. */
const worthWriting = (count: number): boolean => (count & (count - 1)) === 0;
const MAX_REMEMBERED = 2_000;

export function createEventRecorder(options: {
  client: Client;
  /** Reporting controller, for example `podwright.dev/operator`. */
  component: string;
  instance: string;
  now: () => number;
  log: Log;
}): EventRecorder {
  const { client, now, log } = options;
  const remembered = new Map<string, { name: Promise<string | undefined>; count: number; firstAt: number }>();
  const sending = new Set<Promise<unknown>>();

  async function send(about: KubeObject, facts: EventFacts): Promise<string | undefined> {
    const namespace = about.metadata.namespace ?? 'default';
    const name = `${about.metadata.name.slice(0, 220)}.${crypto.randomUUID().slice(0, 16).replaceAll('-', '')}`;
    const event: Omit<KubeEvent, 'metadata'> & { metadata: { name: string; namespace: string } } = {
      metadata: { name, namespace },
      eventTime: microTime(now()),
      type: facts.type,
      reason: facts.reason,
      action: facts.action,
      note: safeText(facts.note, 1_000),
      reportingController: options.component,
      reportingInstance: options.instance,
      regarding: referenceTo(about),
      ...(facts.related && { related: facts.related }),
    };
    try {
      await client.create(RESOURCE.events, event);
      return name;
    } catch (error) {
      log.warn({ ...errorFields(error), reason: facts.reason }, 'an event was not recorded');
      return undefined;
    }
  }

  /** Rewrites the series. Counts of one event go out one after the other, so that the last one stays. */
  async function count(namespace: string, name: string | undefined, repetitions: number): Promise<string | undefined> {
    if (name === undefined) return undefined;
    const body = { series: { count: repetitions, lastObservedTime: microTime(now()) } };
    try {
      await client.patch(RESOURCE.events, { namespace, name }, { type: 'merge', body });
      return name;
    } catch (error) {
      if (!isNotFound(error)) log.warn(errorFields(error), 'an event was not counted');
      return undefined;
    }
  }

  function track(promise: Promise<unknown>): void {
    sending.add(promise);
    void promise.finally(() => sending.delete(promise));
  }

  return {
    record(about, facts) {
      const key = `${about.metadata.uid} ${facts.type} ${facts.reason} ${facts.note}`;
      const known = remembered.get(key);
      if (known && now() - known.firstAt < SERIES_WINDOW_MS) {
        known.count += 1;
        const { count: repetitions } = known;
        if (!worthWriting(repetitions)) return;
        const namespace = about.metadata.namespace ?? 'default';
        known.name = known.name.then((sent) => count(namespace, sent, repetitions));
        track(known.name);
        return;
      }
      const name = send(about, facts);
      remembered.delete(key);
      remembered.set(key, { name, count: 1, firstAt: now() });
      const oldest = remembered.keys().next();
      if (remembered.size > MAX_REMEMBERED && !oldest.done) remembered.delete(oldest.value);
      track(name);
    },
    async flush() {
      await Promise.allSettled(sending);
    },
  };
}

export function referenceTo(object: KubeObject): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: object.apiVersion ?? apiVersionOf({ group: '', version: 'v1' }),
    kind: object.kind ?? '',
    ...(namespace !== undefined && { namespace }),
    name,
    uid,
    resourceVersion,
  };
}

const microTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000Z');
