import { describe, expect, test } from 'vitest';
import type { PodStatus } from '@podwright/api/pod-door';
import { rehearse } from './rehearsal.ts';

describe('the rehearsal of a bind', () => {
  test('checks tokens that hold and bodies that fit, and asks for nothing but the status', async () => {
    let asked = 0;
    const status = (): PodStatus => {
      asked += 1;
      return {} as PodStatus;
    };
    await rehearse({ podUid: '0a1b2c3d-0000-4000-8000-000000000000', status, now: Date.now });
    expect(asked).toBeGreaterThan(0);
  });

  test('fails when a token that it made is refused: then no bind would work either', async () => {
    let clock = 0;
    const leaping = (): number => (clock += 3_600_000);
    const rehearsal = rehearse({ podUid: 'a', status: () => ({}) as PodStatus, now: leaping });
    await expect(rehearsal).rejects.toThrow('expired');
  });
});
