import { Type } from 'typebox';
import { Ref } from './ref.ts';
import { defineTool } from './tool.ts';

export const extract = defineTool({
  name: 'extract',
  description: 'Read the text of the whole page, or of one control, 6000 characters at a time.',
  parameters: Type.Object({ ref: Type.Optional(Ref), from: Type.Optional(Type.Integer({ minimum: 0 })) }),
  run: ({ ref, from }, { browser, signal }) => browser.extract(ref ?? null, from ?? 0, signal),
});
