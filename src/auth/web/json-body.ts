/** The JSON in an answer, within limits. */
import { McpError } from '../../errors.ts';
import type { HttpResponse } from './http-sender.ts';

/** Of a body, decompressed. */
const MAX_BYTES = 1024 * 1024;
/** Of objects and arrays within each other. */
const MAX_DEPTH = 32;

/** The value, or undefined when the body is of another type, cannot be read, or is nested too deeply. */
export async function readJsonBody({ header, body }: HttpResponse, what: string): Promise<unknown> {
  if (!isJson(header('content-type') ?? '')) return undefined;
  const bytes = await collectBytes(body, what);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isJson(type: string): boolean {
  const essence = (type.split(';', 1)[0] ?? '').trim().toLowerCase();
  return essence === 'application/json' || (essence.startsWith('application/') && essence.endsWith('+json'));
}

async function collectBytes(body: AsyncIterable<Uint8Array>, what: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > MAX_BYTES) throw new McpError('MCP_TOO_LARGE', { what, limit: MAX_BYTES, setting: 'a fixed limit' });
    pieces.push(piece);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Level by level, so that depth costs no stack. */
function isDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container)).filter(isContainer);
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
