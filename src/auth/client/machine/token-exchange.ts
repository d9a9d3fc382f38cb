/** Token exchange (RFC 8693): a service that was called with a token gets one for the server that it calls on behalf of its caller. */
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
  /** Where tokens are exchanged. */
  readonly tokenEndpoint: string;
  /** This service, as it is registered there. */
  readonly client: RegisteredClient;
  /** Gets the current token of the caller. It is sent to the token endpoint alone. */
  readonly subjectToken: () => string | Promise<string>;
  /** Whom the token is for, where the authorization server goes by names. The URL of the server is its `resource` in any case. */
  readonly audience?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/** A token that is rejected sooner is not replaced: the next one would be rejected too. */
const NEW_MS = 60_000;

/** Authorizes a service that acts for its caller. */
export function tokenExchange(options: TokenExchangeOptions): ClientAuth {
  checkObject(options, 'tokenExchange(options)', 'an object with tokenEndpoint and client');
  const { tokenEndpoint, client } = options;
  if (!URL.canParse(tokenEndpoint))
    throw badDefinition('The "tokenEndpoint" of tokenExchange', 'it must be the URL of a token endpoint');
  const at = { server: serverAt(tokenEndpoint, client.issuer), client: toIdentity(client) };
  return clientAuth((endpoint) => {
    const context = createAuthContext(endpoint, options, new URL(tokenEndpoint));
    return exchangedToken(context, options, at);
  });
}

/** `at` is where tokens are exchanged, and by which client. */
function exchangedToken(
  context: AuthContext,
  { subjectToken, audience, scopes }: TokenExchangeOptions,
  at: Pick<TokenRequest, 'server' | 'client'>,
): HttpAuth {
  const { endpoint, clock } = context;
  let held: { readonly tokens: TokenSet; readonly at: number } | undefined;
  /** However many requests need a token, one exchange is under way. */
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
    const tokens = await requestToken(context, { ...at, params });
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
      // Another request had it renewed.
      if (fields()?.['authorization'] !== sent?.['authorization']) return true;
      if (held !== undefined && clock.now() - held.at < NEW_MS)
        throw context.failure('access token', 'the server rejects the token that was just issued for it');
      await exchange();
      return true;
    },
  };
}
