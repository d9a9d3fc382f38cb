/** The validator that walks through a schema, for runtimes that forbid code generation. */
import { pathOfPointer, type Validate } from '../issues.ts';
import type { JsonObject } from '../standard.ts';

/** Keywords that only say that something inside is wrong; what it is stands beside them. */
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
