import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ActionResult } from '../page/browser.ts';
import type { Answer } from '../tools/tool.ts';

/** Answers that did not fit, after which the run ends. */
export const MOST_INVALID_ANSWERS = 3;

export interface AnswerCheck {
  /** Takes an answer in, or says what does not fit. */
  submit: (answer: Answer) => ActionResult;
  accepted(): Answer | null;
  /** How many did not fit so far. */
  refused(): number;
}

/**
 * Checks answers against an output schema (draft 2020-12, `$defs` and local `$ref` included). Throws an Error in words
 * for the caller when the schema itself cannot be used, for example because it refers to another document.
 */
export function createAnswerCheck(schema: unknown): AnswerCheck {
  const validate = schema === null || schema === undefined ? null : compile(schema);
  let accepted: Answer | null = null;
  let refused = 0;

  return {
    submit(answer) {
      const output = plainOutput(answer, validate !== null);
      if (answer.success && validate && !validate(output)) {
        refused += 1;
        const defects = (validate.errors ?? [])
          .slice(0, 5)
          .map((error) => `${error.instancePath || '/'} ${error.message ?? 'is wrong'}`);
        const text = `The output does not match the output schema: ${defects.join('; ')}.`;
        return { ok: false, code: 'output_invalid', text, pageChanged: false };
      }
      accepted = { ...answer, output };
      return { ok: true, effect: 'read', text: 'The run ends with this answer.', pageChanged: true };
    },
    accepted: () => accepted,
    refused: () => refused,
  };
}

function compile(schema: unknown): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });
  try {
    return ajv.compile(schema as object);
  } catch (error) {
    throw new Error(`The output schema cannot be used: ${error instanceof Error ? error.message : 'unknown reason'}`, {
      cause: error,
    });
  }
}

/** Without a schema the answer is its words. A structured answer may arrive as JSON text. */
function plainOutput(answer: Answer, structured: boolean): unknown {
  if (!structured) return answer.output ?? (answer.success ? answer.summary : null);
  if (typeof answer.output !== 'string') return answer.output;
  try {
    return JSON.parse(answer.output) as unknown;
  } catch {
    return answer.output;
  }
}
