/** What to ask for: what the request needs, what was had before, and no more. */
import type { AuthorizationServer } from './authorization-server.ts';

/** Tokens that can be renewed; a matter between client and authorization server, in which the MCP server has no say. */
export const OFFLINE = 'offline_access';

export interface ScopeHints {
  /** What the application wants from the start. */
  readonly wanted: readonly string[] | undefined;
  /** `scope` of the challenge: what the current request needs, whatever else the server says. */
  readonly challenged: readonly string[] | undefined;
  /** `scopes_supported` of the protected resource. */
  readonly supported: readonly string[] | undefined;
  /** What was asked for and granted before. */
  readonly before: readonly string[];
}

/** Undefined: nothing is known, so the parameter is left out and the authorization server decides. */
export function selectScopes(hints: ScopeHints, server: AuthorizationServer): readonly string[] | undefined {
  const { wanted, challenged, supported, before } = hints;
  const offline = server.scopesSupported?.includes(OFFLINE) === true;
  const told = [...(challenged ?? []), ...before];
  const base = told.length > 0 ? told : (wanted ?? supported ?? []);
  const asked = [...base.filter((scope) => scope !== OFFLINE || offline), ...(wanted ?? [])];
  if (asked.length === 0) return undefined;
  return [...new Set(offline ? [...asked, OFFLINE] : asked)];
}

export const parseScopes = (text: string | undefined): readonly string[] | undefined => {
  const scopes = text?.split(' ').filter((scope) => scope !== '') ?? [];
  return scopes.length === 0 ? undefined : [...new Set(scopes)];
};
