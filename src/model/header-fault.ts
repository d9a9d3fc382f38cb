/** `x-mcp-header` in the schema of a tool's input: which arguments are also sent as HTTP headers, so that proxies can route by them. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { HEADER_KEYWORD as KEYWORD } from './mirrored-headers.ts';

/** A field name of HTTP: RFC 9110, `token`. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: readonly unknown[] = ['string', 'boolean', 'integer'];

/** What is wrong with the headers that a schema asks for. */
export function headerFault(schema: JsonObject): string | undefined {
  const seen = new Set<string>();
  return faultIn(schema, [], seen) ?? strayIn(schema, true);
}

/** Along `properties` alone, each header is a token of its own on a value that has one spelling. */
function faultIn(schema: JsonObject, path: readonly string[], seen: Set<string>): string | undefined {
  for (const [name, property] of propertiesOf(schema)) {
    const fault = ownFault(property, [...path, name].join('.'), seen) ?? faultIn(property, [...path, name], seen);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function ownFault(property: JsonObject, at: string, seen: Set<string>): string | undefined {
  const header = property[KEYWORD];
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !token.test(header)) return `${KEYWORD} of "${at}" must be an HTTP field name`;
  if (!types.includes(property['type'])) return `${KEYWORD} of "${at}" needs the type string, boolean or integer`;
  if (seen.has(header.toLowerCase())) return `${KEYWORD} "${header}" is used twice`;
  seen.add(header.toLowerCase());
  return undefined;
}

/** Anywhere else a header would depend on which branch of the schema applies. */
function strayIn(value: unknown, reachable: boolean): string | undefined {
  if (Array.isArray(value)) return first(value.map((one) => strayIn(one, false)));
  if (!isObject(value)) return undefined;
  if (!reachable && value[KEYWORD] !== undefined) {
    return `${KEYWORD} "${String(value[KEYWORD])}" is only allowed on properties that are reached through "properties"`;
  }
  return first(
    Object.entries(value).map(([key, inner]) =>
      key === 'properties' && reachable && isObject(inner)
        ? first(Object.values(inner).map((one) => strayIn(one, true)))
        : strayIn(inner, false),
    ),
  );
}

const propertiesOf = (schema: JsonObject): [string, JsonObject][] =>
  Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).filter(
    (entry): entry is [string, JsonObject] => isObject(entry[1]),
  );

const first = (faults: readonly (string | undefined)[]): string | undefined => faults.find((one) => one !== undefined);
