import { Type } from 'typebox';
import { defineTool } from './tool.ts';

export const open = defineTool({
  name: 'open',
  description: 'Load an address in the current tab.',
  parameters: Type.Object({ url: Type.String({ minLength: 1, maxLength: 8192 }) }),
  run: ({ url }, { browser, signal }) => browser.open(url, signal),
});
