import { TERMINAL_PHASES } from '@podwright/api/kinds/session';
import { LABEL } from '@podwright/api/names';
import type { Record, Sight } from './history.ts';
import type { EndState } from './scenario.ts';

/** Warm pods that the pool of the scenario wants. */
const WARM = 2;

/** What must hold after a scenario, whatever happened to the operator in it. Pure; empty when all holds. */
export function violations(facts: {
  reference: EndState;
  end: EndState;
  record: Record;
  /** As the simulated pods saw it: pod UID to the sessions that bound it. */
  bindings: ReadonlyMap<string, readonly string[]>;
  referenceEvents: ReadonlyMap<string, number>;
  /** How often something went wrong: each may leave one pod too many for a moment, and tell one fact twice. */
  faults: number;
}): string[] {
  const { reference, end, record, faults } = facts;
  return [
    ...end.late.map((what) => `not in time: ${what}`),
    ...end.stuck.map((what) => `stuck: ${what}`),
    ...end.pods.map((pod) => `orphan pod ${pod}`),
    ...Object.entries(end.sessions).flatMap(([name, is]) =>
      is === reference.sessions[name] ? [] : [`${name} ended as ${is} and not as ${reference.sessions[name]}`],
    ),
    ...(end.profile === reference.profile ? [] : [`the profile is ${end.profile}`]),
    ...adoptions(record),
    ...services(facts.bindings),
    ...lives(record),
    ...warmPods(record, WARM + faults),
    ...repeated(eventsOf(record), facts.referenceEvents, faults),
  ];
}

/** A pod belongs to one session for its life. */
function adoptions({ pods }: Record): string[] {
  const owners = valuesBy(pods, ({ object }) => object?.metadata.labels?.[LABEL.sessionUid]);
  return [...owners].flatMap(([uid, sessions]) =>
    sessions.size > 1 ? [`pod ${uid} was adopted by ${[...sessions].join(' and ')}`] : [],
  );
}

/** As the pods themselves saw it: nobody serves two sessions, and no session is served by two. */
function services(bindings: ReadonlyMap<string, readonly string[]>): string[] {
  const podsOf = new Map<string, string[]>();
  const wrong: string[] = [];
  for (const [pod, sessions] of bindings) {
    if (sessions.length > 1) wrong.push(`pod ${pod} was bound by ${sessions.join(' and ')}`);
    for (const session of sessions) podsOf.set(session, [...(podsOf.get(session) ?? []), pod]);
  }
  for (const [session, pods] of podsOf)
    if (pods.length > 1) wrong.push(`session ${session} was served by pods ${pods.join(' and ')}`);
  return wrong;
}

/** What a session has said once stays true: its pod, its latched stop, its end. */
function lives({ sessions }: Record): string[] {
  const wrong: string[] = [];
  const last = new Map<string, NonNullable<Record['sessions'][number]['object']>['status']>();
  for (const { uid, name, object } of sessions) {
    const before = last.get(uid);
    const after = object?.status;
    if (!object || !after) continue;
    if (before?.podUID !== undefined && after.podUID !== before.podUID) wrong.push(`${name} changed its pod`);
    if (before?.stoppingAt !== undefined && after.stoppingAt !== before.stoppingAt) wrong.push(`${name} was revived`);
    const wasOver = before?.phase !== undefined && TERMINAL_PHASES.has(before.phase);
    if (wasOver && after.phase !== before?.phase) wrong.push(`${name} went from ${before?.phase} to ${after.phase}`);
    last.set(uid, after);
  }
  return wrong;
}

function warmPods({ pods }: Record, allowed: number): string[] {
  const unclaimed = new Set<string>();
  let most = 0;
  for (const { uid, object } of pods) {
    const counts =
      object?.metadata.labels?.[LABEL.claimed] === 'false' && object.metadata.deletionTimestamp === undefined;
    if (counts) unclaimed.add(uid);
    else unclaimed.delete(uid);
    most = Math.max(most, unclaimed.size);
  }
  return most > allowed ? [`${most} warm pods at once`] : [];
}

/** Events by what they are about and say, with how often they were created. */
export function eventsOf({ events }: Record): Map<string, number> {
  const uids = new Map<string, Set<string>>();
  for (const { uid, object } of events) {
    if (!object) continue;
    const key = `${object.regarding.kind} ${object.regarding.name?.replace(/^crash-\d+/, 'tenant')} ${object.reason}`;
    uids.set(key, (uids.get(key) ?? new Set()).add(uid));
  }
  return new Map([...uids].map(([key, set]) => [key, set.size]));
}

/** A fault may repeat a fact: its event was sent, and the status that remembers it was not. */
function repeated(
  events: ReadonlyMap<string, number>,
  reference: ReadonlyMap<string, number>,
  faults: number,
): string[] {
  return [...events].flatMap(([key, count]) => {
    const expected = reference.get(key) ?? 0;
    return count > expected + faults ? [`${count} events "${key}" where ${expected} are expected`] : [];
  });
}

function valuesBy<T>(
  sights: readonly Sight<T>[],
  value: (sight: Sight<T>) => string | undefined,
): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const sight of sights) {
    const is = value(sight);
    if (is !== undefined && is !== '') found.set(sight.uid, (found.get(sight.uid) ?? new Set()).add(is));
  }
  return found;
}
