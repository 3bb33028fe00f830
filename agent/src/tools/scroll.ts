import { Type } from 'typebox';
import { Ref } from './ref.ts';
import { defineTool } from './tool.ts';

export const scroll = defineTool({
  name: 'scroll',
  description: 'Scroll the page, or with ref the box around that control, by most of a screen.',
  parameters: Type.Object({
    direction: Type.Union([
      Type.Literal('up'),
      Type.Literal('down'),
      Type.Literal('left'),
      Type.Literal('right'),
      Type.Literal('top'),
      Type.Literal('bottom'),
    ]),
    ref: Type.Optional(Ref),
  }),
  run: ({ direction, ref }, { browser, signal }) => browser.scroll(direction, ref ?? null, signal),
});
