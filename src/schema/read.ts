/**
 * Reads JSON Schema into a graph without dialects, names and references: what is asserted, what else applies to the same
 * value, and what applies to its parts. Whatever is wrong with a schema is found here.
 */
import { McpError } from '../errors.ts';
import { dialectNamed } from './dialect.ts';
import { emptyNode, isEndless, type Node } from './graph.ts';
import { messageOf } from './issues.ts';
import { assertions, describing, isObject, modernised, naming, places } from './keywords.ts';
import { costOfPattern, longestText, type PatternCost, stepsFor } from './linear.ts';
import { absolute, HERE, lookUp, type Names } from './references.ts';
import { vendorOf } from './shape.ts';
import type { JsonObject } from './standard.ts';

export interface Reading {
  /** Whose schema it is, for error texts. */
  readonly what: string;
  /** How many subschemas there may be inside each other, and in all. */
  readonly depth: number;
  readonly subschemas: number;
  /**
   * Given for what is not the author's own: the steps that a regular expression takes for each character, or `undefined` to
   * leave it out. Then descriptions need not be well-formed either.
   */
  readonly judge?: (pattern: string, at: string) => number | undefined;
}

interface Document extends Reading {
  readonly dialect: string;
  readonly nodes: Map<JsonObject, Node>;
  readonly names: Names;
  /** How often each `$dynamicAnchor` occurs. */
  readonly dynamic: Map<string, number>;
  readonly pending: { readonly node: Node; readonly keyword: string; readonly ref: string; readonly place: Place }[];
}
/** Where a subschema stands: its JSON Pointer, the address its references start from, how deep it is. */
interface Place {
  readonly document: Document;
  readonly at: string;
  readonly base: string;
  readonly depth: number;
}

/** What looking into one expression of the author's own can cost. */
const MAX_EFFORT = 1_000_000;
/** Steps for each character. */
const MAX_STEPS = 1_000;
/** Steps of an expression that is not linear on one text: about a hundredth of a second. */
const MAX_SLOW_STEPS = 3_200_000;
/** So many cost about as much as evaluating one subschema. */
const STEPS_PER_EVALUATION = 64;
/** The longest text for such an expression where the author does not say, and what it must be good for at least. */
const DEFAULT_LONGEST = 256;
const LEAST_LONGEST = 32;

/** The graph of a schema, its root first. */
export function readSchema(
  schema: JsonObject,
  reading: Reading,
): { readonly root: Node; readonly nodes: readonly Node[] } {
  const dialect = dialectOf(schema, reading.what);
  const names: Names = new Map([[HERE, schema]]);
  const document: Document = { ...reading, dialect, nodes: new Map(), names, dynamic: new Map(), pending: [] };
  const place = { document, at: '', base: HERE, depth: 1 };
  const root = visit(schema, place);
  // The list may grow on the way: a reference can lead to a schema under a keyword that nobody knows.
  for (const { node, keyword, ref, place } of document.pending) node.refs.push(follow(keyword, ref, place));
  const nodes = [...document.nodes.values()];
  if (isEndless(nodes))
    throw wrong(place, 'it refers to itself without going deeper into the value, so a check would never end');
  return { root, nodes };
}

function dialectOf(schema: JsonObject, what: string): string {
  const dialect = dialectNamed(schema);
  if (dialect !== undefined) return dialect;
  const why = `its dialect is ${quote(schema['$schema'])}; supported are JSON Schema 2020-12 and draft-07`;
  throw new McpError('MCP_SCHEMA_UNSUPPORTED', { what, why });
}

function visit(value: unknown, place: Place): Node {
  const { document, at, depth } = place;
  const known = isObject(value) ? document.nodes.get(value) : undefined;
  if (known !== undefined) return known;
  const vendor = vendorOf(value);
  if (vendor !== undefined) throw wrong(place, `a schema of ${vendor} cannot be a part of a JSON Schema`);
  if (typeof value !== 'boolean' && !isObject(value)) {
    throw wrong(place, `a schema is an object, true or false, not ${quote(value)}`);
  }
  const node = emptyNode(typeof value === 'boolean' ? value : undefined);
  // Booleans are counted too: each gets a key of its own.
  document.nodes.set(isObject(value) ? value : {}, node);
  if (document.nodes.size > document.subschemas) {
    throw tooCostly(document.what, `it has more than ${document.subschemas} subschemas`);
  }
  if (depth > document.depth) throw tooCostly(document.what, `it is nested deeper than ${document.depth} subschemas`);
  if (typeof value === 'boolean') return node;
  const schema = document.dialect === 'draft-07' ? modernised(value) : value;
  const inner = { ...place, base: nameIt(schema, value, place) };
  for (const [keyword, part] of Object.entries(schema)) {
    const here = { ...inner, at: `${at}/${keyword}` };
    if (keyword === '$ref' || keyword === '$dynamicRef') {
      document.pending.push({ node, keyword, ref: String(part), place: here });
    } else readKeyword(keyword, part, { node, place: here });
  }
  readPatterns(node, inner);
  return node;
}

/** Notes the names that the schema gives itself; returns the address that holds inside it. */
function nameIt(schema: JsonObject, value: JsonObject, place: Place): string {
  const { document } = place;
  for (const [keyword, [expected, test]] of naming) {
    if (schema[keyword] !== undefined && !test(schema[keyword])) throw wrong(place, `"${keyword}" must be ${expected}`);
  }
  const { $schema, $id, $anchor, $dynamicAnchor } = schema;
  if ($schema !== undefined && dialectOf(schema, document.what) !== document.dialect) {
    throw wrong(place, 'a part of a schema cannot be in another dialect');
  }
  const base = $id === undefined ? place.base : absolute(String($id), place.base);
  if (base === undefined) throw wrong(place, `"$id" ${quote($id)} is not an address`);
  const given = $id === undefined ? [] : [base];
  for (const anchor of [$anchor, $dynamicAnchor]) if (anchor !== undefined) given.push(`${base}#${anchor}`);
  for (const name of given) {
    if ((document.names.get(name) ?? value) !== value) throw wrong(place, `the name ${quote(name)} is given twice`);
    document.names.set(name, value);
  }
  if ($dynamicAnchor !== undefined) {
    const name = String($dynamicAnchor);
    document.dynamic.set(name, (document.dynamic.get(name) ?? 0) + 1);
  }
  return base;
}

function readKeyword(keyword: string, value: unknown, { node, place }: { node: Node; place: Place }): void {
  const { document, depth } = place;
  const shape = assertions.get(keyword) ?? (document.judge === undefined ? describing.get(keyword) : undefined);
  if (shape?.[1](value) === false) throw wrong(place, `must be ${shape[0]}, not ${quote(value)}`);
  if (assertions.has(keyword)) node.asserts.set(keyword, value);
  const part = (schema: unknown, key: string | number): Node =>
    visit(schema, { ...place, at: `${place.at}/${key}`, depth: depth + 1 });
  switch (places.get(keyword)) {
    case 'one':
      if (keyword === 'items' && Array.isArray(value)) {
        throw wrong(place, 'is a list: write "prefixItems", or declare "$schema" as draft-07');
      }
      node.ones.set(keyword, visit(value, { ...place, depth: depth + 1 }));
      break;
    case 'list':
      if (!Array.isArray(value) || value.length === 0) throw wrong(place, 'must be a list of at least one schema');
      node.lists.set(keyword, value.map(part));
      break;
    case 'map':
      if (!isObject(value)) throw wrong(place, 'must hold schemas by name');
      node.maps.set(keyword, new Map(Object.entries(value).map(([key, schema]) => [key, part(schema, key)])));
  }
  // Validators skip this name, or worse; nothing honest is called so.
  if (isObject(value) && Object.hasOwn(value, '__proto__') && /^(prop|pat|dep)/.test(keyword)) {
    throw wrong(place, 'a property cannot be called "__proto__"');
  }
}

/** Leaves out what could take too long; the schema then accepts a little more. */
function readPatterns(node: Node, place: Place): void {
  const pattern = node.asserts.get('pattern');
  if (typeof pattern === 'string') {
    const { judge } = place.document;
    const steps = judge === undefined ? ownSteps(pattern, node, place) : judge(pattern, place.at);
    node.steps = steps ?? 0;
    if (steps === undefined) node.weakened = node.asserts.delete('pattern');
  }
  const named = [...(node.maps.get('patternProperties') ?? [])];
  const kept = named.filter(([expression]) => {
    const steps = costOf(expression, place);
    node.nameSteps += steps ?? 0;
    return steps !== undefined;
  });
  if (kept.length === named.length) return;
  // Any property may be one of those that were described there; none of them is additional any more.
  node.weakened = true;
  node.maps.set('patternProperties', new Map(kept));
  node.ones.delete('additionalProperties');
}

/** Steps per character, or `undefined` where the expression has to be left out. */
function costOf(pattern: string, place: Place): number | undefined {
  const { judge } = place.document;
  if (judge !== undefined) return judge(pattern, `${place.at}/patternProperties`);
  const { steps, degree } = ownCost(pattern, place);
  if (degree === 1 && steps <= MAX_STEPS) return steps;
  throw wrong(place, `the pattern ${quote(pattern)} can take too long on long names: begin it with ^`);
}

/** The author's own expression. One that is not linear is tried on texts of bounded length only. */
function ownSteps(pattern: string, node: Node, place: Place): number {
  const cost = ownCost(pattern, place);
  if (cost.degree === 1 && cost.steps <= MAX_STEPS) return cost.steps;
  const possible = longestText(cost, MAX_SLOW_STEPS);
  const own = Number(node.asserts.get('maxLength') ?? Math.min(possible, DEFAULT_LONGEST));
  if (own > possible || possible < LEAST_LONGEST) {
    const why = `the pattern ${quote(pattern)} can take too long on long texts: beside it, write a "maxLength" of at most ${possible}`;
    throw wrong(place, possible < LEAST_LONGEST ? unbounded(pattern) : why);
  }
  node.asserts.set('maxLength', own);
  node.slow = { longest: own, evaluations: stepsFor(cost, own) / STEPS_PER_EVALUATION };
  return 0;
}

function ownCost(pattern: string, place: Place): PatternCost {
  try {
    new RegExp(pattern, 'u');
  } catch (cause) {
    throw wrong(place, `the pattern ${quote(pattern)} cannot be used: ${messageOf(cause)}`);
  }
  const cost = costOfPattern(pattern, { left: MAX_EFFORT }, { flags: 'u', lookaround: true });
  if (cost === undefined) throw wrong(place, unbounded(pattern));
  return cost;
}

const unbounded = (pattern: string): string =>
  `the pattern ${quote(pattern)} can take too long: repeat nothing that can be read in two ways, as in (a+)+, and use no backreference and no lookbehind, or check it in your own code`;

function follow(keyword: string, ref: string, place: Place): Node {
  const { document, base } = place;
  const found = lookUp(ref, base, document.names);
  if (found === undefined) {
    const remote = /^[a-z][a-z0-9+.-]*:/i.test(ref)
      ? 'nothing is ever fetched: put it under "$defs"'
      : 'it is not there';
    throw wrong(place, `${quote(ref)} leads to no part of this schema, and ${remote}`);
  }
  if (keyword === '$dynamicRef' && (document.dynamic.get(ref.split('#')[1] ?? '') ?? 0) > 1) {
    throw wrong(place, `${quote(ref)} has several targets; give each "$dynamicAnchor" its own name`);
  }
  return visit(found.schema, { ...place, base: found.base, depth: 1 });
}

export const tooCostly = (what: string, why: string): McpError => new McpError('MCP_SCHEMA_TOO_COSTLY', { what, why });

function wrong({ document, at }: Place, why: string): McpError {
  const where = at.slice(0, 200).replace(/\p{Cc}/gu, ' ');
  return new McpError('MCP_SCHEMA_UNSUPPORTED', { what: document.what, why: at === '' ? why : `at #${where}: ${why}` });
}

/** A foreign value in an error text: short, and on one line. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
