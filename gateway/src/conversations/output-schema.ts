import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * What is wrong with a JSON Schema (draft 2020-12, any dialect of the SDKs), in words for whoever wrote it; null when
 * it can be used. Found here, before a browser is started and paid for.
 */
export function outputSchemaProblem(schema: unknown): string | null {
  if (schema === null || schema === undefined) return null;
  if (typeof schema !== 'object' || Array.isArray(schema)) return 'outputSchema must be a JSON Schema object.';
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  try {
    ajv.compile(schema);
    return null;
  } catch (error) {
    // Ajv calls the schema under test "data".
    const words = (error as Error).message.replace('schema is invalid: data', '').split(', ')[0];
    return `outputSchema is not a valid JSON Schema: ${words}`;
  }
}
