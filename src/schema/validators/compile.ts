/** One way to check a value, whichever validator serves. Both are loaded only when a schema is first used. */
import type { Validate } from '../issues.ts';
import type { JsonObject } from '../standard.ts';
import { compileWithAjv } from './ajv.ts';
import { compileWithInterpreter } from './interpreter.ts';

/** `generate` says that code for the schema would be worth making, and right. */
export const compile = (schema: JsonObject, generate: boolean): Promise<Validate> =>
  generate && mayGenerateCode() ? compileWithAjv(schema) : compileWithInterpreter(schema);

function mayGenerateCode(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}
