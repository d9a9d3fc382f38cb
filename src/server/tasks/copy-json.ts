/** Copies JSON values, in a third of the time of a JSON round trip (bench: `task-call`). */

/** A deep copy of a JSON value. Falls back to a JSON round trip for values that are not plain JSON. */
export function copyJson<T>(value: T): T {
  const copy = copyPlain(value);
  return (copy === NOT_PLAIN ? JSON.parse(JSON.stringify(value)) : copy) as T; // JSON in, the same out
}

const NOT_PLAIN: unique symbol = Symbol('not plain JSON');

function copyPlain(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : NOT_PLAIN;
  if (typeof value !== 'object') return NOT_PLAIN;
  if (Array.isArray(value)) return copyArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? copyObject(value) : NOT_PLAIN;
}

function copyArray(items: readonly unknown[]): unknown {
  // Not by push(): an array that grows reserves sixteen more elements, which every finished task would retain.
  const copy = [...items];
  for (let at = 0; at < copy.length; at++) {
    const one = copyPlain(copy[at]);
    if (one === NOT_PLAIN) return NOT_PLAIN;
    copy[at] = one;
  }
  return copy;
}

function copyObject(value: object): unknown {
  // A spread keeps the shape (hidden class), and keeps `__proto__` an ordinary key.
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === 'string') continue;
    const one = copyPlain(member);
    if (one === NOT_PLAIN) return NOT_PLAIN;
    if (one !== member) copy[key] = one;
  }
  return copy;
}
