/** Fetches protected resource metadata (RFC 9728): the resource identifier of an MCP server, and the authorization servers that it trusts. */
import { resourceMetadataUrls } from '../../web/well-known.ts';
import { type AuthContext, quoteText } from '../context/auth-context.ts';
import { type MetadataDocument, toDocument } from '../context/metadata-document.ts';

const STEP = 'protected resource metadata';

export interface ResourceMetadata {
  /** The resource identifier, byte for byte as in the document, because authorization servers compare text. */
  readonly resource: string;
  /** The issuers of its authorization servers, in the order of the document. */
  readonly issuers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
}

export interface ResourceHints {
  /** `resource_metadata` of the challenge. */
  readonly metadataUrl?: string | undefined;
  /** The negotiated protocol revision, sent as a header because a response can depend on it. */
  readonly revision?: string | undefined;
}

/** Returns undefined if the server publishes no metadata, as in the first revision with authorization. */
export async function findResource(context: AuthContext, hints: ResourceHints): Promise<ResourceMetadata | undefined> {
  const { metadataUrl, revision } = hints;
  const urls = metadataUrl === undefined ? resourceMetadataUrls(context.endpoint) : [checkOrigin(context, metadataUrl)];
  for (const url of urls) {
    const document = await fetchDocument(context, url, revision);
    if (document !== undefined) return readResourceMetadata(context, document);
  }
  if (metadataUrl !== undefined) throw context.failure(STEP, 'the server names a document that does not exist');
  return undefined;
}

/** Rejects metadata at another origin, which an attacker could control. */
function checkOrigin(context: AuthContext, metadataUrl: string): string {
  const url = URL.canParse(metadataUrl, context.endpoint) ? new URL(metadataUrl, context.endpoint) : undefined;
  if (url?.origin === context.endpoint.origin) return url.href;
  const where = quoteText(url?.origin ?? metadataUrl);
  throw context.failure(STEP, `the server names a document at ${where}, which is not its own origin`);
}

async function fetchDocument(
  context: AuthContext,
  url: string,
  revision: string | undefined,
): Promise<MetadataDocument | undefined> {
  const { status, json } = await context.get(STEP, url, revision);
  // A 5xx does not mean "no metadata": an attacker who can cause errors must not force the fallback (downgrade).
  if (status >= 500) throw context.failure(STEP, `the server answered with status ${status}; try again later`);
  return status === 200 ? toDocument(json) : undefined;
}

function readResourceMetadata(context: AuthContext, document: MetadataDocument): ResourceMetadata {
  const resource = document.text('resource');
  const issuers = document.texts('authorization_servers') ?? [];
  if (resource === undefined || !coversEndpoint(resource, context.endpoint))
    throw context.failure(STEP, `"resource" names ${quoteText(resource ?? 'nothing')}, not this endpoint`);
  if (issuers.length === 0)
    throw context.failure(STEP, 'the document names no authorization server ("authorization_servers")');
  context.traceAccepted(STEP, `"resource" names ${quoteText(resource)}, which is this endpoint or covers it`);
  return { resource, issuers, scopesSupported: document.texts('scopes_supported') };
}

/** The authorization server gets the raw text. Rejects text that our lenient URL parser would repair and another parser could read differently. */
const isUnambiguous = /^https?:\/\/[^/\\\s\p{Cc}][^\\\s\p{Cc}]*$/iu;
const hasDots = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Whether the resource identifier is the URL of the endpoint, or a parent of its path. */
export function coversEndpoint(resource: string, endpoint: URL): boolean {
  const url = URL.canParse(resource) ? new URL(resource) : undefined;
  if (url === undefined || url.origin !== endpoint.origin || resource.includes('#')) return false;
  if (url.username !== '' || url.password !== '' || !isUnambiguous.test(resource) || hasDots.test(resource))
    return false;
  if (url.search !== '' && url.search !== endpoint.search) return false;
  return withSlash(endpoint.pathname).startsWith(withSlash(url.pathname));
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

/** The resource identifier of a server without metadata: its URL, without the slash of a bare origin. */
export const canonicalResource = ({ origin, pathname, search }: URL): string =>
  origin + (pathname === '/' && search === '' ? '' : pathname) + search;
