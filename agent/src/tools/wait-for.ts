import { Type } from 'typebox';
import { defineTool } from './tool.ts';

export const waitFor = defineTool({
  name: 'wait_for',
  description: 'Wait until a text is on the page, or for some seconds; ten at most.',
  parameters: Type.Object({
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
  }),
  run: ({ text, seconds }, { browser, signal }) =>
    browser.waitFor(text === undefined ? { seconds: seconds ?? 1 } : { text }, signal),
});
