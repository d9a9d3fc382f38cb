/** Finds out which authorization servers an MCP server trusts (RFC 9728), and under which name it is known to them. */
import { printable } from '../../../model/printable.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { type MetadataDocument, toDocument } from '../context/metadata-document.ts';

const STEP = 'protected resource metadata';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export interface ResourceMetadata {
  /** As the document has it, byte for byte: authorization servers compare texts. */
  readonly resource: string;
  /** The issuers of its authorization servers. */
  readonly issuers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
}

/** What the refusal said that led here. */
export interface ResourceHints {
  /** `resource_metadata` of the challenge. */
  readonly metadataUrl?: string | undefined;
  /** The revision that is spoken with the server; it may answer accordingly. */
  readonly revision?: string | undefined;
}

/** Undefined if the server has no such document, as in the days before there were any. */
export async function findResource(context: AuthContext, hints: ResourceHints): Promise<ResourceMetadata | undefined> {
  const { metadataUrl, revision } = hints;
  const urls = metadataUrl === undefined ? resourceMetadataUrls(context.endpoint) : [checkOrigin(context, metadataUrl)];
  for (const url of urls) {
    const document = await fetchDocument(context, url, revision);
    if (document !== undefined) return readResourceMetadata(context, document);
  }
  if (metadataUrl !== undefined) throw context.failure(STEP, 'the server names a document that is not there');
  return undefined;
}

/** At the path of the endpoint, then at the root. */
export function resourceMetadataUrls({ origin, pathname, search }: URL): readonly string[] {
  const root = origin + WELL_KNOWN;
  return pathname === '/' && search === '' ? [root] : [root + (pathname === '/' ? '' : pathname) + search, root];
}

/** A server describes itself; that it sends us to ask others about it serves nobody but an attacker. */
function checkOrigin(context: AuthContext, metadataUrl: string): string {
  const url = URL.canParse(metadataUrl, context.endpoint) ? new URL(metadataUrl, context.endpoint) : undefined;
  if (url?.origin === context.endpoint.origin) return url.href;
  const where = printable((url?.origin ?? metadataUrl).slice(0, 200));
  throw context.failure(STEP, `the server names a document at ${where}, which is not its own origin`);
}

async function fetchDocument(
  context: AuthContext,
  url: string,
  revision: string | undefined,
): Promise<MetadataDocument | undefined> {
  const headers = {
    accept: 'application/json',
    ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
  };
  const { status, json } = await context.web({ step: STEP, method: 'GET', url, headers });
  // A server in trouble has not said that there is no document; to go on as if it had would be to fall for whoever causes it.
  if (status >= 500) throw context.failure(STEP, `the server answered with status ${status}; try again later`);
  return status === 200 ? toDocument(json) : undefined;
}

function readResourceMetadata(context: AuthContext, document: MetadataDocument): ResourceMetadata {
  const resource = document.text('resource');
  const issuers = document.texts('authorization_servers') ?? [];
  if (resource === undefined || !coversEndpoint(resource, context.endpoint)) {
    const named = resource === undefined ? 'nothing' : printable(resource.slice(0, 200));
    throw context.failure(STEP, `it is about ${named}, not about this endpoint ("resource")`);
  }
  if (issuers.length === 0) throw context.failure(STEP, 'it names no authorization server ("authorization_servers")');
  context.traceAccepted(STEP, `it is about ${printable(resource.slice(0, 200))}, which is or covers this endpoint`);
  return { resource, issuers, scopesSupported: document.texts('scopes_supported') };
}

/** A resource is the endpoint itself, or what it lies under. */
export function coversEndpoint(resource: string, endpoint: URL): boolean {
  const url = URL.canParse(resource) ? new URL(resource) : undefined;
  if (url === undefined || url.origin !== endpoint.origin || resource.includes('#')) return false;
  if (url.username !== '' || url.password !== '') return false;
  if (url.search !== '' && url.search !== endpoint.search) return false;
  return withSlash(endpoint.pathname).startsWith(withSlash(url.pathname));
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

/** What a server without a document is called: its URL, without a slash that means nothing. */
export const canonicalResource = ({ origin, pathname, search }: URL): string =>
  origin + (pathname === '/' && search === '' ? '' : pathname) + search;
