import { type TObject, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Tool } from '../tools/tool.ts';
import type { PlannedAction, Reply } from './step-record.ts';

/** The one tool that the model calls: thoughts in three short fields, then actions. */
export const STEP_TOOL = 'step';

/** Actions of one reply at most. */
export const MOST_ACTIONS = 8;

const Words = (description: string) => Type.String({ maxLength: 2_000, description });

/** JSON Schema of the input of the step tool. */
export function replySchema(tools: readonly Tool[]): TObject {
  const actions = tools.map((tool) =>
    Type.Object(
      { tool: Type.Literal(tool.name), ...tool.parameters.properties },
      { description: tool.description, additionalProperties: false },
    ),
  );
  return Type.Object({
    seen: Words('One sentence: what the page shows that matters for the task.'),
    plan: Words('One sentence: how the rest of the task will be done.'),
    next: Words('One sentence: what these actions do.'),
    actions: Type.Array(Type.Union(actions), {
      minItems: 1,
      maxItems: MOST_ACTIONS,
      description: 'Done in order; the rest is left out after the first that changes the page.',
    }),
  });
}

export type ParsedReply = { ok: true; reply: Reply } | { ok: false; problem: string };

/**
 * Reads a reply tolerantly: parallel calls are put together, quoted JSON is unquoted, missing thoughts are empty.
 * What cannot be repaired here comes back as a problem in words for the model.
 */
export function parseReply(toolInputs: readonly unknown[], text: string, tools: readonly Tool[]): ParsedReply {
  const inputs = toolInputs.length > 0 ? toolInputs.map(unquote) : [unquote(firstJson(text))];
  const objects = inputs.filter(isObject);
  const [first] = objects;
  if (!first) return { ok: false, problem: `Call the tool ${STEP_TOOL} with a JSON object.` };

  const actions: PlannedAction[] = [];
  for (const object of objects) {
    const listed = unquote(object['actions']);
    for (const value of Array.isArray(listed) ? listed : listed === undefined ? [] : [listed]) {
      const parsed = parseAction(unquote(value), tools);
      if (typeof parsed === 'string') return { ok: false, problem: parsed };
      actions.push(parsed);
    }
  }
  if (actions.length === 0) return { ok: false, problem: 'The field actions must hold at least one action.' };
  const thought = (name: string): string => (typeof first[name] === 'string' ? first[name].slice(0, 2_000) : '');
  return {
    ok: true,
    reply: {
      seen: thought('seen'),
      plan: thought('plan'),
      next: thought('next'),
      actions: actions.slice(0, MOST_ACTIONS),
    },
  };
}

function parseAction(value: unknown, tools: readonly Tool[]): PlannedAction | string {
  if (!isObject(value)) return 'Each action must be a JSON object such as {"tool": "click", "ref": "s1e2"}.';
  const { tool: name, ...parameters } = value;
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) {
    return `There is no tool ${JSON.stringify(name)}; the tools are ${tools.map((known) => known.name).join(', ')}.`;
  }
  const known = Object.fromEntries(
    // Null stands for absent in the replies of many models.
    Object.entries(parameters).filter(([key, part]) => key in tool.parameters.properties && part !== null),
  );
  const converted = Value.Convert(tool.parameters, known);
  const [error] = Value.Errors(tool.parameters, converted);
  if (error) return `Action ${tool.name}: ${error.instancePath.replace(/^\//, '') || 'parameters'} ${error.message}.`;
  return { tool: tool.name, parameters: converted as Record<string, unknown> };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that was sent as a JSON text. Anything else stays as it is. */
function unquote(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The outermost JSON object of a text, for models that write the call instead of making it. */
const firstJson = (text: string): string => text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1);
