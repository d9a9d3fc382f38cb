/** Token exchange (RFC 8693): a service exchanges the token of its caller for one that it can send to another server on the caller's behalf. */
import { badDefinition } from '../../../errors.ts';
import type { ClientAuth, HeaderFields, HttpAuth } from '../../../model/auth.ts';
import { checkObject } from '../../../model/check-argument.ts';
import type { AuthContext } from '../context/auth-context.ts';
import type { TokenSet } from '../credentials/token-store.ts';
import { serverAt } from '../discovery/authorization-server.ts';
import { scopeParam } from '../discovery/scopes.ts';
import {
  type ClientAuthOptions,
  clientAuth,
  createAuthContext,
  type RegisteredClient,
  toIdentity,
} from '../tokens/client-auth.ts';
import { isTokenRefusal, requestToken, type TokenRequest } from '../tokens/token-endpoint.ts';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** Settings of `tokenExchange`. */
export interface TokenExchangeOptions extends Omit<ClientAuthOptions, 'dpop'> {
  /** The token endpoint of the authorization server. */
  readonly tokenEndpoint: string;
  /** The client of this service, as registered with that authorization server. */
  readonly client: RegisteredClient;
  /** Gets the current token of the caller. The token is sent to the token endpoint only. */
  readonly subjectToken: () => string | Promise<string>;
  /** The logical name of the target server, for authorization servers that need one. `resource` is always the URL of the server. */
  readonly audience?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** How long a token counts as new. A new token that the server rejects is not replaced: the next one would be rejected too. */
const NEW_MS = 60_000;

/** Authorizes a service that acts on behalf of its caller. */
export function tokenExchange(options: TokenExchangeOptions): ClientAuth {
  checkObject(options, 'tokenExchange(options)', 'an object with tokenEndpoint and client');
  const { tokenEndpoint, client } = options;
  if (!URL.canParse(tokenEndpoint))
    throw badDefinition('The "tokenEndpoint" of tokenExchange', 'it must be the URL of a token endpoint');
  const issuer = { server: serverAt(tokenEndpoint, client.issuer), client: toIdentity(client) };
  return clientAuth((endpoint) => {
    const context = createAuthContext(endpoint, options, new URL(tokenEndpoint));
    return exchangedToken(context, options, issuer);
  });
}

/** The credentials for one endpoint. `issuer` is the authorization server and the client to exchange tokens with. */
function exchangedToken(
  context: AuthContext,
  { subjectToken, audience, scopes }: TokenExchangeOptions,
  issuer: Pick<TokenRequest, 'server' | 'client'>,
): HttpAuth {
  const { endpoint, clock } = context;
  let held: { readonly tokens: TokenSet; readonly at: number } | undefined;
  /** Concurrent requests share one exchange. */
  let exchanging: Promise<void> | undefined;
  const obtain = async (): Promise<void> => {
    const resource = new URL(endpoint);
    resource.hash = '';
    const params = {
      grant_type: TOKEN_EXCHANGE,
      subject_token: await subjectToken(),
      subject_token_type: ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
      resource: resource.href,
      ...(audience === undefined ? {} : { audience }),
      ...scopeParam(scopes),
    };
    const tokens = await requestToken(context, { ...issuer, params });
    if (isTokenRefusal(tokens)) throw context.failure('token exchange', tokens.why);
    held = { tokens, at: clock.now() };
  };
  const exchange = (): Promise<void> => {
    exchanging ??= obtain().finally(() => {
      exchanging = undefined;
    });
    return exchanging;
  };
  const fields = (): HeaderFields => held && { authorization: `Bearer ${held.tokens.accessToken}` };
  return {
    async headers({ url }) {
      if (url.origin !== endpoint.origin) return undefined;
      const { renewAt } = held?.tokens ?? {};
      const isDue = renewAt !== undefined && renewAt <= clock.wall();
      if (held === undefined || isDue) await exchange();
      return fields();
    },
    async onChallenge({ url, status, sent }) {
      if (status !== 401 || url.origin !== endpoint.origin) return false;
      // Another request has already renewed the token.
      if (fields()?.['authorization'] !== sent?.['authorization']) return true;
      if (held !== undefined && clock.now() - held.at < NEW_MS)
        throw context.failure('access token', 'the server rejects the token that was just issued for it');
      await exchange();
      return true;
    },
  };
}
