import { Type } from 'typebox';
import { defineTool } from './tool.ts';

export const switchTab = defineTool({
  name: 'switch_tab',
  description: 'Work in another tab, by its number in the list of tabs.',
  parameters: Type.Object({ tab: Type.Integer({ minimum: 1 }) }),
  run: ({ tab }, { browser, signal }) => browser.switchTab(tab, signal),
});
