import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '../harness/control-plane.ts';
import { CASES } from './cases/all.ts';
import { reflectorSubject } from './reflector-subject.ts';
import { runCase } from './run-case.ts';

/** The short form of `make test-watch`: the quickest telling cases, on our own reflector alone. */
let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane?.stop());

test.each(CASES.filter(({ short }) => short))('the cache stays true when $name', async (one) => {
  const { problems } = await runCase({ case: one, subject: reflectorSubject, plane });
  expect(problems).toEqual([]);
});
