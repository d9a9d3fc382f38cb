/** Tells schemas from objects that only look like one: whatever is an object could pass for a JSON Schema that says nothing. */
import { isKeyword, isObject } from './keywords.ts';
import type { JsonObject, StandardSchema } from './standard.ts';

export function isStandard(schema: unknown): schema is StandardSchema {
  const standard = partOf(schema, '~standard');
  return isObject(standard) && typeof standard['validate'] === 'function';
}

/** What keeps an object from being meant as a JSON Schema. */
export function shapeFault(schema: JsonObject): string | undefined {
  const found = Object.entries(schema).find(([, member]) => vendorOf(member) !== undefined);
  if (found !== undefined) return `it is an object of schemas; wrap it: ${wrapped(vendorOf(found[1]), found[0])}`;
  const names = Object.keys(schema);
  if (names.length === 0 || names.some(isKeyword)) return undefined;
  const shown = names.slice(0, 3).join(', ').slice(0, 80);
  return `none of its members (${shown}) is a keyword of JSON Schema; put properties under "properties", or wrap them: ${wrapped(undefined, names[0])}`;
}

/** Whose schema it is; `undefined` where it is none. */
export function vendorOf(member: unknown): string | undefined {
  // What `z.toJSONSchema` makes is a JSON Schema, with the library's own checks hidden in it.
  const hidden = Object.getOwnPropertyDescriptor(Object(member), '~standard')?.enumerable === false;
  const isJson = hidden && Object.getPrototypeOf(member) === Object.prototype;
  if (isStandard(member) && !isJson) return member['~standard'].vendor;
  // Zod before 3.24 does not speak Standard Schema.
  return partOf(member, '_def') !== undefined && typeof partOf(member, 'safeParse') === 'function' ? 'zod' : undefined;
}

function wrapped(vendor: string | undefined, name = 'x'): string {
  const members = `{ ${/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)}: … }`;
  if (vendor === 'valibot') return `toStandardJsonSchema(v.object(${members}))`;
  return vendor === 'arktype' ? `type(${members})` : `z.object(${members})`;
}

/** A member of whatever it is: ArkType's schemas are functions. */
const partOf = (value: unknown, key: string): unknown =>
  isObject(value) || typeof value === 'function' ? (value as JsonObject)[key] : undefined; // both have members
