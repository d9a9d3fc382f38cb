/** One way to check a value, whichever validator serves. Each is loaded only when a schema that needs it is first used. */
import type { Node } from '../graph.ts';
import type { Validate } from '../issues.ts';
import type { JsonObject } from '../standard.ts';
import { compileWithAjv } from './ajv.ts';
import { compileWithInterpreter } from './interpreter.ts';

export const compileSchema = (schema: JsonObject, generate: boolean): Promise<Validate> =>
  generate ? compileWithAjv(schema) : compileWithInterpreter(schema);

/** Whether code for a schema may be generated, would be right, and does not take too long to make. */
export const canGenerate = (nodes: readonly Node[], max: number): boolean =>
  nodes.length <= max && !nodes.some(isDelicate) && mayGenerateCode();

/** Ajv does not see what `contains` and a lone `if` evaluate, and divides fractions in binary. */
function isDelicate({ asserts, ones }: Node): boolean {
  const fraction = !Number.isInteger(asserts.get('multipleOf') ?? 1);
  return fraction || ones.has('unevaluatedItems') || ones.has('unevaluatedProperties');
}

function mayGenerateCode(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}
