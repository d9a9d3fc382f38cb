/** A grant is a way to get a token: for a user who signs in, or for a machine. */
import type { HeldTokens, TokenSet } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import type { TokenRefusal } from './token-endpoint.ts';

export interface GrantRequest {
  readonly server: AuthorizationServer;
  /** The resource identifier of the MCP server. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  /** Aborted when no request waits for the token any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface Granted extends TokenSet {
  /** The client that the tokens were issued to, if it has an id. */
  readonly clientId?: string | undefined;
}

export interface Grant {
  /** Whether it works without a user: then tokens are replaced before they expire. */
  readonly unattended: boolean;
  /** The authorization server that the application chose, if it did. */
  readonly issuer?: string | undefined;
  obtain(wanted: GrantRequest): Promise<Granted>;
  /** Undefined if the client is not the one that the refresh token was issued to. */
  refresh?(server: AuthorizationServer, held: HeldTokens): Promise<Granted | TokenRefusal | undefined>;
}
