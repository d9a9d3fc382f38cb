/** One text for equal JSON values, whatever the order of their keys: for cache keys and bindings. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? sorted(inner) : inner,
  );
}

function sorted(value: object): object {
  // No prototype: a key named __proto__ is a key.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, one] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) copy[key] = one;
  return copy;
}
