/** Canonical JSON: equal values give the same text in any order of keys. For cache keys and bindings. */
import { toBase64Url } from './base64.ts';

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? sortKeys(inner) : inner,
  );
}

function sortKeys(value: object): object {
  // No prototype: `__proto__` must be an ordinary key (prototype pollution).
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, one] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) copy[key] = one;
  return copy;
}

/** SHA-256 of a text, as base64url. */
export const digestText = async (text: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
