import { Type } from 'typebox';

/** A control of the present snapshot. */
export const Ref = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'Ref of the present page, for example s3e12.',
});
