/**
 * Converts a peer's value to text for display: text stays as it is, everything else becomes JSON. `String` would call a `toString` that
 * the peer put into an object, and fails for copies without a prototype.
 */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
