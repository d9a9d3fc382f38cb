/** Which scopes to request: those that the request needs, those that were granted before, and no more. */
import type { AuthorizationServer } from './authorization-server.ts';

/** Asks for refresh tokens. Client and authorization server decide on it; the MCP server has no say. */
export const OFFLINE = 'offline_access';

export interface ScopeHints {
  /** Of the application. */
  readonly wanted: readonly string[] | undefined;
  /** `scope` of the challenge: what the current request needs. */
  readonly challenged: readonly string[] | undefined;
  /** `scopes_supported` of the protected resource. */
  readonly supported: readonly string[] | undefined;
  /** Requested or granted before. */
  readonly before: readonly string[];
}

/** Undefined if no scope is known: the parameter is left out, and the authorization server decides. */
export function selectScopes(hints: ScopeHints, server: AuthorizationServer): readonly string[] | undefined {
  const { wanted, challenged, supported, before } = hints;
  const offline = server.scopesSupported?.includes(OFFLINE) === true;
  const needed = [...(challenged ?? []), ...before];
  const base = needed.length > 0 ? needed : (wanted ?? supported ?? []);
  const asked = [...base.filter((scope) => scope !== OFFLINE || offline), ...(wanted ?? [])];
  if (asked.length === 0) return undefined;
  return [...new Set(offline ? [...asked, OFFLINE] : asked)];
}

export const scopeParam = (scopes: readonly string[] | undefined): Readonly<Record<string, string>> =>
  scopes === undefined ? {} : { scope: scopes.join(' ') };

export const parseScopes = (text: string | undefined): readonly string[] | undefined => {
  const scopes = text?.split(' ').filter((scope) => scope !== '') ?? [];
  return scopes.length === 0 ? undefined : [...new Set(scopes)];
};
