import type { CloseReason } from './tunnel.ts';

/** Who asks for a CDP connection, as its token says. */
export interface AttachRequest {
  exclusive: boolean;
  /** Shown to those who are refused. */
  holder: string;
  run?: string;
  attempt?: number;
}

export type AttachDecision =
  | { admit: true; replaced: AttachRequest[] }
  | { admit: false; refusal: 'exclusive_holder' | 'stale_attempt'; holder: string };

/**
 * One exclusive owner or many clients; and of one run only the newest attempt:
 * a worker that was paused past its takeover cannot act. Pure.
 */
export function decideAttach(attached: readonly AttachRequest[], request: AttachRequest): AttachDecision {
  const sameRun = request.run === undefined ? [] : attached.filter(({ run }) => run === request.run);
  const newer = sameRun.find(({ attempt = 0 }) => attempt > (request.attempt ?? 0));
  if (newer) return { admit: false, refusal: 'stale_attempt', holder: newer.holder };
  const replaced = sameRun.filter(({ attempt = 0 }) => attempt < (request.attempt ?? 0));
  const others = attached.filter((other) => !replaced.includes(other));
  const holder = request.exclusive ? others[0] : others.find(({ exclusive }) => exclusive);
  if (holder) return { admit: false, refusal: 'exclusive_holder', holder: holder.holder };
  return { admit: true, replaced };
}

export interface Attachment {
  /** Gives the place back. */
  release(): void;
}

export interface Attachments {
  /** Reserves a place, closing connections of lower attempts; `close` ends the connection that will use it. */
  attach(request: AttachRequest, close: (reason: CloseReason) => void): AttachDecision & { attachment?: Attachment };
  closeAll(reason: CloseReason): void;
  readonly count: number;
  readonly exclusiveHolder: string | null;
}

export function createAttachments(options: { replaced: CloseReason }): Attachments {
  const attached = new Map<AttachRequest, (reason: CloseReason) => void>();
  /** Highest attempt seen of each run: a lower one stays out even when the higher one has left. */
  const attempts = new Map<string, number>();
  return {
    attach(request, close) {
      const { run, attempt = 0 } = request;
      if (run !== undefined && attempt < (attempts.get(run) ?? 0)) {
        return { admit: false, refusal: 'stale_attempt', holder: run };
      }
      const decision = decideAttach([...attached.keys()], request);
      if (!decision.admit) return decision;
      if (run !== undefined) attempts.set(run, attempt);
      for (const lower of decision.replaced) {
        attached.get(lower)?.(options.replaced);
        attached.delete(lower);
      }
      attached.set(request, close);
      return { ...decision, attachment: { release: () => attached.delete(request) } };
    },
    closeAll(reason) {
      for (const close of attached.values()) close(reason);
    },
    get count() {
      return attached.size;
    },
    get exclusiveHolder() {
      return [...attached.keys()].find(({ exclusive }) => exclusive)?.holder ?? null;
    },
  };
}
