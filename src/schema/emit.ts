/** Serializes a schema graph as minimal JSON Schema 2020-12 for the validators: generated names, local references, no annotations. */
import type { JsonObject } from '../jsonrpc/message.ts';
import { isDefinitions, type SchemaNode, subschemasOf, type Tag } from './graph.ts';

type JsonSchemaValue = JsonObject | boolean;

interface EmitContext {
  readonly tags: ReadonlyMap<readonly SchemaNode[], Tag>;
  /** The `$ref` of each schema that is emitted once, in `$defs`, and referenced wherever it applies. */
  readonly refs: ReadonlyMap<SchemaNode, JsonObject>;
  /** Schemas that accept more than their author wrote, because they or a subschema lack a keyword that was left out. */
  readonly weak: ReadonlySet<SchemaNode>;
}

/** `tags` has the discriminator of each union that has one, so that a validator enters at most one branch. */
export function emitSchema(root: SchemaNode, tags: ReadonlyMap<readonly SchemaNode[], Tag>): JsonObject {
  const before = new Map<SchemaNode, SchemaNode[]>([[root, []]]);
  const refs = new Map<SchemaNode, JsonObject>([[root, { $ref: '#' }]]);
  for (const [node] of before) {
    for (const next of subschemasOf(node)) {
      const others = before.get(next);
      if (others === undefined) before.set(next, [node]);
      else others.push(node);
      if ((others !== undefined || node.refs.includes(next)) && !refs.has(next)) {
        refs.set(next, { $ref: `#/$defs/${refs.size}` });
      }
    }
  }
  const weak = new Set([...before.keys()].filter((node) => node.weakened));
  for (const node of weak) for (const other of before.get(node) ?? []) weak.add(other);
  const writing: EmitContext = { tags, refs, weak };
  const $defs: [string, JsonSchemaValue][] = [...refs.keys()].map((node, i) => [String(i), emitNode(node, writing)]);
  return { ...Object.fromEntries(emitKeywords(root, writing)), $defs: Object.fromEntries($defs.slice(1)) };
}

const emitNode = (node: SchemaNode, writing: EmitContext): JsonSchemaValue =>
  node.always ?? Object.fromEntries(emitKeywords(node, writing));
const emitUse = (node: SchemaNode, writing: EmitContext): JsonSchemaValue =>
  writing.refs.get(node) ?? emitNode(node, writing);

/**
 * The keywords of one schema. If a subschema accepts too much, keywords that turn its acceptance into a rejection, such as `not`,
 * would reject valid values, so they are left out as well.
 */
function emitKeywords(node: SchemaNode, writing: EmitContext): Map<string, unknown> {
  const { weak } = writing;
  const isWeak = (keyword: string): boolean => weak.has(node.ones.get(keyword) ?? node) && node.ones.has(keyword);
  const body = new Map(node.asserts);
  if (isWeak('contains')) body.delete('maxContains');
  for (const [keyword, part] of node.ones) {
    if (keyword === 'not' && weak.has(part)) continue;
    if (/^(if|then|else)$/.test(keyword) && isWeak('if')) continue;
    if (keyword === 'unevaluatedProperties' && weak.has(node)) continue;
    body.set(keyword, emitUse(part, writing));
  }
  const [first, ...all] = node.refs.map((target) => emitUse(target, writing));
  if (typeof first === 'object') body.set('$ref', first['$ref']);
  for (const [keyword, branches] of node.lists) {
    const parts = branches.map((branch) => emitBranch(branch, writing.tags.get(branches), writing));
    if (keyword === 'allOf') all.push(...parts);
    else if (keyword === 'oneOf' && branches.some((branch) => weak.has(branch))) all.push({ anyOf: parts });
    else body.set(keyword, parts);
  }
  if (node.slow !== undefined && body.has('pattern')) {
    // The interpreter evaluates all keywords, so without `if` it would run the pattern on longer texts too.
    const [short, tried] = [{ maxLength: node.slow.longest }, { pattern: body.get('pattern') }];
    all.push(Object.fromEntries<JsonSchemaValue>([['if', short], ['then', tried]])); // biome-ignore format: one schema on one line
    body.delete('pattern');
  }
  if (all.length > 0) body.set('allOf', all);
  for (const [keyword, map] of node.maps) {
    if (isDefinitions(keyword)) continue;
    body.set(keyword, Object.fromEntries([...map].map(([name, part]) => [name, emitUse(part, writing)])));
  }
  return body;
}

/** A branch that a validator enters only if the tag matches. Otherwise the tag fails, as it would in the branch. */
function emitBranch(branch: SchemaNode, tag: Tag | undefined, writing: EmitContext): JsonSchemaValue {
  const values = tag?.values.get(branch);
  if (tag === undefined || values === undefined) return emitUse(branch, writing);
  const fits = { required: [tag.property], properties: Object.fromEntries([[tag.property, { enum: values }]]) };
  return Object.fromEntries([
    ['if', fits],
    ['then', emitUse(branch, writing)],
    ['else', fits],
  ]);
}
