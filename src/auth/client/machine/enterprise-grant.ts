/**
 * Enterprise-managed authorization: the company's identity provider exchanges the employee's ID token for an assertion (ID-JAG),
 * which the MCP server's authorization server exchanges for an access token. No browser is involved.
 */
import type { AuthContext } from '../context/auth-context.ts';
import { toDocument } from '../context/metadata-document.ts';
import { type AuthorizationServer, findAuthorizationServer, serverAt } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import type { Grant, GrantRequest } from '../tokens/grant.ts';
import { postGrant, readRefusal } from '../tokens/token-endpoint.ts';
import { checkClientIssuer, JWT_BEARER, type MachineParts, requestMachineToken } from './machine-grants.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from './token-exchange.ts';

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
const STEP = 'identity assertion';

/** The company's identity provider, as its administrators configured it. */
export interface IdentityProvider {
  /** Requests its endpoints at the URL of the application, in a private network or not. */
  readonly context: AuthContext;
  readonly client: ClientIdentity;
  readonly issuer?: string | undefined;
  readonly tokenEndpoint?: string | undefined;
  /** The current ID token of the employee. */
  readonly idToken: () => Promise<string>;
  /** Set where a service has only the access token that the employee called it with. */
  readonly isAccessToken?: boolean | undefined;
}

export function enterpriseGrant(parts: MachineParts, idp: IdentityProvider): Grant {
  return {
    unattended: true,
    issuer: parts.issuer,
    async obtain(wanted) {
      const why = 'the authorization server does not accept any (authorization_grant_profiles_supported)';
      if (wanted.server.grantProfiles?.includes(PROFILE) === false) throw parts.context.failure(STEP, why);
      await checkClientIssuer(parts, wanted.server);
      const assertion = await exchangeIdToken(idp, wanted);
      return requestMachineToken(parts, wanted, { grant_type: JWT_BEARER, assertion });
    },
  };
}

/** The assertion is for this authorization server and this MCP server only. */
async function exchangeIdToken(
  idp: IdentityProvider,
  { server: { issuer: audience }, resource, scopes }: GrantRequest,
): Promise<string> {
  const { context, client, idToken, isAccessToken = false } = idp;
  const params = {
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: ID_JAG,
    audience,
    resource,
    subject_token: await idToken(),
    subject_token_type: isAccessToken ? ACCESS_TOKEN : ID_TOKEN,
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
  };
  const request = { server: await findProvider(idp), client, params };
  const response = await postGrant(context, request);
  if (response.status !== 200) throw context.failure(STEP, readRefusal(context, response, request).why);
  const document = toDocument(response.json);
  const assertion = document?.text('access_token');
  if (assertion === undefined || document?.text('issued_token_type') !== ID_JAG)
    throw context.failure(STEP, 'the identity provider did not return an ID-JAG ("issued_token_type")');
  context.traceAccepted(STEP, 'for this server, by the identity provider');
  return assertion;
}

const findProvider = async ({ context, issuer, tokenEndpoint }: IdentityProvider): Promise<AuthorizationServer> =>
  tokenEndpoint === undefined ? findAuthorizationServer(context, issuer ?? '') : serverAt(tokenEndpoint, issuer);
