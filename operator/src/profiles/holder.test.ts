import type { BrowserSession } from '@podwright/api/kinds/session';
import { describe, expect, test } from 'vitest';
import { profile, session, time } from '../testing/objects.ts';
import { type HolderState, holderState, isProfileTaken } from './holder.ts';

const held = profile({ holder: { sessionName: 'x', sessionUID: 'uid-x', since: time(0) } });
const stateWith = (holder: BrowserSession | undefined) => holderState(held, { getByUid: () => holder });

describe('the holder of a profile', () => {
  test('is nobody where none is named', () => {
    expect(holderState(profile(), { getByUid: () => session() })).toBe('none');
  });

  test.each<[string, BrowserSession | undefined, HolderState]>([
    ['a session that is not there', undefined, 'gone'],
    ['a session that failed', session({ status: { phase: 'Failed' } }), 'gone'],
    ['a session that stopped', session({ status: { phase: 'Stopped' } }), 'gone'],
    ['a session that was told to stop', session({ spec: { stop: { reason: 'Asked' } } }), 'ending'],
    ['a session that is stopping', session({ status: { phase: 'Stopping', stoppingAt: time(1) } }), 'ending'],
    ['a session that is being deleted', session({ metadata: { deletionTimestamp: time(1) } }), 'ending'],
    ['a session that starts', session({ status: { phase: 'Starting' } }), 'alive'],
    ['a session that is used', session({ status: { phase: 'Running' } }), 'alive'],
  ])('%s', (_name, holder, state) => {
    expect(stateWith(holder)).toBe(state);
  });
});

describe('a profile is taken', () => {
  const wanting = (mode?: 'ReadWrite' | 'ReadOnly') =>
    session({ spec: { profileRef: { name: 'login', ...(mode && { mode }) } } });
  test.each<[string, BrowserSession, typeof held | undefined, boolean]>([
    ['for a second writer', wanting(), held, true],
    ['not for a reader', wanting('ReadOnly'), held, false],
    ['not for its holder', { ...wanting(), metadata: { ...session().metadata, uid: 'uid-x' } }, held, false],
    ['not when nobody holds it', wanting('ReadWrite'), profile(), false],
    ['not for a session without one', session(), held, false],
    ['not when it is not there', wanting(), undefined, false],
  ])('%s', (_name, wants, of, taken) => {
    expect(isProfileTaken(wants, of)).toBe(taken);
  });
});
