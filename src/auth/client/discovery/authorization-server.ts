/** Fetches the metadata of an authorization server: RFC 8414, OpenID Connect Discovery, or the default endpoints of the first revision with authorization. */
import { issuerMetadataUrls } from '../../web/well-known.ts';
import { type AuthContext, quoteText } from '../context/auth-context.ts';
import { type MetadataDocument, toDocument } from '../context/metadata-document.ts';

const STEP = 'authorization server metadata';

export interface AuthorizationServer {
  /** The issuer, byte for byte as in the metadata. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly authorizationEndpoint?: string | undefined;
  readonly registrationEndpoint?: string | undefined;
  /** The token revocation endpoint (RFC 7009). */
  readonly revocationEndpoint?: string | undefined;
  readonly scopesSupported?: readonly string[] | undefined;
  /** Supported client authentication methods; undefined if the metadata lists none. */
  readonly authMethods?: readonly string[] | undefined;
  /** Accepted algorithms of client assertions. */
  readonly signingAlgorithms?: readonly string[] | undefined;
  /** Accepted algorithms of DPoP proofs; undefined without DPoP. */
  readonly proofAlgorithms?: readonly string[] | undefined;
  /** Supported PKCE methods; undefined without PKCE. */
  readonly challengeMethods?: readonly string[] | undefined;
  /** Supported grant profiles; undefined if the metadata lists none. */
  readonly grantProfiles?: readonly string[] | undefined;
  /** Authorization responses contain `iss` (RFC 9207). */
  readonly sendsIssuer: boolean;
  /** The server accepts the URL of a metadata document as a client id. */
  readonly acceptsMetadataUrl: boolean;
  /** No metadata was read: the endpoints are the defaults of the first revision with authorization, or the application named them. */
  readonly lacksMetadata: boolean;
}

export async function findAuthorizationServer(context: AuthContext, issuer: string): Promise<AuthorizationServer> {
  checkIssuer(context, issuer);
  const document = await fetchMetadata(context, issuer);
  if (document !== undefined) return readMetadata(context, document, issuer);
  throw context.failure(STEP, `${quoteText(issuer)} publishes none at its well-known URLs`);
}

/** Fetches the metadata of the authorization server that issued stored tokens. */
export const issuingServer = (context: AuthContext, issuer: string): Promise<AuthorizationServer> =>
  issuer === context.endpoint.origin
    ? ownAuthorizationServer(context, undefined)
    : findAuthorizationServer(context, issuer);

/** The authorization server of an MCP server without protected resource metadata: its own origin. */
export async function ownAuthorizationServer(
  context: AuthContext,
  revision: string | undefined,
): Promise<AuthorizationServer> {
  const { origin } = context.endpoint;
  const document = await fetchMetadata(context, origin, revision);
  if (document !== undefined) return readMetadata(context, document, origin);
  const guess = 'its endpoints are taken to be /authorize, /token and /register';
  context.traceChoice(STEP, `there is none at ${origin}; ${guess}`);
  const server = serverAt(`${origin}/token`, origin);
  return { ...server, authorizationEndpoint: `${origin}/authorize`, registrationEndpoint: `${origin}/register` };
}

/** An authorization server that the application names by its token endpoint, so that no metadata is fetched. */
export function serverAt(tokenEndpoint: string, issuer: string = tokenEndpoint): AuthorizationServer {
  return { issuer, tokenEndpoint, sendsIssuer: false, acceptsMetadataUrl: false, lacksMetadata: true };
}

function checkIssuer(context: AuthContext, issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && !/[?#]/.test(issuer)) return;
  throw context.failure(STEP, `${quoteText(issuer)} is not an issuer: it must be a URL without query and fragment`);
}

async function fetchMetadata(
  context: AuthContext,
  issuer: string,
  revision?: string,
): Promise<MetadataDocument | undefined> {
  let trouble = 0;
  for (const url of issuerMetadataUrls(issuer)) {
    const { status, json } = await context.get(STEP, url, revision);
    const document = status === 200 ? toDocument(json) : undefined;
    if (document !== undefined) return document;
    if (status >= 500) trouble = status;
  }
  // A 5xx does not mean "no metadata": falling back to default endpoints would allow a downgrade.
  if (trouble > 0)
    throw context.failure(STEP, `${new URL(issuer).origin} answered with status ${trouble}; try again later`);
  return undefined;
}

function readMetadata(context: AuthContext, document: MetadataDocument, issuer: string): AuthorizationServer {
  const named = document.text('issuer');
  // Compared byte for byte: metadata that names another issuer can be an attacker's.
  if (named !== issuer)
    throw context.failure(STEP, `its issuer is ${quoteText(named ?? 'missing')}, but ${quoteText(issuer)} was asked`);
  const tokenEndpoint = document.text('token_endpoint');
  if (tokenEndpoint === undefined || !URL.canParse(tokenEndpoint))
    throw context.failure(STEP, 'it has no token_endpoint that is a URL');
  context.traceAccepted(STEP, `its issuer is ${quoteText(issuer)}, as expected`);
  return {
    issuer,
    tokenEndpoint,
    authorizationEndpoint: document.text('authorization_endpoint'),
    registrationEndpoint: document.text('registration_endpoint'),
    revocationEndpoint: document.text('revocation_endpoint'),
    scopesSupported: document.texts('scopes_supported'),
    authMethods: document.texts('token_endpoint_auth_methods_supported'),
    signingAlgorithms: document.texts('token_endpoint_auth_signing_alg_values_supported'),
    proofAlgorithms: document.texts('dpop_signing_alg_values_supported'),
    challengeMethods: document.texts('code_challenge_methods_supported'),
    grantProfiles: document.texts('authorization_grant_profiles_supported'),
    sendsIssuer: document.flag('authorization_response_iss_parameter_supported'),
    acceptsMetadataUrl: document.flag('client_id_metadata_document_supported'),
    lacksMetadata: false,
  };
}
