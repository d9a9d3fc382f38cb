/** Selects the scopes to request: those that the operation needs and those that were granted before (least privilege). */
import type { AuthorizationServer } from './authorization-server.ts';

/** The scope for refresh tokens. Requested only if the authorization server supports it, whatever the MCP server says. */
export const OFFLINE_ACCESS = 'offline_access';

export interface ScopeHints {
  /** Scopes that the application wants. */
  readonly wanted: readonly string[] | undefined;
  /** `scope` of the challenge: what the rejected request needs. */
  readonly challenged: readonly string[] | undefined;
  /** `scopes_supported` of the protected resource. */
  readonly supported: readonly string[] | undefined;
  /** Scopes that were requested or granted before. */
  readonly before: readonly string[];
}

/** Returns undefined if no scope is known. Then the parameter is left out, and the authorization server decides. */
export function selectScopes(hints: ScopeHints, server: AuthorizationServer): readonly string[] | undefined {
  const { wanted, challenged, supported, before } = hints;
  const offline = server.scopesSupported?.includes(OFFLINE_ACCESS) === true;
  const needed = [...(challenged ?? []), ...before];
  const base = needed.length > 0 ? needed : (wanted ?? supported ?? []);
  const asked = [...base.filter((scope) => scope !== OFFLINE_ACCESS || offline), ...(wanted ?? [])];
  if (asked.length === 0) return undefined;
  return [...new Set(offline ? [...asked, OFFLINE_ACCESS] : asked)];
}

export const scopeParam = (scopes: readonly string[] | undefined): Readonly<Record<string, string>> =>
  scopes === undefined ? {} : { scope: scopes.join(' ') };

export const parseScopes = (text: string | undefined): readonly string[] | undefined => {
  const scopes = text?.split(' ').filter((scope) => scope !== '') ?? [];
  return scopes.length === 0 ? undefined : [...new Set(scopes)];
};
