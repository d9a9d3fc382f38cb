/** The validator that compiles a schema to JavaScript, for wherever that is allowed. */
import type { ErrorObject } from 'ajv';
import { type Issue, pathOfPointer, type Validate } from '../issues.ts';
import type { JsonObject } from '../standard.ts';

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

/** Ours, to find the right branch of a union; the issue itself stands beside it. */
const isPlain = (error: ErrorObject): boolean => error.keyword !== 'if';

function issueOf({ instancePath, message = 'is not valid', params }: ErrorObject): Issue {
  const detail: unknown =
    params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['allowedValues'] ?? params['allowedValue'];
  return {
    path: pathOfPointer(instancePath),
    message: detail === undefined ? message : `${message}: ${JSON.stringify(detail).slice(0, 200)}`,
  };
}
