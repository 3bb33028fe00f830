import { Type } from 'typebox';
import { Ref } from './ref.ts';
import { defineTool } from './tool.ts';

export const type = defineTool({
  name: 'type',
  description: 'Replace the text of a field. With submit, press Enter afterwards.',
  parameters: Type.Object({
    ref: Ref,
    text: Type.String({ maxLength: 20_000 }),
    submit: Type.Optional(Type.Boolean()),
  }),
  run: ({ ref, text, submit }, { browser, signal }) => browser.type(ref, text, submit ?? false, signal),
});
