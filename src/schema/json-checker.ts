/** Creates the checker of a plain JSON Schema that has been read. Computes its cost at once, and loads the validator with the first check. */
import { messageOf } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { type Costs, costsOf } from './cost.ts';
import { emitSchema } from './emit.ts';
import type { Checked, Checker, Issue, Validate } from './issues.ts';
import type { SchemaGraph } from './read.ts';
import { unsupportedSchema } from './schema-errors.ts';
import { canGenerate, compileSchema } from './validators.ts';
import { leastEvaluations } from './weigh.ts';

export interface JsonRules {
  /** The owner of the schema, for error texts. */
  readonly what: string;
  /** Code is generated up to this many subschemas; for more, generating it takes too long. */
  readonly maxGenerated: number;
  /** The limit `CostBounds.counts`. */
  readonly maxCounts: number;
  /** Called before each check. Throws if checking this value could take too long. */
  admit?(value: unknown, costs: Costs): void;
  validate(validate: Validate, value: unknown, costs: Costs): readonly Issue[] | undefined;
}

/** Throws if checking even the smallest value could take too long. */
export function jsonChecker(jsonSchema: JsonObject, { root, nodes }: SchemaGraph, rules: JsonRules): Checker {
  const { what, maxGenerated, maxCounts } = rules;
  const generate = canGenerate(nodes, maxGenerated);
  const costs = costsOf(root, what, { least: leastEvaluations(generate), counts: maxCounts });
  let validate: Validate | Promise<Validate> | undefined;
  const load = async (): Promise<Validate> => {
    try {
      validate = await compileSchema(emitSchema(root, costs.tags), generate);
      return validate;
    } catch (cause) {
      throw unsupportedSchema(what, messageOf(cause), cause);
    }
  };
  const run = (loaded: Validate, value: unknown): Checked => {
    const issues = rules.validate(loaded, value, costs);
    return issues === undefined ? { ok: true, value } : { ok: false, issues };
  };
  return {
    jsonSchema,
    check(value) {
      rules.admit?.(value, costs);
      validate ??= load();
      return validate instanceof Promise ? validate.then((loaded) => run(loaded, value)) : run(validate, value);
    },
  };
}

/** Turns an exception of the validator into an issue: the value is too deep for the stack, or is not JSON. */
export function catchAsIssue(validate: () => readonly Issue[] | undefined): readonly Issue[] | undefined {
  try {
    return validate();
  } catch (cause) {
    return [{ path: '', message: `cannot be checked: ${messageOf(cause)}` }];
  }
}
