import { FINALIZER } from '@podwright/api/names';
import { expect, test } from 'vitest';
import { at, profile, time } from '../testing/objects.ts';
import { type ProfilePlan, decideProfile } from './decide.ts';
import type { HolderState } from './holder.ts';

const held = { holder: { sessionName: 's', sessionUID: 'u', since: time(0) } };
const make = (finalizer: boolean, deleting: boolean) => {
  const made = profile(held);
  if (finalizer) made.metadata.finalizers = [FINALIZER];
  if (deleting) made.metadata.deletionTimestamp = time(100);
  return made;
};

test.each<[string, boolean, boolean, HolderState, number, ProfilePlan]>([
  ['a new one gets its finalizer', false, false, 'none', 1, { do: 'addFinalizer' }],
  ['one that is held by a living session is left alone', true, false, 'alive', 1, { do: 'nothing' }],
  ['one whose holder is stopping is left to it', true, false, 'ending', 100, { do: 'nothing' }],
  [
    'a holder that was claimed a moment ago may not be known yet',
    true,
    false,
    'gone',
    10,
    { do: 'nothing', at: at(30) },
  ],
  ['a holder that is gone is released', true, false, 'gone', 31, { do: 'release' }],
  ['deleted while in use, it waits for the session', true, true, 'alive', 110, { do: 'nothing', at: at(400) }],
  ['and for one that is saving what it has', true, true, 'ending', 110, { do: 'nothing', at: at(400) }],
  ['but not for ever', true, true, 'alive', 400, { do: 'deleteBytes', letGo: true }],
  ['deleted and free, its bytes go', true, true, 'none', 110, { do: 'deleteBytes', letGo: false }],
  ['without our finalizer its deletion needs nobody', false, true, 'none', 110, { do: 'nothing' }],
])('%s', (_name, finalizer, deleting, holder, now, plan) => {
  expect(decideProfile({ profile: make(finalizer, deleting), holder, now: at(now) })).toEqual(plan);
});
