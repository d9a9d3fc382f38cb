/**
 * Enterprise-managed authorization, without a browser: the company's identity provider exchanges the employee's ID token for an
 * assertion (ID-JAG), and the MCP server's authorization server exchanges that for an access token.
 */
import { badDefinition } from '../../../errors.ts';
import type { ClientAuth } from '../../../model/auth.ts';
import { checkObject } from '../../../model/check-argument.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { toDocument } from '../context/metadata-document.ts';
import { findAuthorizationServer, serverAt } from '../discovery/authorization-server.ts';
import { scopeParam } from '../discovery/scopes.ts';
import { createAuthContext, type RegisteredClient, toIdentity } from '../tokens/client-auth.ts';
import { postGrant, readRefusal, type TokenRequest } from '../tokens/token-endpoint.ts';
import {
  checkClientIssuer,
  JWT_BEARER,
  type MachineOptions,
  machineAuth,
  requestMachineToken,
} from './machine-auth.ts';
import { ACCESS_TOKEN, TOKEN_EXCHANGE } from './token-exchange.ts';

const EXTENSION = 'io.modelcontextprotocol/enterprise-managed-authorization';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
const STEP = 'identity assertion';

/** Settings of `enterpriseManaged`. */
export interface EnterpriseManagedOptions extends MachineOptions {
  /** The company's identity provider: its token endpoint, or its issuer, whose metadata names the token endpoint. */
  readonly idp: {
    readonly issuer?: string | undefined;
    readonly tokenEndpoint?: string | undefined;
    /** The client that is registered with the identity provider. */
    readonly client: RegisteredClient;
  };
  /** Gets the current ID token of the employee. */
  readonly idToken: () => Promise<string>;
  /** `idToken` returns an access token instead, for a service that the employee called. The identity provider must accept access tokens. */
  readonly isAccessToken?: boolean | undefined;
  /** The client that is registered with the MCP server's authorization server. */
  readonly client: RegisteredClient;
}

/** Authorizes an employee through the identity provider of the company. */
export function enterpriseManaged(options: EnterpriseManagedOptions): ClientAuth {
  checkObject(options, 'enterpriseManaged(options)', 'an object with idp, idToken and client');
  const { idp, idToken, isAccessToken = false } = options;
  checkObject(idp, 'The "idp" of enterpriseManaged', 'an object with issuer and client');
  const { issuer, tokenEndpoint } = idp;
  const at = tokenEndpoint ?? issuer ?? '';
  if (!URL.canParse(at))
    throw badDefinition('The "idp" of enterpriseManaged', 'it needs the URL of its "tokenEndpoint" or its "issuer"');
  const client = toIdentity(idp.client);
  return machineAuth(
    options,
    (parts) => {
      // The application names this URL, so it is allowed in a private network too.
      const context = createAuthContext(parts.context.endpoint, options, new URL(at));
      return async (wanted) => {
        const why = 'the authorization server does not accept any (authorization_grant_profiles_supported)';
        if (wanted.server.grantProfiles?.includes(PROFILE) === false) throw parts.context.failure(STEP, why);
        await checkClientIssuer(parts, wanted.server);
        // Restricts the assertion to this authorization server and this MCP server.
        const params = {
          grant_type: TOKEN_EXCHANGE,
          requested_token_type: ID_JAG,
          audience: wanted.server.issuer,
          resource: wanted.resource,
          subject_token: await idToken(),
          subject_token_type: isAccessToken ? ACCESS_TOKEN : ID_TOKEN,
          ...scopeParam(wanted.scopes),
        };
        const server =
          tokenEndpoint === undefined ? await findAuthorizationServer(context, at) : serverAt(tokenEndpoint, issuer);
        const assertion = await requestAssertion(context, { server, client, params });
        return requestMachineToken(parts, wanted, { grant_type: JWT_BEARER, assertion });
      };
    },
    [EXTENSION],
  );
}

async function requestAssertion(context: AuthContext, request: TokenRequest): Promise<string> {
  const response = await postGrant(context, request);
  if (response.status !== 200) throw context.failure(STEP, readRefusal(context, response, request).why);
  const document = toDocument(response.json);
  const assertion = document?.text('access_token');
  if (assertion === undefined || document?.text('issued_token_type') !== ID_JAG)
    throw context.failure(STEP, 'the identity provider did not return an ID-JAG ("issued_token_type")');
  context.traceAccepted(STEP, 'for this server, by the identity provider');
  return assertion;
}
