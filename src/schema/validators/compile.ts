/** One way to check a value, whichever validator serves. Both are loaded only when a schema is first used. */
import type { Issue } from '../issues.ts';
import type { JsonObject } from '../standard.ts';
import { compileWithAjv } from './ajv.ts';
import { compileWithInterpreter } from './interpreter.ts';

/** What is wrong with a value; `undefined` if nothing is. */
export type Validate = (value: unknown) => readonly Issue[] | undefined;

/** `large` says that the schema is not worth generating code for. */
export const compile = (schema: JsonObject, large: boolean): Promise<Validate> =>
  !large && mayGenerateCode() ? compileWithAjv(schema) : compileWithInterpreter(schema);

function mayGenerateCode(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}
