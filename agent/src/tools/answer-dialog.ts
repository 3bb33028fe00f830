import { Type } from 'typebox';
import { defineTool } from './tool.ts';

export const answerDialog = defineTool({
  name: 'answer_dialog',
  description: 'Answer the dialog that the page shows. text is for dialogs that ask for one.',
  parameters: Type.Object({ accept: Type.Boolean(), text: Type.Optional(Type.String({ maxLength: 2_000 })) }),
  run: ({ accept, text }, { browser, signal }) => browser.answerDialog(accept, text ?? null, signal),
});
