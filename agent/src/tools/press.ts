import { Type } from 'typebox';
import { defineTool } from './tool.ts';

export const press = defineTool({
  name: 'press',
  description: 'Press a key or a combination, for example Escape, ArrowDown or Control+A.',
  parameters: Type.Object({ key: Type.String({ minLength: 1, maxLength: 40 }) }),
  run: ({ key }, { browser, signal }) => browser.press(key, signal),
});
