/**
 * Parses JSON Schema into a graph: resolves dialects, names and references, and finds every mistake in the schema.
 */
import type { McpError } from '../errors.ts';
import { messageOf } from '../errors.ts';
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { emptyNode, isEndless, type SchemaNode, type SchemaPattern } from './graph.ts';
import {
  assertionKeywords,
  describingKeywords,
  dialectNamed,
  fromDraft07,
  namingKeywords,
  subschemaKeywords,
} from './keywords.ts';
import { HERE, resolveAddress, resolveReference, type SchemaNames } from './references.ts';
import { costlySchema, quoteValue, unsupportedSchema, unsupportedSchemaAt } from './schema-errors.ts';
import { vendorOf } from './standard.ts';

export interface SchemaContext {
  /** The owner of the schema, for error texts. */
  readonly what: string;
  /** Limits: the nesting depth, and the number of subschemas. */
  readonly depth: number;
  readonly subschemas: number;
  /** Set for a peer's schema: malformed annotations and regular expressions are tolerated. */
  readonly isForeign?: true;
}

export interface SchemaGraph {
  readonly root: SchemaNode;
  readonly nodes: readonly SchemaNode[];
  readonly patterns: readonly SchemaPattern[];
}

interface SchemaDocument extends SchemaContext {
  readonly dialect: string;
  readonly nodes: Map<JsonObject, SchemaNode>;
  readonly names: SchemaNames;
  /** How often each `$dynamicAnchor` occurs. */
  readonly dynamic: Map<string, number>;
  readonly pending: {
    readonly node: SchemaNode;
    readonly keyword: string;
    readonly ref: string;
    readonly place: SchemaPlace;
  }[];
  readonly patterns: SchemaPattern[];
}
/** The position of a subschema: its JSON Pointer, the base URI of its references, and its depth. */
interface SchemaPlace {
  readonly document: SchemaDocument;
  readonly at: string;
  readonly base: string;
  readonly depth: number;
}

/** Reads a schema into a graph, with the root as the first node. */
export function readSchema(schema: JsonObject, reading: SchemaContext): SchemaGraph {
  const dialect = dialectOf(schema, reading.what);
  const names: SchemaNames = new Map([[HERE, schema]]);
  const document: SchemaDocument = {
    ...reading,
    dialect,
    nodes: new Map(),
    names,
    dynamic: new Map(),
    pending: [],
    patterns: [],
  };
  const place = { document, at: '', base: HERE, depth: 1 };
  const root = readSubschema(schema, place);
  // `pending` can grow during this loop: a reference can lead to a schema under an unknown keyword, which has references of its own.
  for (const { node, keyword, ref, place } of document.pending) node.refs.push(followReference(keyword, ref, place));
  const nodes = [...document.nodes.values()];
  if (isEndless(nodes)) throw schemaFault(place, 'it refers to itself without going deeper into the value');
  return { root, nodes, patterns: document.patterns };
}

function dialectOf(schema: JsonObject, what: string): string {
  const dialect = dialectNamed(schema);
  if (dialect !== undefined) return dialect;
  const why = `its dialect is ${quoteValue(schema['$schema'])}; supported are JSON Schema 2020-12 and draft-07`;
  throw unsupportedSchema(what, why);
}

function readSubschema(value: unknown, place: SchemaPlace): SchemaNode {
  const { document, at, depth } = place;
  const known = isObject(value) ? document.nodes.get(value) : undefined;
  if (known !== undefined) return known;
  const vendor = vendorOf(value);
  if (vendor !== undefined) throw schemaFault(place, `a schema of ${vendor} cannot be a part of a JSON Schema`);
  if (typeof value !== 'boolean' && !isObject(value)) {
    throw schemaFault(place, `a schema is an object, true or false, not ${quoteValue(value)}`);
  }
  const node = emptyNode(typeof value === 'boolean' ? value : undefined);
  // `{}` is a new key for each boolean schema, so that these count towards the limit too.
  document.nodes.set(isObject(value) ? value : {}, node);
  if (document.nodes.size > document.subschemas) {
    throw costlySchema(document.what, `it has more than ${document.subschemas} subschemas`);
  }
  if (depth > document.depth)
    throw costlySchema(document.what, `it is nested deeper than ${document.depth} subschemas`);
  if (typeof value === 'boolean') return node;
  const schema = document.dialect === 'draft-07' ? fromDraft07(value) : value;
  const inner = { ...place, base: readNames(schema, value, place) };
  for (const [keyword, part] of Object.entries(schema)) {
    const here = { ...inner, at: `${at}/${keyword}` };
    if (keyword === '$ref' || keyword === '$dynamicRef') {
      document.pending.push({ node, keyword, ref: String(part), place: here });
    } else readKeyword(keyword, part, node, here);
  }
  collectPatterns(node, inner);
  return node;
}

/** Registers the `$id` and anchors of a schema. Returns the base URI for its subschemas. */
function readNames(schema: JsonObject, value: JsonObject, place: SchemaPlace): string {
  const { document } = place;
  for (const [keyword, [expected, test]] of namingKeywords) {
    if (schema[keyword] !== undefined && !test(schema[keyword]))
      throw schemaFault(place, `"${keyword}" must be ${expected}`);
  }
  const { $schema, $id, $anchor, $dynamicAnchor } = schema;
  if ($schema !== undefined && dialectOf(schema, document.what) !== document.dialect) {
    throw schemaFault(place, 'a part of a schema cannot be in another dialect');
  }
  const base = $id === undefined ? place.base : resolveAddress(String($id), place.base);
  if (base === undefined) throw schemaFault(place, `"$id" ${quoteValue($id)} is not a URI`);
  const given = $id === undefined ? [] : [base];
  for (const anchor of [$anchor, $dynamicAnchor]) if (anchor !== undefined) given.push(`${base}#${anchor}`);
  for (const name of given) {
    if ((document.names.get(name) ?? value) !== value)
      throw schemaFault(place, `the name ${quoteValue(name)} is given twice`);
    document.names.set(name, value);
  }
  if ($dynamicAnchor !== undefined) {
    const name = String($dynamicAnchor);
    document.dynamic.set(name, (document.dynamic.get(name) ?? 0) + 1);
  }
  return base;
}

function readKeyword(keyword: string, value: unknown, node: SchemaNode, place: SchemaPlace): void {
  const { document, depth } = place;
  const shape =
    assertionKeywords.get(keyword) ?? (document.isForeign === true ? undefined : describingKeywords.get(keyword));
  if (shape?.[1](value) === false) throw schemaFault(place, `must be ${shape[0]}, not ${quoteValue(value)}`);
  if (assertionKeywords.has(keyword)) node.asserts.set(keyword, value);
  const part = (schema: unknown, key: string | number): SchemaNode =>
    readSubschema(schema, { ...place, at: `${place.at}/${key}`, depth: depth + 1 });
  switch (subschemaKeywords.get(keyword)) {
    case 'one':
      if (keyword === 'items' && Array.isArray(value)) {
        throw schemaFault(place, 'is a list: write "prefixItems", or declare "$schema" as draft-07');
      }
      node.ones.set(keyword, readSubschema(value, { ...place, depth: depth + 1 }));
      break;
    case 'list':
      if (!Array.isArray(value) || value.length === 0)
        throw schemaFault(place, 'must be a list of at least one schema');
      node.lists.set(keyword, value.map(part));
      break;
    case 'map':
      if (!isObject(value)) throw schemaFault(place, 'must hold schemas by name');
      node.maps.set(keyword, new Map(Object.entries(value).map(([key, schema]) => [key, part(schema, key)])));
  }
  // Prototype pollution: validators skip or mishandle `__proto__`, and no legitimate property has this name.
  if (isObject(value) && Object.hasOwn(value, '__proto__') && /^(prop|pat|dep)/.test(keyword)) {
    throw schemaFault(place, 'a property cannot be called "__proto__"');
  }
}

/** Collects the patterns, whose cost is computed before the first check. An invalid pattern of an author throws at once. */
function collectPatterns(node: SchemaNode, place: SchemaPlace): void {
  const { document, at } = place;
  const own = node.asserts.get('pattern');
  const note = (pattern: string, ofNames: boolean): void => {
    if (document.isForeign !== true) checkPattern(pattern, place);
    document.patterns.push({ node, pattern, at, ofNames });
  };
  if (typeof own === 'string') note(own, false);
  for (const pattern of node.maps.get('patternProperties')?.keys() ?? []) note(pattern, true);
}

function checkPattern(pattern: string, place: SchemaPlace): void {
  try {
    new RegExp(pattern, 'u');
  } catch (cause) {
    throw schemaFault(place, `the pattern ${quoteValue(pattern)} cannot be used: ${messageOf(cause)}`);
  }
}

function followReference(keyword: string, ref: string, place: SchemaPlace): SchemaNode {
  const { document, base } = place;
  const found = resolveReference(ref, base, document.names);
  if (found === undefined) {
    const remote = /^[a-z][a-z0-9+.-]*:/i.test(ref)
      ? 'remote schemas are not fetched: put it under "$defs"'
      : 'correct it, or add that part';
    throw schemaFault(place, `${quoteValue(ref)} does not refer to a part of this schema; ${remote}`);
  }
  if (keyword === '$dynamicRef' && (document.dynamic.get(ref.split('#')[1] ?? '') ?? 0) > 1) {
    throw schemaFault(place, `${quoteValue(ref)} has several targets; give each "$dynamicAnchor" its own name`);
  }
  return readSubschema(found.schema, { ...place, base: found.base, depth: 1 });
}

const schemaFault = ({ document, at }: SchemaPlace, why: string): McpError =>
  unsupportedSchemaAt(document.what, at, why);
