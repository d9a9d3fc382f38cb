/** Serializes what a handler returned as JSON. */
import { badDefinition, type McpError, messageOf } from '../errors.ts';

/** Throws for values that JSON cannot express: a Map or NaN would become `{}` or `null`, and the mistake would go unnoticed. */
export function serializeReturned(value: unknown, what: string): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'null';
  } catch (cause) {
    throw badDefinition(what, `its return value cannot be written as JSON: ${messageOf(cause)}`);
  }
  if (text === 'null' && value !== null) throw lostError(what, value);
  const lost = text.includes('null') || text.includes('{}') ? findLost(value, '') : undefined;
  if (lost !== undefined) throw lostError(what, lost.value, lost.path);
  return text;
}

/** Finds a member that JSON loses: NaN becomes null, and a Map or a promise `{}`. Skips objects with `toJSON`, which define their own form. */
function findLost(value: unknown, path: string): { readonly value: unknown; readonly path: string } | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { value, path };
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return undefined;
  if (isOpaque(value)) return { value, path };
  for (const [key, member] of Object.entries(value)) {
    const lost = findLost(member, `${path}/${key}`);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

export const lostError = (what: string, value: unknown, path = ''): McpError =>
  badDefinition(
    what,
    `it returned ${typeTag(value)}${path && ` at ${path}`}, which JSON cannot express. Return text, an object or a list`,
  );

const typeTag = (value: unknown): unknown =>
  typeof value === 'number' ? value : Object.prototype.toString.call(value);

/** Whether JSON does not see the data of an object, as in a Map, a promise or a generator. An instance with own members is not opaque. */
const isOpaque = (value: object): boolean =>
  Object.keys(value).length === 0 &&
  !Array.isArray(value) &&
  ![Object.prototype, null].includes(Object.getPrototypeOf(value));
