/** The checker behind every plain JSON Schema, once it has been read. */
import type { JsonObject } from '../jsonrpc/message.ts';
import { emitSchema } from './emit.ts';
import type { SchemaNode, Tag } from './graph.ts';
import { type Checked, type Checker, type Issue, messageOf, unsupported, type Validate } from './issues.ts';
import { compileSchema } from './validators.ts';

export interface JsonRules {
  /** Whose schema it is, for error texts. */
  readonly what: string;
  readonly generate: boolean;
  readonly tags: ReadonlyMap<readonly SchemaNode[], Tag>;
  /** Called before anything else; throws where the value is not to be looked at. */
  admit?(value: unknown): void;
  judge(validate: Validate, value: unknown): readonly Issue[] | undefined;
}

export function jsonChecker(jsonSchema: JsonObject, root: SchemaNode, rules: JsonRules): Checker {
  const { what, generate, tags, admit, judge } = rules;
  let validate: Validate | Promise<Validate> | undefined;
  const load = async (): Promise<Validate> => {
    try {
      validate = await compileSchema(emitSchema(root, tags), generate);
      return validate;
    } catch (cause) {
      throw unsupported(what, messageOf(cause), cause);
    }
  };
  const run = (loaded: Validate, value: unknown): Checked => {
    const issues = judge(loaded, value);
    return issues === undefined ? { ok: true, value } : { ok: false, issues };
  };
  return {
    jsonSchema,
    check(value) {
      admit?.(value);
      validate ??= load();
      return validate instanceof Promise ? validate.then((loaded) => run(loaded, value)) : run(validate, value);
    },
  };
}

/** A value too deep for the stack, or no JSON at all, is wrong as well. */
export function orIssue(validate: () => readonly Issue[] | undefined): readonly Issue[] | undefined {
  try {
    return validate();
  } catch (cause) {
    return [{ path: '', message: `cannot be checked: ${messageOf(cause)}` }];
  }
}
