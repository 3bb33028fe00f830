import { Type } from 'typebox';
import { Ref } from './ref.ts';
import { defineTool } from './tool.ts';

export const click = defineTool({
  name: 'click',
  description: 'Click a control.',
  parameters: Type.Object({ ref: Ref }),
  run: ({ ref }, { browser, signal }) => browser.click(ref, signal),
});
