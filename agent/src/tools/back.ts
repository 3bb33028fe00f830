import { Type } from 'typebox';
import { defineTool } from './tool.ts';

export const back = defineTool({
  name: 'back',
  description: 'Go back to the page before this one.',
  parameters: Type.Object({}),
  run: (_, { browser, signal }) => browser.back(signal),
});
