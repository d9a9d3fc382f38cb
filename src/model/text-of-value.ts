/**
 * A value that a peer sent, as text to be shown: text as it is, everything else as JSON. `String` would call the `toString` that
 * the peer wrote into an object, and fails for copies without a prototype.
 */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
