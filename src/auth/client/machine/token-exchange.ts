/** Token exchange (RFC 8693): a service exchanges the token of its caller for one that it can send to another server on the caller's behalf. */
import { badDefinition } from '../../../errors.ts';
import type { ClientAuth } from '../../../model/auth.ts';
import { checkObject } from '../../../model/check-argument.ts';
import { serverAt } from '../discovery/authorization-server.ts';
import { scopeParam } from '../discovery/scopes.ts';
import {
  type ClientAuthOptions,
  clientAuth,
  createAuthContext,
  type RegisteredClient,
  toIdentity,
} from '../tokens/client-auth.ts';
import { endpointAuth } from '../tokens/endpoint-auth.ts';
import type { GrantedTokens, GrantRequest } from '../tokens/grant.ts';
import { isTokenRefusal, requestToken } from '../tokens/token-endpoint.ts';
import { Tokens } from '../tokens/tokens.ts';

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

/** Authorizes a service that acts on behalf of its caller. */
export function tokenExchange(options: TokenExchangeOptions): ClientAuth {
  checkObject(options, 'tokenExchange(options)', 'an object with tokenEndpoint and client');
  const { tokenEndpoint, audience, scopes, subjectToken } = options;
  if (!URL.canParse(tokenEndpoint))
    throw badDefinition('The "tokenEndpoint" of tokenExchange', 'it must be the URL of a token endpoint');
  const client = toIdentity(options.client);
  const server = serverAt(tokenEndpoint, client.issuer);
  return clientAuth((endpoint) => {
    const context = createAuthContext(endpoint, options, new URL(tokenEndpoint));
    const resource = new URL(endpoint);
    resource.hash = '';
    const target = { server, resource: resource.href, scopesSupported: undefined };
    const obtain = async (wanted: GrantRequest): Promise<GrantedTokens> => {
      const params = {
        grant_type: TOKEN_EXCHANGE,
        subject_token: await subjectToken(),
        subject_token_type: ACCESS_TOKEN,
        requested_token_type: ACCESS_TOKEN,
        resource: wanted.resource,
        ...(audience === undefined ? {} : { audience }),
        ...scopeParam(wanted.scopes),
      };
      const tokens = await requestToken(context, { server, client, params });
      if (isTokenRefusal(tokens)) throw context.failure('token exchange', tokens.why);
      return tokens;
    };
    const grant = { unattended: true, target, obtain };
    return endpointAuth(endpoint, new Tokens({ context, grant, scopes }), undefined);
  });
}
