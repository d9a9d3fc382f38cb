/** Why no value fits a schema, where that is certain. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ReadingBudget } from '../../schema/reading-budget.ts';
import { referredIn } from '../../schema/references.ts';

export interface Unfillable {
  readonly kind: 'contradiction' | 'endless';
  /** As a parameter is typed; empty for the whole. */
  readonly path: string;
  readonly why: string;
}

const MAX_DEPTH = 40;

export const whyUnfillable = (schema: unknown, root: JsonObject): Unfillable | undefined =>
  look(schema, { root, path: '', open: [], budget: new ReadingBudget() });

interface LookPlace {
  readonly root: JsonObject;
  readonly path: string;
  /** References that have to be filled in before this one can be. */
  readonly open: readonly string[];
  readonly budget: ReadingBudget;
}

function look(schema: unknown, place: LookPlace): Unfillable | undefined {
  const { path, open, budget } = place;
  if (schema === false) return { kind: 'contradiction', path, why: 'no value is allowed' };
  if (!isObject(schema) || open.length > MAX_DEPTH || !budget.take()) return undefined;
  const why = ownContradiction(schema);
  if (why !== undefined) return { kind: 'contradiction', path, why };
  return referred(schema, place) ?? combined(schema, place) ?? members(schema, place) ?? items(schema, place);
}

function referred({ $ref }: JsonObject, place: LookPlace): Unfillable | undefined {
  if (typeof $ref !== 'string') return undefined;
  const { root, path, open } = place;
  if (open.includes($ref)) return { kind: 'endless', path, why: `requires itself (${$ref})` };
  const schema = $ref === '#' ? root : referredIn(root, $ref);
  return look(schema, { ...place, open: [...open, $ref] });
}

function combined({ allOf, anyOf, oneOf }: JsonObject, place: LookPlace): Unfillable | undefined {
  const each = (list: unknown): readonly (Unfillable | undefined)[] =>
    Array.isArray(list) ? list.map((one) => look(one, place)) : [];
  const all = each(allOf).find((one) => one !== undefined);
  if (all !== undefined) return all;
  for (const choices of [each(anyOf), each(oneOf)])
    if (choices.length > 0 && choices.every((one) => one !== undefined)) return choices[0];
  return undefined;
}

function members(schema: JsonObject, place: LookPlace): Unfillable | undefined {
  const { properties, required, additionalProperties } = schema;
  const known = isObject(properties) ? properties : {};
  const prefix = place.path === '' ? '' : `${place.path}.`;
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== 'string') continue;
    const path = `${prefix}${name}`;
    if (Object.hasOwn(known, name)) {
      const found = look(known[name], { ...place, path });
      if (found !== undefined) return found;
    } else if (additionalProperties === false && schema['patternProperties'] === undefined)
      return { kind: 'contradiction', path, why: 'is required, and not allowed' };
  }
  return undefined;
}

function items({ items: inner, minItems }: JsonObject, place: LookPlace): Unfillable | undefined {
  if (typeof minItems !== 'number' || minItems < 1) return undefined;
  return look(inner, { ...place, path: `${place.path}[]` });
}

const limits = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function ownContradiction(schema: JsonObject): string | undefined {
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
  if (types.length > 0 && values.length > 0 && !values.some((value) => types.some((one) => isOf(value, one))))
    return `has no value of type ${types.map(String).join(' or ')}`;
  return undefined;
}

function isOf(value: unknown, type: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'object' ? isObject(value) : typeof value === type;
}
