/** Tool arguments that HTTP headers mirror, so that proxies can route by them: which arguments, in which headers. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { isHeaderName } from './header-fields.ts';

const HEADER_KEYWORD = 'x-mcp-header';
export const METHOD_HEADER = 'mcp-method';
export const NAME_HEADER = 'mcp-name';
export const PARAM_PREFIX = 'mcp-param-';

/** The parameter that the header `Mcp-Name` mirrors, by method. */
export const nameParams: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export interface MirroredHeader {
  /** The header name, in lower case. */
  readonly name: string;
  /** The path of the value in the arguments. */
  readonly path: readonly string[];
}

/** The headers that a tool's input schema declares. */
export const mirroredHeadersIn = (schema: JsonObject): readonly MirroredHeader[] =>
  reachableProperties(schema).flatMap(({ path, [HEADER_KEYWORD]: header }) =>
    typeof header === 'string' ? [{ name: PARAM_PREFIX + header.toLowerCase(), path }] : [],
  );

type ReachableProperty = JsonObject & { readonly path: readonly string[] };

/** Every property that is reached only through `properties`, outer ones first. */
function reachableProperties(schema: JsonObject, path: readonly string[] = []): readonly ReachableProperty[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isObject(property)) return [];
    const here = [...path, key];
    return [{ ...property, path: here }, ...reachableProperties(property, here)];
  });
}

const types: readonly unknown[] = ['string', 'boolean', 'integer'];

/** Why the headers that a schema declares are invalid. */
export function headerFault(schema: JsonObject): string | undefined {
  const seen = new Set<string>();
  return first(reachableProperties(schema).map((one) => ownFault(one, seen))) ?? misplacedHeaderIn(schema, true, false);
}

/** A header must be a unique HTTP header name, for a type whose values have only one text form. */
function ownFault({ path, type, [HEADER_KEYWORD]: header }: ReachableProperty, seen: Set<string>): string | undefined {
  const at = path.join('.');
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !isHeaderName(header))
    return `${HEADER_KEYWORD} of "${at}" must be an HTTP field name`;
  if (!types.includes(type)) return `${HEADER_KEYWORD} of "${at}" needs the type string, boolean or integer`;
  if (seen.has(header.toLowerCase())) return `${HEADER_KEYWORD} "${header}" is used twice`;
  seen.add(header.toLowerCase());
  return undefined;
}

/** Keywords that map the author's own names to schemas. */
const maps: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
/** Keywords with values, not schemas. */
const values: readonly string[] = ['const', 'default', 'enum', 'examples'];

/** Finds a declared header in any other place, where it would depend on which branch of the schema applies. */
function misplacedHeaderIn(value: unknown, isReachable = false, isProperty = isReachable): string | undefined {
  if (Array.isArray(value)) return first(value.map((one) => misplacedHeaderIn(one)));
  if (!isObject(value)) return undefined;
  const { [HEADER_KEYWORD]: header } = value;
  if (!isProperty && header !== undefined) {
    return `${HEADER_KEYWORD} ${JSON.stringify(header)} is only allowed on properties that are reached through "properties"`;
  }
  return first(
    Object.entries(value).map(([key, inner]) => {
      if (values.includes(key)) return undefined;
      if (!maps.includes(key) || !isObject(inner)) return misplacedHeaderIn(inner);
      return first(Object.values(inner).map((one) => misplacedHeaderIn(one, isReachable && key === 'properties')));
    }),
  );
}

const first = (faults: readonly (string | undefined)[]): string | undefined => faults.find((one) => one !== undefined);
