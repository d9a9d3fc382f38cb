/** Scopes: what a token lets its bearer do, as OAuth spells it (RFC 6749, section 3.3). */

/** What keeps scopes from being asked for, in a challenge or a document. */
export function scopesFault(scopes: readonly string[] | undefined): string | undefined {
  for (const scope of scopes ?? []) {
    const shown = JSON.stringify(scope).slice(0, 80);
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      return `a scope is printable ASCII without blanks, quotes and backslashes, not ${shown}`;
    // It is between a client and its authorization server: no resource needs it.
    if (scope === 'offline_access') return '"offline_access" is for clients to ask for; a server does not need it';
    if (scope.includes('*')) return `the scope ${shown} asks for more than anything needs; name what is needed`;
  }
  return undefined;
}

/** Those that are needed and not granted, in the order they are needed. */
export const lacking = (needed: readonly string[], granted: readonly string[]): readonly string[] =>
  needed.filter((scope) => !granted.includes(scope));

/** Each scope once, in the order of its first mention. */
export const together = (...lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())];
