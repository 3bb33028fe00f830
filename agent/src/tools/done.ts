import { Type } from 'typebox';
import { defineTool } from './tool.ts';

export const done = defineTool({
  name: 'done',
  description:
    'End the run. success says whether the task is done, summary tells a person what came out, output is the answer (in the form of the output schema when there is one).',
  parameters: Type.Object({
    success: Type.Boolean(),
    summary: Type.String({ maxLength: 2_000 }),
    output: Type.Optional(Type.Unknown()),
  }),
  async run({ success, summary, output }, { finish }) {
    return finish({ success, summary, output: output ?? null });
  },
});
