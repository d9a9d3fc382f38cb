/** Detects schemas that no value satisfies. Reports only what is certain. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ReadingBudget } from '../../schema/reading-budget.ts';
import { resolveLocalRef } from '../../schema/references.ts';

export interface Unfillable {
  readonly kind: 'contradiction' | 'endless';
  /** `lines[].sku`; empty for the root. */
  readonly path: string;
  readonly why: string;
}

const MAX_DEPTH = 40;

export const whyUnfillable = (schema: unknown, root: JsonObject): Unfillable | undefined =>
  findUnfillable(schema, { root, path: '', open: [], budget: new ReadingBudget() });

interface SearchPlace {
  readonly root: JsonObject;
  readonly path: string;
  /** `$ref`s on the path from the root, to detect required recursion. */
  readonly open: readonly string[];
  readonly budget: ReadingBudget;
}

function findUnfillable(schema: unknown, place: SearchPlace): Unfillable | undefined {
  const { path, open, budget } = place;
  if (schema === false) return { kind: 'contradiction', path, why: 'allows no value' };
  if (!isObject(schema) || open.length > MAX_DEPTH || !budget.take()) return undefined;
  const why = contradictionIn(schema);
  if (why !== undefined) return { kind: 'contradiction', path, why };
  return (
    inReference(schema, place) ?? inCombination(schema, place) ?? inMembers(schema, place) ?? inItems(schema, place)
  );
}

function inReference({ $ref }: JsonObject, place: SearchPlace): Unfillable | undefined {
  if (typeof $ref !== 'string') return undefined;
  const { root, path, open } = place;
  if (open.includes($ref)) return { kind: 'endless', path, why: `requires itself (${$ref})` };
  const schema = $ref === '#' ? root : resolveLocalRef(root, $ref);
  return findUnfillable(schema, { ...place, open: [...open, $ref] });
}

function inCombination({ allOf, anyOf, oneOf }: JsonObject, place: SearchPlace): Unfillable | undefined {
  const each = (list: unknown): readonly (Unfillable | undefined)[] =>
    Array.isArray(list) ? list.map((one) => findUnfillable(one, place)) : [];
  const all = each(allOf).find((one) => one !== undefined);
  if (all !== undefined) return all;
  for (const choices of [each(anyOf), each(oneOf)])
    if (choices.length > 0 && choices.every((one) => one !== undefined)) return choices[0];
  return undefined;
}

function inMembers(schema: JsonObject, place: SearchPlace): Unfillable | undefined {
  const { properties, required, additionalProperties } = schema;
  const known = isObject(properties) ? properties : {};
  const prefix = place.path === '' ? '' : `${place.path}.`;
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== 'string') continue;
    const path = `${prefix}${name}`;
    if (Object.hasOwn(known, name)) {
      const found = findUnfillable(known[name], { ...place, path });
      if (found !== undefined) return found;
    } else if (additionalProperties === false && schema['patternProperties'] === undefined)
      return { kind: 'contradiction', path, why: 'is required, but not allowed' };
  }
  return undefined;
}

function inItems({ items: inner, minItems }: JsonObject, place: SearchPlace): Unfillable | undefined {
  if (typeof minItems !== 'number' || minItems < 1) return undefined;
  return findUnfillable(inner, { ...place, path: `${place.path}[]` });
}

const limits = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function contradictionIn(schema: JsonObject): string | undefined {
  const { enum: choices, type, not } = schema;
  if (Array.isArray(choices) && choices.length === 0) return 'has an empty enum';
  if (not === true || (isObject(not) && Object.keys(not).length === 0)) return 'excludes every value (not)';
  for (const [least, most] of limits) {
    const [from, to] = [schema[least], schema[most]];
    if (typeof from === 'number' && typeof to === 'number' && from > to)
      return `has ${least} ${from} above ${most} ${to}`;
  }
  const values: readonly unknown[] = 'const' in schema ? [schema['const']] : Array.isArray(choices) ? choices : [];
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length > 0 && values.length > 0 && !values.some((value) => types.some((one) => isOfType(value, one))))
    return `has no value of type ${types.map(String).join(' or ')}`;
  return undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'object' ? isObject(value) : typeof value === type;
}
