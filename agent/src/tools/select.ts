import { Type } from 'typebox';
import { Ref } from './ref.ts';
import { defineTool } from './tool.ts';

export const select = defineTool({
  name: 'select',
  description: 'Choose options of a select box by their labels.',
  parameters: Type.Object({ ref: Ref, options: Type.Array(Type.String(), { minItems: 1, maxItems: 50 }) }),
  run: ({ ref, options }, { browser, signal }) => browser.select(ref, options, signal),
});
