/** The ways to a token: a person who signs in, or a machine that proves itself. What they have in common is who asks for what. */

import type { HeldTokens, TokenSet } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import type { TokenRefusal } from './token-endpoint.ts';

export interface GrantRequest {
  readonly server: AuthorizationServer;
  /** The name of the MCP server, as authorization servers know it. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  /** Aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface Granted extends TokenSet {
  /** Whom they were issued to, where that is known. */
  readonly clientId?: string | undefined;
}

export interface Grant {
  /** Whether nobody has to be there: then tokens are got anew before they end. */
  readonly unattended: boolean;
  /** Which of the authorization servers to ask, where the application has a say. */
  readonly issuer?: string | undefined;
  obtain(wanted: GrantRequest): Promise<Granted>;
  /** Trades the refresh token in. Undefined if the client is not the one it was issued to. */
  refresh?(server: AuthorizationServer, held: HeldTokens): Promise<Granted | TokenRefusal | undefined>;
}
