/** Finds masked values in a message, and restores secrets in a message that the user edited. */
import type { JsonObject } from '../jsonrpc/message.ts';
import { MASK } from '../model/secrets.ts';

/** JSON Pointers to all masked strings, such as `/params/arguments/password`. */
export function maskPlaces(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'string') return value.includes(MASK) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => maskPlaces(one, `${path}/${escapeKey(key)}`));
}

/** The value at a JSON Pointer; undefined if absent. Reads own members only. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const key of path.split('/').slice(1))
    found = membersOf(found).get(key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return found;
}

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * `changed` is the user's edit of the masked `shown`: unchanged strings get their value from `original` back. Not in a list with another
 * number of items, where an item could get the secret of another one.
 */
export function restoreMasked(changed: JsonObject, shown: JsonObject, original: JsonObject): JsonObject {
  return restore(changed, shown, original) as JsonObject; // of the same shape
}

function restore(changed: unknown, shown: unknown, original: unknown): unknown {
  if (typeof changed === 'string') return changed === shown ? original : changed;
  if (typeof changed !== 'object' || changed === null) return changed;
  if (Array.isArray(changed) && Array.isArray(shown) && changed.length !== shown.length) return changed;
  const [before, whole] = [membersOf(shown), membersOf(original)];
  const entries = Object.entries(changed).map(([key, one]): [string, unknown] => [
    key,
    restore(one, before.get(key), whole.get(key)),
  ]);
  return Array.isArray(changed) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

const membersOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
