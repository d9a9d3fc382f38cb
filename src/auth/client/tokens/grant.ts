/** The interface of OAuth grants: obtain a token for a user who signs in, or for a machine. */
import type { HeldTokens, TokenSet } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type { TokenRefusal } from './token-endpoint.ts';

export interface GrantRequest {
  readonly server: AuthorizationServer;
  /** The resource identifier of the MCP server. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  /** Aborted when the last request that waits for the token is cancelled. */
  readonly signal?: AbortSignal | undefined;
}

export interface GrantedTokens extends TokenSet {
  /** The id of the client that the tokens were issued to, if any. */
  readonly clientId?: string | undefined;
}

export interface Grant {
  /** Whether the grant needs no user, so that tokens can be replaced before they expire. */
  readonly unattended: boolean;
  /** The authorization server that the application chose, if any. */
  readonly issuer?: string | undefined;
  /** Named by the application: a token is obtained before the first request, and only for scopes of the application. */
  readonly target?: Discovery | undefined;
  obtain(wanted: GrantRequest): Promise<GrantedTokens>;
  /** Returns undefined if the client that the refresh token was issued to is no longer known. */
  refresh?(server: AuthorizationServer, held: HeldTokens): Promise<GrantedTokens | TokenRefusal | undefined>;
}
