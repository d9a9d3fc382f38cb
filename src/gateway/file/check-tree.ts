/** Validates the parsed file against its schema, and reports every mistake with its position. */
import type { JsoncMember, JsoncNode, JsoncObject, JsoncValue } from '../../files/jsonc.ts';
import { printable } from '../../model/printable.ts';
import { nearestNames } from '../../model/suggest.ts';
import type { FileFindings } from './file-finding.ts';
import type { FileSchema } from './file-schema.ts';

export interface TreeCheck {
  readonly findings: FileFindings;
  /** Nodes whose value came from a placeholder: true if it was resolved. Their values are never printed. */
  readonly filled: ReadonlyMap<JsoncNode, boolean>;
}

export function checkTree(check: TreeCheck, node: JsoncNode, schema: FileSchema, path: readonly string[] = []): void {
  // fillTree has reported the missing value, so there is nothing to check.
  if (check.filled.get(node) === false) return;
  if (schema.type === undefined && schema.enum === undefined && schema.anyOf === undefined) return;
  const fault = (at: Pick<JsoncNode, 'start'>, message: string): void => check.findings.error(at, path, message);
  const chosen = schema.anyOf === undefined ? schema : schema.anyOf.find((one) => isOfKind(node, one));
  if (chosen === undefined || !isOfKind(node, chosen))
    fault(node, `expected ${expectation(schema)}, not ${shown(check, node)}`);
  else if (node.kind === 'value') {
    const wrong = valueFault(node, chosen);
    if (wrong !== undefined) fault(node, `expected ${wrong}, not ${shown(check, node)}`);
  } else if (node.kind === 'array') {
    if (node.items.length < (chosen.minItems ?? 0)) fault(node, 'expected at least one item; the list is empty');
    for (const [at, item] of node.items.entries()) checkTree(check, item, chosen.items ?? {}, [...path, String(at)]);
  } else checkMembers(check, node, chosen, path);
}

function checkMembers(check: TreeCheck, node: JsoncObject, schema: FileSchema, path: readonly string[]): void {
  const { properties = {}, additionalProperties, propertyNames } = schema;
  const seen = new Set<string>();
  for (const member of node.members) {
    const at = [...path, member.key];
    if (seen.has(member.key)) check.findings.error(member, at, 'this member is repeated; remove one of them');
    seen.add(member.key);
    const known = Object.hasOwn(properties, member.key) ? properties[member.key] : additionalProperties;
    if (known === false || known === undefined) check.findings.error(member, at, unknownMember(member, properties));
    else {
      const named = propertyNames === undefined ? undefined : valueFault(keyNode(member), propertyNames);
      if (named !== undefined) check.findings.error(member, at, `expected ${named}, not ${quote(member.key)}`);
      checkTree(check, member.value, known, at);
    }
  }
  for (const name of schema.required ?? [])
    if (!seen.has(name)) check.findings.error(node, path, `the member "${name}" is missing; add it`);
  const few = seen.size < (schema.minProperties ?? 0);
  if (few || seen.size > (schema.maxProperties ?? Number.POSITIVE_INFINITY)) {
    const members = Object.keys(properties);
    const which = members.length === 0 ? 'one member' : `one of ${members.join(', ')}`;
    check.findings.error(node, path, `expected exactly ${which}, not ${few ? 'none' : [...seen].join(' and ')}`);
  }
}

const keyNode = ({ key, start, end }: JsoncMember): JsoncValue => ({ kind: 'value', value: key, start, end });

/** Names that other gateways and applications use, and ours. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['host', 'listen.address'],
  ['mcpServers', 'upstreams'],
  ['name', 'gateway.name'],
  ['port', 'listen.address'],
  ['servers', 'upstreams'],
]);

function unknownMember({ key }: JsoncMember, properties: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(properties);
  const other = otherNames.get(key);
  const near = names.some((name) => other?.split('.')[0] === name) ? other : nearestNames(key, names)[0];
  const advice = near === undefined ? `known are ${names.join(', ')}` : `did you mean "${near}"?`;
  return `unknown member ${quote(key)}; ${advice}`;
}

function isOfKind(node: JsoncNode, schema: FileSchema): boolean {
  if (node.kind !== 'value') return schema.type === node.kind;
  if (schema.type === undefined) return schema.enum?.includes(node.value as string | boolean) === true; // only compared
  // The type of null is "object" too.
  if (node.value === null) return false;
  return schema.type === 'integer' ? Number.isInteger(node.value) : typeof node.value === schema.type;
}

/** What was expected instead; undefined for a valid value. */
function valueFault({ value }: JsoncValue, schema: FileSchema): string | undefined {
  if (schema.enum !== undefined)
    return schema.enum.includes(String(value)) || value === false ? undefined : expectation(schema);
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(String(value))) return schema.title;
  const { minimum = 0 } = schema;
  return typeof value === 'number' && value < minimum ? `a whole number from ${minimum} on` : undefined;
}

const kinds = {
  string: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'members',
  array: 'a list',
};

function expectation({ type, title, enum: values, anyOf, properties = {} }: FileSchema): string {
  if (anyOf !== undefined) return anyOf.map(expectation).join(' or ');
  if (values !== undefined)
    return values
      .map((one) => String(one))
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1');
  const member = Object.keys(properties).find((name) => name !== '$schema');
  return title ?? (type === undefined ? 'a value' : member === undefined ? kinds[type] : `members such as "${member}"`);
}

function shown({ filled }: TreeCheck, node: JsoncNode): string {
  if (node.kind === 'array') return 'a list';
  if (node.kind === 'object') return 'an object';
  return filled.has(node) ? 'something else (named by a placeholder)' : quote(node.value);
}

const quote = (value: unknown): string => printable(JSON.stringify(value).slice(0, 80));
