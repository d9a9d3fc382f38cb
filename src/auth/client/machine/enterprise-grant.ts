/**
 * An employee whose company decides what may be used: its identity provider turns their sign-in into an assertion for the MCP
 * server's authorization server (ID-JAG, by token exchange), which gives a token for it. Nobody is sent to a browser.
 */

import type { AuthContext } from '../context/auth-context.ts';
import { toDocument } from '../context/metadata-document.ts';
import { type AuthorizationServer, findAuthorizationServer } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import type { Grant, Granted, GrantRequest } from '../tokens/grant.ts';
import { isTokenRefusal, postGrant, readRefusal } from '../tokens/token-endpoint.ts';
import { checkIssuer, type MachineParts, requestMachineToken } from './machine-token.ts';
import { JWT_BEARER } from './workload-grant.ts';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
const STEP = 'identity assertion';

/** The company's identity provider, as its administrators configured it. */
export interface IdentityProvider {
  /** Asks its endpoints; it is where the application says, in a private network or not. */
  readonly context: AuthContext;
  readonly client: ClientIdentity;
  readonly issuer?: string | undefined;
  readonly tokenEndpoint?: string | undefined;
  /** The employee's sign-in, as it is now. */
  readonly idToken: () => Promise<string>;
}

export class EnterpriseGrant implements Grant {
  readonly unattended = true;
  readonly issuer: string | undefined;
  readonly #parts: MachineParts;
  readonly #idp: IdentityProvider;

  constructor(parts: MachineParts, idp: IdentityProvider) {
    this.#parts = parts;
    this.issuer = parts.issuer;
    this.#idp = idp;
  }

  async obtain(wanted: GrantRequest): Promise<Granted> {
    const { grantProfiles } = wanted.server;
    if (grantProfiles?.includes(PROFILE) === false)
      throw this.#parts.context.failure(
        STEP,
        'the authorization server takes none (authorization_grant_profiles_supported)',
      );
    await checkIssuer(this.#parts, wanted.server);
    const assertion = await this.#assertion(wanted);
    const outcome = await requestMachineToken(this.#parts, wanted, { grant_type: JWT_BEARER, assertion });
    if (isTokenRefusal(outcome)) throw this.#parts.context.failure('token', outcome.why);
    return outcome;
  }

  /** For this authorization server and this MCP server, and for no other. */
  async #assertion({ server: { issuer: audience }, resource, scopes }: GrantRequest): Promise<string> {
    const { context, client, idToken } = this.#idp;
    const params = {
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: ID_JAG,
      audience,
      resource,
      subject_token: await idToken(),
      subject_token_type: ID_TOKEN,
      ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    };
    const request = { server: await this.#provider(), client, params };
    const answer = await postGrant(context, request);
    if (answer.status !== 200) throw context.failure(STEP, readRefusal(context, answer, request).why);
    const document = toDocument(answer.json);
    const assertion = document?.text('access_token');
    if (assertion === undefined || document?.text('issued_token_type') !== ID_JAG)
      throw context.failure(
        STEP,
        'the identity provider answered with something that is no ID-JAG ("issued_token_type")',
      );
    context.traceAccepted(STEP, 'for this server, by the identity provider');
    return assertion;
  }

  async #provider(): Promise<AuthorizationServer> {
    const { context, issuer, tokenEndpoint } = this.#idp;
    if (tokenEndpoint === undefined) return findAuthorizationServer(context, issuer ?? '');
    return { issuer: issuer ?? tokenEndpoint, tokenEndpoint, sendsIssuer: false, takesDocuments: false, guessed: true };
  }
}
