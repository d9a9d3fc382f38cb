/** Serializes what a handler returned as JSON. */
import { badDefinition, type McpError, messageOf } from '../errors.ts';

/** Throws for values that JSON cannot express: a Map or NaN would become `{}` or `null`, and the mistake would go unnoticed. */
export function serializeReturned(value: unknown, what: string): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'null';
  } catch (cause) {
    throw badDefinition(what, `it returned what JSON cannot express: ${messageOf(cause)}`);
  }
  if ((text === 'null' && value !== null) || (text === '{}' && isOpaque(value as object))) throw lostError(what, value); // only objects serialize to {}
  const lost = text.includes('null') ? lostNumber(value) : undefined;
  if (lost !== undefined) throw lostError(what, lost);
  return text;
}

/** Finds a NaN or Infinity, which becomes null in JSON. Skips objects with `toJSON`, which define their own form. */
function lostNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : value;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return undefined;
  for (const member of Object.values(value)) {
    const lost = lostNumber(member);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

export const lostError = (what: string, value: unknown): McpError =>
  badDefinition(what, `it returned ${typeTag(value)}, which JSON cannot express. Return text, an object or a list`);

const typeTag = (value: unknown): unknown =>
  typeof value === 'number' ? value : Object.prototype.toString.call(value);

/** Whether JSON does not see the data of an object, as in a Map, a promise or a generator. An instance with own members is not opaque. */
const isOpaque = (value: object): boolean =>
  Object.keys(value).length === 0 && ![Object.prototype, null].includes(Object.getPrototypeOf(value));
