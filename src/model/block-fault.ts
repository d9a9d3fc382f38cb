/** Validates content blocks that a handler returned. Loaded lazily: most handlers return text or data. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import { isUri } from './uri-template.ts';

export function blockFault(block: unknown): string | undefined {
  if (!isObject(block)) return 'content is one block';
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? undefined : 'text needs a "text"';
    case 'image':
    case 'audio':
      return isBase64(block['data']) && isMimeType(block['mimeType'])
        ? undefined
        : `${block['type']} needs "data" in base64 and a "mimeType"`;
    case 'resource_link':
      return isUriText(block['uri']) && typeof block['name'] === 'string'
        ? undefined
        : 'a link needs a URI and a "name"';
    case 'resource':
      return isObject(block['resource']) ? contentsFault(block['resource']) : 'an embedded resource needs a "resource"';
    default:
      return `there is no block of type ${JSON.stringify(block['type'])}`;
  }
}

/** Why an object is not the contents of a resource. */
export function contentsFault({ uri, mimeType, text, blob }: JsonObject): string | undefined {
  if (!isUriText(uri)) return 'an embedded resource needs a URI';
  if (mimeType !== undefined && !isMimeType(mimeType)) return `${JSON.stringify(mimeType)} is no MIME type`;
  return typeof text === 'string' || isBase64(blob) ? undefined : 'an embedded resource has text, or a blob in base64';
}

const isUriText = (value: unknown): boolean => typeof value === 'string' && isUri(value);

const isMimeType = (value: unknown): boolean =>
  typeof value === 'string' && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/.test(value);

function isBase64(value: unknown): boolean {
  if (typeof value !== 'string' || value.length % 4 !== 0) return false;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  // Searching for a forbidden character takes one pass, whatever the length of the text.
  return !/[^A-Za-z0-9+/]/.test(value.slice(0, value.length - padding));
}
