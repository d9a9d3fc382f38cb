/** Reads and parses the JSON body of a response, with limits on size and depth. */
import { McpError } from '../../errors.ts';
import { deeperThan } from '../../jsonrpc/read.ts';
import { CollectedBytes } from '../../model/collected-bytes.ts';
import { mediaType } from '../../model/media-type.ts';
import type { HttpResponse } from './http-sender.ts';

/** Maximum size of the decompressed body. */
const MAX_BYTES = 1024 * 1024;
/** Maximum nesting of objects and arrays. */
const MAX_DEPTH = 32;

/** Returns undefined if the body has another media type, is not valid JSON, or is nested too deeply. */
export async function readJsonBody({ header, body }: HttpResponse, what: string): Promise<unknown> {
  if (!isJson(header('content-type') ?? '')) return undefined;
  const bytes = await readBytes(body, MAX_BYTES, () => tooLarge(what));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return deeperThan(text, MAX_DEPTH) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJson(type: string): boolean {
  const essence = mediaType(type);
  return essence === 'application/json' || (essence.startsWith('application/') && essence.endsWith('+json'));
}

const tooLarge = (what: string): McpError =>
  new McpError('MCP_TOO_LARGE', { what, limit: MAX_BYTES, setting: 'a fixed limit' });

/** Rejects as soon as the body is longer than `maxBytes`. */
export async function readBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLong: () => Error,
): Promise<Uint8Array> {
  const collected = new CollectedBytes();
  for await (const chunk of body) {
    if (collected.size + chunk.length > maxBytes) throw tooLong();
    collected.add(chunk);
  }
  return collected.bytes;
}
