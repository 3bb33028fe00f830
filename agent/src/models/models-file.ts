import { ModelsFile } from '@podwright/api/models';
import { Value } from 'typebox/value';

/** Parses the text of a models file. Throws an Error that names every problem. */
export function parseModelsFile(text: string): ModelsFile {
  const value = Value.Default(ModelsFile, JSON.parse(text));
  const problems = Value.Errors(ModelsFile, value).map((error) => `${error.instancePath || '/'}: ${error.message}`);
  if (problems.length > 0) throw new Error(`the models file is not valid: ${problems.join('; ')}`);
  return value as ModelsFile;
}
