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
export function mirroredHeadersIn(schema: JsonObject): readonly MirroredHeader[] {
  const headers: MirroredHeader[] = [];
  visitReachable(schema, ({ [HEADER_KEYWORD]: header }, path) => {
    if (typeof header === 'string') headers.push({ name: PARAM_PREFIX + header.toLowerCase(), path: [...path] });
  });
  return headers;
}

/** Visits every property that is reached only through `properties`, outer ones first. Copies no paths: a peer's schema can have many. */
function visitReachable(
  { properties }: JsonObject,
  visit: (property: JsonObject, path: readonly string[]) => void,
  path: string[] = [],
): void {
  for (const [key, property] of Object.entries(isObject(properties) ? properties : {})) {
    if (!isObject(property)) continue;
    path.push(key);
    visit(property, path);
    visitReachable(property, visit, path);
    path.pop();
  }
}

const types: readonly unknown[] = ['string', 'boolean', 'integer'];

/** Why the headers that a schema declares are invalid. */
export function headerFault(schema: JsonObject): string | undefined {
  const seen = new Set<string>();
  let fault: string | undefined;
  visitReachable(schema, (property, path) => {
    fault ??= ownFault(property, path, seen);
  });
  return fault ?? misplacedHeaderIn(schema, true, false);
}

/** A header must be a unique HTTP header name, for a type whose values have only one text form. */
function ownFault(
  { type, [HEADER_KEYWORD]: header }: JsonObject,
  path: readonly string[],
  seen: Set<string>,
): string | undefined {
  if (header === undefined) return undefined;
  const at = path.join('.');
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
