import { Type } from 'typebox';
import { defineTool } from './tool.ts';

export const find = defineTool({
  name: 'find',
  description: 'List the texts and controls of the whole page that contain some words, also those not shown.',
  parameters: Type.Object({ words: Type.String({ minLength: 1, maxLength: 200 }) }),
  run: ({ words }, { browser, signal }) => browser.find(words, signal),
});
