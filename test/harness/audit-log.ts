import { readFile } from 'node:fs/promises';

/** What is read here of a line of the API server's audit log. */
export interface AuditedRequest {
  /** Milliseconds since the epoch at which the server had read the request. */
  at: number;
  verb: string;
  user: string;
  /** `resource` or `resource/subresource`. */
  resource: string;
  namespace: string | undefined;
  name: string | undefined;
  /** HTTP status of the answer. */
  code: number;
}

interface Line {
  stage: string;
  verb: string;
  requestReceivedTimestamp: string;
  user: { username: string };
  objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Every finished request that would change something, in the order of arrival. A line that is being written is left out. */
export async function auditedWrites(file: string): Promise<AuditedRequest[]> {
  const text = await readFile(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return whole
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ stage, verb }) => stage === 'ResponseComplete' && WRITES.has(verb))
    .map(({ verb, user, objectRef, responseStatus, requestReceivedTimestamp }) => ({
      at: Date.parse(requestReceivedTimestamp),
      verb,
      user: user.username,
      resource: [objectRef?.resource ?? '', objectRef?.subresource].filter((part) => part !== undefined).join('/'),
      namespace: objectRef?.namespace,
      name: objectRef?.name,
      code: responseStatus?.code ?? 0,
    }))
    .toSorted((a, b) => a.at - b.at);
}
