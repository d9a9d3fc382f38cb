/** The two JSON Schema validators. Each is loaded when a schema that needs it is first used. */
import type { ErrorObject } from 'ajv';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { SchemaNode } from './graph.ts';
import { type Issue, pathOfPointer, type Validate } from './issues.ts';

/** Compiles a schema to JavaScript, where the runtime allows code generation. */
export async function compileWithAjv(schema: JsonObject): Promise<Validate> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({
    strict: false,
    // The schema has been read and rewritten: it is valid, has no names, and its references are to be shared, not copied.
    validateSchema: false,
    meta: false,
    inlineRefs: false,
    ownProperties: true,
    validateFormats: false,
    // Without it, quotients from 1e21 on are misread.
    multipleOfPrecision: 6,
    logger: false,
  });
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? undefined : (validate.errors ?? []).filter(isPlain).map(issueOf));
}

/** `if` is ours, to find the right branch of a union; the issue itself is reported too. */
const isPlain = (error: ErrorObject): boolean => error.keyword !== 'if';

function issueOf({ instancePath, message = 'is not valid', params }: ErrorObject): Issue {
  const detail: unknown =
    params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['allowedValues'] ?? params['allowedValue'];
  return {
    path: pathOfPointer(instancePath),
    message: detail === undefined ? message : `${message}: ${JSON.stringify(detail).slice(0, 200)}`,
  };
}

// For runtimes that forbid code generation, such as edge workers.

/** Keywords that only report that something inside is wrong; that is reported too. */
const passingOn = /^(\$ref|properties|patternProperties|items|prefixItems|allOf|if|dependentSchemas|false)$/;

export async function compileWithInterpreter(schema: JsonObject): Promise<Validate> {
  const { Validator } = await import('@cfworker/json-schema');
  const validator = new Validator(schema, '2020-12');
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return undefined;
    const own = errors.filter(({ keyword }) => !passingOn.test(keyword));
    return (own.length > 0 ? own : errors).map(({ instanceLocation, error }) => ({
      path: pathOfPointer(decodeURI(instanceLocation)),
      // It may quote whole lists of allowed values.
      message: error.slice(0, 300),
    }));
  };
}

export const compileSchema = (schema: JsonObject, generate: boolean): Promise<Validate> =>
  generate ? compileWithAjv(schema) : compileWithInterpreter(schema);

/** Whether code for a schema may be generated, would be right, and does not take too long to make. */
export const canGenerate = (nodes: readonly SchemaNode[], max: number): boolean =>
  nodes.length <= max && !nodes.some(isDelicate) && mayGenerateCode();

/** Ajv does not see what `contains` and a lone `if` evaluate, and divides fractions in binary. */
function isDelicate({ asserts, ones }: SchemaNode): boolean {
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
