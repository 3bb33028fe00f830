import { ApiError } from '@podwright/api/errors';

/** Passes `body` on and counts it in `counted.bytes`; throws ApiError `too_large` at the first byte above `maxBytes`. */
export async function* limitBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  counted: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    counted.bytes += chunk.byteLength;
    if (counted.bytes > maxBytes) throw new ApiError('too_large', `More than ${maxBytes} bytes are not accepted.`);
    yield chunk;
  }
}
