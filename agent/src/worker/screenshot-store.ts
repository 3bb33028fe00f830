import { BlobRef } from '@podwright/api/internal-doors';
import { Value } from 'typebox/value';
import { authorization } from './pod-door-pass.ts';

const DEADLINE_MS = 5_000;

/** Stores pictures of steps with the keeper. A picture that cannot be stored is left out: it must not stop a run. */
export function createScreenshotStore(options: {
  keeperUrl: string;
  tokenFile: string;
  onFailure: (error: unknown) => void;
}) {
  return async (run: { tenant: string; runId: string }, step: number, jpeg: Buffer): Promise<string | null> => {
    const name = `${run.runId}/${String(step).padStart(5, '0')}.jpg`;
    try {
      const response = await fetch(`${options.keeperUrl}/blobs/${encodeURIComponent(run.tenant)}/screenshots/${name}`, {
        method: 'PUT',
        headers: { ...(await authorization(options.tokenFile)), 'content-type': 'image/jpeg' },
        body: new Uint8Array(jpeg),
        redirect: 'error',
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      const body: unknown = response.ok ? await response.json() : await response.body?.cancel();
      if (!Value.Check(BlobRef, body)) throw new Error(`the keeper does not store the picture (${response.status})`);
      return body.ref;
    } catch (error) {
      options.onFailure(error);
      return null;
    }
  };
}
