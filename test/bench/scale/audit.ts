import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** What the API server's own log says about the operator between two instants. */
export interface OperatorWrites {
  /** By `verb resource[/subresource]`. */
  byKind: Map<string, number>;
  /** Answers 409 among them. */
  conflicts: number;
  /** Writes for sessions on their way to Ready: finalizer, claim or create of a pod, status, events. */
  forSessions: number;
  total: number;
}

interface AuditLine {
  userAgent?: string;
  verb: string;
  objectRef?: { resource: string; subresource?: string; name?: string };
  responseStatus?: { code: number };
}

const WRITES = new Set(['create', 'update', 'patch', 'delete']);

/** Where the log ends now, in bytes. */
export const auditPosition = async (file: string): Promise<number> => (await stat(file)).size;

/** Reads from one position to another. Renewals of the lease are left out. */
export async function operatorWrites(file: string, from: number, to: number): Promise<OperatorWrites> {
  const writes: OperatorWrites = { byKind: new Map(), conflicts: 0, forSessions: 0, total: 0 };
  if (to <= from) return writes;
  for await (const line of createInterface({ input: createReadStream(file, { start: from, end: to - 1 }) })) {
    if (!line.includes('podwright-operator')) continue;
    const { userAgent, verb, objectRef, responseStatus } = JSON.parse(line) as AuditLine;
    if (!userAgent?.startsWith('podwright-operator') || !WRITES.has(verb) || objectRef === undefined) continue;
    const { resource, subresource } = objectRef;
    if (resource === 'leases') continue;
    const kind = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
    writes.byKind.set(kind, (writes.byKind.get(kind) ?? 0) + 1);
    writes.total += 1;
    if (responseStatus?.code === 409) writes.conflicts += 1;
    // A claim patches a pod; a create of one is refill where every start is warm, and a pool's own writes are its own.
    if (resource === 'browsersessions' || kind === 'patch pods' || resource === 'events') writes.forSessions += 1;
  }
  return writes;
}
