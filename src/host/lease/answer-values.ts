/** Checks that an answer to a server has only permitted values, independent of the revision's format. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';

/**
 * Revisions format the same answer differently, and drop members that they do not define. Therefore leaf values are compared: each must
 * be permitted under its name, as often as it is sent, or be a default of the server's own form.
 */
export function hasOnlyAllowedValues(answer: unknown, allowed: unknown, question: JsonObject): boolean {
  const left = leavesOf(allowed);
  const defaults = new Set(leavesOf(defaultsIn(question)));
  return leavesOf(answer).every((leaf) => {
    const at = left.indexOf(leaf);
    if (at !== -1) left.splice(at, 1);
    return at !== -1 || defaults.has(leaf);
  });
}

/** Declining or cancelling needs no permission, because it sends no other value. */
export const isDeclined = (answer: unknown): boolean =>
  isObject(answer) &&
  Object.keys(answer).length === 1 &&
  (answer['action'] === 'decline' || answer['action'] === 'cancel');

function defaultsIn(question: JsonObject): unknown {
  const schema = question['requestedSchema'];
  const fields = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return fields.map(([key, field]) => ({ [key]: isObject(field) ? field['default'] : undefined }));
}

/** Leaf values with their member names. Items of a list have the name of the list. */
function leavesOf(value: unknown, name = ''): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, name));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => leavesOf(one, key));
  return [JSON.stringify([name, value])];
}
