/** Reads the resource with a URI, or the first template that it matches, and converts what the handler returned to contents. */
import { RpcError } from '../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject } from '../jsonrpc/message.ts';
import { toBase64 } from '../model/base64.ts';
import type { ResourceContents } from '../model/content.ts';
import type { ReadResourceResult } from '../model/parts.ts';
import { isUri } from '../model/uri-template.ts';
import type { PartCatalogue } from './catalogue.ts';
import type { Context } from './context.ts';
import { requireScopes } from './scopes.ts';
import { serializeReturned } from './serialize-returned.ts';
import type { ServerSettings } from './settings.ts';

/** Used by `resources/read`, and by `ctx.read` in handlers of the same server. */
export async function readUri(
  uri: string,
  context: Context<never>,
  { catalogue, settings }: { readonly catalogue: PartCatalogue; readonly settings: ServerSettings },
): Promise<ReadResourceResult> {
  if (!isUri(uri)) throw new RpcError(INVALID_PARAMS, 'Not a URI', { uri });
  const { part, variables } = catalogue.locate(uri) ?? {};
  // Also for `ctx.read`: a handler must not read for its caller what the caller itself cannot read (confused deputy).
  const { scopes = [], cache } = part ?? {};
  requireScopes(scopes, context.auth);
  const made = toReadResult(uri, await part?.read(variables, context), part?.mimeType);
  const result = made instanceof Promise ? await made : made;
  if (result === undefined) throw new RpcError(INVALID_PARAMS, 'Resource not found', { uri }, 'resource-not-found');
  // A cache that callers share must not hand it to one without the scopes, unless its author says so for this resource.
  return { ...settings.hints, ...(scopes[0] && { cacheScope: 'private' }), ...cache, ...result };
}

type ReadOutcome = ReadResourceResult | undefined;

/** Converts what a handler returned to contents with a MIME type. Returns a promise only for results in the protocol's own form. */
function toReadResult(uri: string, value: unknown, mimeType: string | undefined): ReadOutcome | Promise<ReadOutcome> {
  const one = (contents: ResourceContents): ReadResourceResult => ({ contents: [contents] });
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return one({ uri, mimeType: mimeType ?? 'text/plain', text: value });
  if (value instanceof Uint8Array) {
    return one({ uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value) });
  }
  const asData = (): ReadResourceResult =>
    one({ uri, mimeType: mimeType ?? 'application/json', text: serializeReturned(value, `resource "${uri}"`) });
  const isOwnForm = Array.isArray(value) || (isObject(value) && Array.isArray(value['contents']));
  return isOwnForm ? protocolResult(value as object, `resource "${uri}"`, asData) : asData();
}

/** Loads the code that checks such results with the first one: most handlers return text, bytes or data. */
async function protocolResult(value: object, what: string, asData: () => ReadResourceResult): Promise<ReadOutcome> {
  const { contentsIn, readResultIn } = await import('./protocol-result.ts');
  const result = Array.isArray(value) ? { contents: contentsIn(value, what) } : readResultIn(value as JsonObject, what); // not a list
  if (result === undefined) return asData();
  return result.contents.length === 0 ? undefined : { ...result, contents: result.contents.map(withMimeType) };
}

const withMimeType = (contents: ResourceContents): ResourceContents =>
  contents.mimeType !== undefined
    ? contents
    : { ...contents, mimeType: 'text' in contents ? 'text/plain' : 'application/octet-stream' };
