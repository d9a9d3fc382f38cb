/** Content blocks as servers send them, some of which do so in their own way. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Content, ResourceContents } from '../model/content.ts';

/** Undefined when there is no block of a known kind to be read. */
export function readContent(block: JsonObject): Content | undefined {
  if (!isWhole(block)) return block['type'] === 'resource' ? readResource(block) : undefined;
  return block as unknown as Content; // isWhole looked at every required member
}

function isWhole({ type, text, data, mimeType, uri, name }: JsonObject): boolean {
  if (type === 'text') return typeof text === 'string';
  if (type === 'image' || type === 'audio') return typeof data === 'string' && typeof mimeType === 'string';
  return type === 'resource_link' && typeof uri === 'string' && typeof name === 'string';
}

function readResource(block: JsonObject): Content | undefined {
  const { resource, uri } = block;
  if (!isObject(resource)) {
    // Some documents show a block that only names the resource: that is a link.
    return typeof uri === 'string' ? { name: uri, ...block, type: 'resource_link', uri } : undefined;
  }
  const { annotations, ...inner } = resource;
  const contents = readContents(inner);
  if (contents === undefined) return undefined;
  // Examples put the annotations inside the resource; they belong to the block.
  const outer = block['annotations'] ?? annotations;
  return { ...block, ...(isObject(outer) ? { annotations: outer } : {}), type: 'resource', resource: contents };
}

export function readContents(value: JsonObject): ResourceContents | undefined {
  const whole =
    typeof value['uri'] === 'string' && (typeof value['text'] === 'string' || typeof value['blob'] === 'string');
  return whole ? (value as unknown as ResourceContents) : undefined; // as just seen
}
