import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TSchema, Static } from 'typebox';
import { Value } from 'typebox/value';
import { ApiError } from '@podwright/api/errors';
import { DoorRefusal } from './authorize.ts';

/** Body of every refusal. */
interface ErrorBody {
  code: string;
  detail: string;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendJsonText(response, status, JSON.stringify(body));
}

/** For what is JSON text already. */
export function sendJsonText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}

export function sendEmpty(response: ServerResponse): void {
  response.writeHead(204, { 'cache-control': 'no-store' });
  response.end();
}

/** Status and body that tell of an error; an unknown one is a bug and says nothing of itself. */
export function describeError(error: unknown): { status: number; body: ErrorBody } {
  if (error instanceof DoorRefusal) {
    return {
      status: error.status,
      body: { code: error.status === 401 ? 'unauthorized' : 'forbidden', detail: error.message },
    };
  }
  if (error instanceof ApiError) return { status: error.status, body: { code: error.code, detail: error.message } };
  return { status: 500, body: { code: 'internal', detail: 'Internal error' } };
}

/** Refuses an upgrade with a whole HTTP answer: clients report that better than a broken connection. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  const { status, body } = describeError(error);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` +
      `Connection: close\r\n\r\n${text}`,
  );
}

/** The body as JSON. Throws ApiError too_large or bad_request. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw new ApiError('too_large');
    chunks.push(chunk as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new ApiError('bad_request');
  }
}

const MAX_COMMAND_BYTES = 256 * 1024;

/** The body, checked against its schema. Throws ApiError invalid_request naming the first member that is wrong. */
export async function readBody<Schema extends TSchema>(
  request: IncomingMessage,
  schema: Schema,
): Promise<Static<Schema>> {
  const value = await readJson(request, MAX_COMMAND_BYTES);
  if (Value.Check(schema, value)) return value;
  const [first] = Value.Errors(schema, value);
  throw new ApiError('invalid_request', `The body is not valid: ${first?.instancePath ?? ''} ${first?.message ?? ''}.`);
}
