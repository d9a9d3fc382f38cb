/** Finds out how an authorization server works: RFC 8414, OpenID Connect Discovery, or what every server did in early 2025. */
import { printable } from '../../../model/printable.ts';
import { metadataUrls } from '../../web/metadata-urls.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { type MetadataDocument, toDocument } from '../context/metadata-document.ts';

const STEP = 'authorization server metadata';

export interface AuthorizationServer {
  /** As its metadata has it, byte for byte. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly authorizationEndpoint?: string | undefined;
  readonly registrationEndpoint?: string | undefined;
  readonly scopesSupported?: readonly string[] | undefined;
  /** How clients may prove who they are; undefined where it does not say. */
  readonly authMethods?: readonly string[] | undefined;
  readonly signingAlgorithms?: readonly string[] | undefined;
  readonly proofAlgorithms?: readonly string[] | undefined;
  readonly challengeMethods?: readonly string[] | undefined;
  /** Special uses of grants that it knows; undefined where it does not say. */
  readonly grantProfiles?: readonly string[] | undefined;
  /** Its answers say whom they are from (RFC 9207). */
  readonly sendsIssuer: boolean;
  /** The URL of a document about the client may serve as the client's id. */
  readonly takesDocuments: boolean;
  /** It has no metadata: endpoints are where they used to be. */
  readonly guessed: boolean;
}

export async function findAuthorizationServer(context: AuthContext, issuer: string): Promise<AuthorizationServer> {
  checkIssuer(context, issuer);
  const document = await fetchMetadata(context, issuer, {});
  if (document !== undefined) return readMetadata(context, document, issuer);
  throw context.failure(STEP, `${printable(issuer.slice(0, 200))} publishes none where it should be`);
}

/** For a server that says nothing of authorization servers: it is its own, with metadata or without. */
export async function ownAuthorizationServer(
  context: AuthContext,
  revision: string | undefined,
): Promise<AuthorizationServer> {
  const { origin } = context.endpoint;
  const headers: Record<string, string> = revision === undefined ? {} : { 'mcp-protocol-version': revision };
  const document = await fetchMetadata(context, origin, headers);
  if (document !== undefined) return readMetadata(context, document, origin);
  context.traceChoice(
    STEP,
    `there is none at ${origin}; its endpoints are taken to be /authorize, /token and /register`,
  );
  return {
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    registrationEndpoint: `${origin}/register`,
    sendsIssuer: false,
    takesDocuments: false,
    guessed: true,
  };
}

function checkIssuer(context: AuthContext, issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && !/[?#]/.test(issuer)) return;
  const named = printable(issuer.slice(0, 200));
  throw context.failure(STEP, `${named} is no issuer: it must be a URL without query and fragment`);
}

type MetadataHeaders = Readonly<Record<string, string>>;

async function fetchMetadata(
  context: AuthContext,
  issuer: string,
  headers: MetadataHeaders,
): Promise<MetadataDocument | undefined> {
  let trouble = 0;
  for (const url of metadataUrls(issuer)) {
    const sent = { accept: 'application/json', ...headers };
    const { status, json } = await context.web({ step: STEP, method: 'GET', url, headers: sent });
    const document = status === 200 ? toDocument(json) : undefined;
    if (document !== undefined) return document;
    if (status >= 500) trouble = status;
  }
  // A server in trouble has not said that it publishes nothing.
  if (trouble > 0)
    throw context.failure(STEP, `${new URL(issuer).origin} answered with status ${trouble}; try again later`);
  return undefined;
}

function readMetadata(context: AuthContext, document: MetadataDocument, issuer: string): AuthorizationServer {
  const named = document.text('issuer');
  // No character may differ: what is under another name may be somebody else's.
  if (named !== issuer) {
    const [came, expected] = [named ?? 'nothing', issuer].map((text) => printable(text.slice(0, 200)));
    throw context.failure(STEP, `it says that its issuer is ${came}, where ${expected} was asked`);
  }
  const tokenEndpoint = document.text('token_endpoint');
  if (tokenEndpoint === undefined || !URL.canParse(tokenEndpoint))
    throw context.failure(STEP, 'it names no token_endpoint, or one that is no URL');
  context.traceAccepted(STEP, `its issuer is ${printable(issuer.slice(0, 200))}, as it should be`);
  return {
    issuer,
    tokenEndpoint,
    authorizationEndpoint: document.text('authorization_endpoint'),
    registrationEndpoint: document.text('registration_endpoint'),
    scopesSupported: document.texts('scopes_supported'),
    authMethods: document.texts('token_endpoint_auth_methods_supported'),
    signingAlgorithms: document.texts('token_endpoint_auth_signing_alg_values_supported'),
    proofAlgorithms: document.texts('dpop_signing_alg_values_supported'),
    challengeMethods: document.texts('code_challenge_methods_supported'),
    grantProfiles: document.texts('authorization_grant_profiles_supported'),
    sendsIssuer: document.flag('authorization_response_iss_parameter_supported'),
    takesDocuments: document.flag('client_id_metadata_document_supported'),
    guessed: false,
  };
}
