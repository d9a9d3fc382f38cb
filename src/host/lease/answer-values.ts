/** Whether an answer to a server says what was allowed, in whatever form a revision spells it. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';

/**
 * Revisions put the same answer in different forms, and leave out what they have no member for. So the values are compared: each must
 * have been allowed under its name, as often as it is sent, or be a default of the server's own form.
 */
export function saysOnly(answer: unknown, allowed: unknown, question: JsonObject): boolean {
  const left = leavesOf(allowed);
  const defaults = new Set(leavesOf(defaultsIn(question)));
  return leavesOf(answer).every((leaf) => {
    const at = left.indexOf(leaf);
    if (at !== -1) left.splice(at, 1);
    return at !== -1 || defaults.has(leaf);
  });
}

/** To decline says nothing else, so that it needs no permission. */
export const isDeclined = (answer: unknown): boolean =>
  isObject(answer) &&
  Object.keys(answer).length === 1 &&
  (answer['action'] === 'decline' || answer['action'] === 'cancel');

function defaultsIn(question: JsonObject): unknown {
  const schema = question['requestedSchema'];
  const fields = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return fields.map(([key, field]) => ({ [key]: isObject(field) ? field['default'] : undefined }));
}

/** Values with the names they stand under; in lists, under the name of the list. */
function leavesOf(value: unknown, name = ''): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, name));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => leavesOf(one, key));
  return [JSON.stringify([name, value])];
}
