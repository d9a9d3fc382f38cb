/** The two JSON Schema validators, Ajv and @cfworker/json-schema. Each is loaded when a schema that needs it is first used. */
import type { ErrorObject } from 'ajv';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { SchemaNode } from './graph.ts';
import { type Issue, pathOfPointer, type Validate } from './issues.ts';

/** Compiles a schema to JavaScript, for runtimes that allow code generation. */
export async function compileWithAjv(schema: JsonObject): Promise<Validate> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    strict: false,
    // `emitSchema` wrote the schema: it is valid, has no names, and its references must be shared, not inlined.
    validateSchema: false,
    meta: false,
    inlineRefs: false,
    ownProperties: true,
    validateFormats: false,
    // Without this, Ajv compares with parseInt(), which misreads quotients from 1e21 on.
    multipleOfPrecision: 6,
    logger: false,
  });
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? undefined : (validate.errors ?? []).filter(isPlain).map(issueOf));
}

/** Drops errors of `if`, which `emitSchema` adds to select the branch of a union: the error in the branch is reported too. */
const isPlain = (error: ErrorObject): boolean => error.keyword !== 'if';

function issueOf({ instancePath, message = 'is not valid', params }: ErrorObject): Issue {
  const detail: unknown =
    params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['allowedValues'] ?? params['allowedValue'];
  return {
    path: pathOfPointer(instancePath),
    message: detail === undefined ? message : `${message}: ${JSON.stringify(detail).slice(0, 200)}`,
  };
}

/** Keywords whose error only says that a subschema failed, which is reported too. */
const passingOn = /^(\$ref|properties|patternProperties|items|prefixItems|allOf|if|dependentSchemas|false)$/;

/** Interprets a schema, for runtimes that forbid code generation, such as edge workers. */
export async function compileWithInterpreter(schema: JsonObject): Promise<Validate> {
  const { Validator } = await import('@cfworker/json-schema');
  const validator = new Validator(schema, '2020-12');
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return undefined;
    const own = errors.filter(({ keyword }) => !passingOn.test(keyword));
    return (own.length > 0 ? own : errors).map(({ instanceLocation, error }) => ({
      path: pathOfPointer(decodeURI(instanceLocation)),
      // The error can quote a whole list of allowed values.
      message: error.slice(0, 300),
    }));
  };
}

export const compileSchema = (schema: JsonObject, generate: boolean): Promise<Validate> =>
  generate ? compileWithAjv(schema) : compileWithInterpreter(schema);

/** Whether to use Ajv: the runtime allows code generation, Ajv's code would be correct, and generating it does not take too long. */
export const canGenerate = (nodes: readonly SchemaNode[], max: number): boolean =>
  nodes.length <= max && !nodes.some(isWrongInAjv) && isCodeGenerationAllowed();

/** Schemas that Ajv gets wrong: it ignores what `contains` and a lone `if` evaluate, and divides fractions in binary. */
function isWrongInAjv({ asserts, ones }: SchemaNode): boolean {
  const fraction = !Number.isInteger(asserts.get('multipleOf') ?? 1);
  return fraction || ones.has('unevaluatedItems') || ones.has('unevaluatedProperties');
}

function isCodeGenerationAllowed(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}
