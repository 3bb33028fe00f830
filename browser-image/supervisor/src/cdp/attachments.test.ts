import { describe, expect, test } from 'vitest';
import { type AttachRequest, createAttachments, decideAttach } from './attachments.ts';

const client = (holder: string, more: Partial<AttachRequest> = {}): AttachRequest => ({
  holder,
  exclusive: false,
  ...more,
});
const REPLACED = { code: 4004, reason: 'replaced' };

describe('who may attach', () => {
  test.each<[string, AttachRequest[], AttachRequest, ReturnType<typeof decideAttach>]>([
    ['many clients share a browser', [client('a')], client('b'), { admit: true, replaced: [] }],
    [
      'an exclusive one needs it free',
      [client('a')],
      client('b', { exclusive: true }),
      refused('exclusive_holder', 'a'),
    ],
    [
      'nobody joins an exclusive one',
      [client('a', { exclusive: true })],
      client('b'),
      refused('exclusive_holder', 'a'),
    ],
    [
      'an older attempt stays out',
      [client('run', { run: 'r', attempt: 2 })],
      client('run', { run: 'r', attempt: 1 }),
      refused('stale_attempt', 'run'),
    ],
    [
      'an attempt may have two connections',
      [client('run', { run: 'r', attempt: 2 })],
      client('run', { run: 'r', attempt: 2 }),
      { admit: true, replaced: [] },
    ],
    [
      'attempts of another run do not count',
      [client('run', { run: 'q', attempt: 9 })],
      client('run', { run: 'r', attempt: 1 }),
      { admit: true, replaced: [] },
    ],
  ])('%s', (_, attached, request, expected) => {
    expect(decideAttach(attached, request)).toEqual(expected);
  });

  test('a newer attempt takes the place of the older one, exclusive or not', () => {
    const older = client('run', { run: 'r', attempt: 1, exclusive: true });
    const newer = client('run', { run: 'r', attempt: 2, exclusive: true });
    expect(decideAttach([older], newer)).toEqual({ admit: true, replaced: [older] });
  });
});

describe('attachments', () => {
  test('close what a newer attempt replaces, and keep older attempts out after it has left', () => {
    const attachments = createAttachments({ replaced: REPLACED });
    const closed: object[] = [];
    attachments.attach(client('run', { run: 'r', attempt: 1 }), (reason) => closed.push(reason));
    const second = attachments.attach(client('run', { run: 'r', attempt: 2 }), () => undefined);
    expect(closed).toEqual([REPLACED]);
    expect(attachments.count).toBe(1);
    second.attachment?.release();
    expect(attachments.attach(client('run', { run: 'r', attempt: 1 }), () => undefined).admit).toBe(false);
  });

  test('name the exclusive holder until it leaves', () => {
    const attachments = createAttachments({ replaced: REPLACED });
    const { attachment } = attachments.attach(client('a', { exclusive: true }), () => undefined);
    expect(attachments.exclusiveHolder).toBe('a');
    attachment?.release();
    expect(attachments.exclusiveHolder).toBeNull();
    expect(attachments.attach(client('b'), () => undefined).admit).toBe(true);
  });
});

function refused(refusal: 'exclusive_holder' | 'stale_attempt', holder: string) {
  return { admit: false as const, refusal, holder };
}
