/** Estimates the memory of a JSON value, rather too high than too low. Infinity for a value that is not plain JSON. */

/** Bytes per character, as for text beyond Latin-1. */
const CHARACTER = 2;
const MEMBER = 16;
const OBJECT = 48;

export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return CHARACTER * value.length;
  if (typeof value === 'function') return Number.POSITIVE_INFINITY;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = OBJECT;
  if (Array.isArray(value)) {
    for (const item of value) bytes += MEMBER + jsonBytes(item);
    return bytes;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return Number.POSITIVE_INFINITY;
  for (const key in value) {
    const member = (value as Record<string, unknown>)[key]; // a key of it
    bytes +=
      MEMBER + CHARACTER * key.length + (typeof member === 'string' ? CHARACTER * member.length : jsonBytes(member));
  }
  return bytes;
}
