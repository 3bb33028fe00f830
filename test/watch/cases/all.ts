import type { Case } from '../case.ts';
import { ANSWER_CASES } from './answers.ts';
import { CONNECTION_CASES } from './connection.ts';
import { GAP_CASES } from './gap.ts';
import { LIFECYCLE_CASES } from './lifecycle.ts';
import { SERVER_CASES } from './server.ts';
import { STREAM_CASES } from './stream.ts';

export const CASES: Case[] = [
  ...CONNECTION_CASES,
  ...ANSWER_CASES,
  ...STREAM_CASES,
  ...GAP_CASES,
  ...SERVER_CASES,
  ...LIFECYCLE_CASES,
];
