/** Encodes model objects for a revision. Content that the revision lacks is sent in the nearest form it has, never unchanged. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Content } from '../model/content.ts';
import type { Vocabulary, VocabularyObject } from './vocabulary.ts';

/** Copies the members that the revision knows. */
export function pickKnown(vocabulary: Vocabulary, name: VocabularyObject, value: JsonObject): JsonObject {
  const known: Record<string, unknown> = {};
  for (const member of vocabulary.members[name]) {
    const one = value[member];
    if (one !== undefined) known[member] = one;
  }
  return known;
}

export function encodeTool(vocabulary: Vocabulary, tool: JsonObject): JsonObject {
  const known: Record<string, unknown> = pickKnown(vocabulary, 'Tool', tool);
  const annotations = vocabulary.members.Tool.includes('annotations') ? annotationsOf(vocabulary, tool) : undefined;
  if (annotations === undefined) delete known['annotations'];
  else known['annotations'] = annotations;
  if (vocabulary.structuredContent === 'object' && !isObjectSchema(known['outputSchema'])) delete known['outputSchema'];
  for (const name of ['inputSchema', 'outputSchema']) {
    const schema = known[name];
    if (!vocabulary.dialects && isObject(schema) && '$schema' in schema) {
      const { $schema: _, ...rest } = schema;
      known[name] = rest;
    }
  }
  return known;
}

function annotationsOf(vocabulary: Vocabulary, tool: JsonObject): JsonObject | undefined {
  const own = isObject(tool['annotations']) ? pickKnown(vocabulary, 'ToolAnnotations', tool['annotations']) : {};
  // Without a member of its own, the title is an annotation.
  const title = vocabulary.members.Tool.includes('title') ? undefined : tool['title'];
  const all = title === undefined ? own : { title, ...own };
  return Object.keys(all).length === 0 ? undefined : all;
}

const isObjectSchema = (schema: unknown): boolean => isObject(schema) && schema['type'] === 'object';

export const encodeResource = (vocabulary: Vocabulary, resource: JsonObject): JsonObject =>
  encodeAnnotations(vocabulary, pickKnown(vocabulary, 'Resource', resource));

export const encodeTemplate = (vocabulary: Vocabulary, template: JsonObject): JsonObject =>
  encodeAnnotations(vocabulary, pickKnown(vocabulary, 'ResourceTemplate', template));

export function encodePrompt(vocabulary: Vocabulary, prompt: JsonObject): JsonObject {
  const known: Record<string, unknown> = pickKnown(vocabulary, 'Prompt', prompt);
  const args = known['arguments'];
  if (Array.isArray(args))
    known['arguments'] = args.map((one: JsonObject) => pickKnown(vocabulary, 'PromptArgument', one));
  return known;
}

export function encodeAnnotations(vocabulary: Vocabulary, value: JsonObject): JsonObject {
  const annotations = value['annotations'];
  return isObject(annotations) ? { ...value, annotations: pickKnown(vocabulary, 'Annotations', annotations) } : value;
}

/** Encodes a tool result, in a response or in a sampling message. */
export function encodeCallResult(
  vocabulary: Vocabulary,
  result: JsonObject,
  as: 'CallToolResult' | 'tool_result',
): JsonObject {
  const known: Record<string, unknown> = pickKnown(vocabulary, as, result);
  const content = (result['content'] as readonly Content[]).map((block) => encodeBlock(vocabulary, block)); // a CallToolResult
  if ('structuredContent' in result) {
    if (vocabulary.structuredContent === 'object' && !isObject(known['structuredContent']))
      delete known['structuredContent'];
    if (!('structuredContent' in known)) addAsText(result['structuredContent'], content);
  }
  known['content'] = content;
  return known;
}

/** Adds structured content as JSON text, for revisions that cannot encode it. */
function addAsText(data: unknown, content: JsonObject[]): void {
  const text = JSON.stringify(data);
  if (!content.some((block) => block['text'] === text)) content.push({ type: 'text', text });
}

export function encodePromptResult(vocabulary: Vocabulary, result: JsonObject): JsonObject {
  const messages = result['messages'] as readonly { role: string; content: Content }[]; // a GetPromptResult
  return {
    ...pickKnown(vocabulary, 'GetPromptResult', result),
    messages: messages.map(({ role, content }) => ({ role, content: encodeBlock(vocabulary, content) })),
  };
}

export function encodeReadResult(vocabulary: Vocabulary, result: JsonObject): JsonObject {
  const contents = result['contents'] as readonly JsonObject[]; // a ReadResourceResult
  return {
    ...pickKnown(vocabulary, 'ReadResult', result),
    contents: contents.map((one) => encodeContents(vocabulary, one)),
  };
}

const encodeContents = (vocabulary: Vocabulary, contents: JsonObject): JsonObject =>
  pickKnown(vocabulary, 'text' in contents ? 'TextContents' : 'BlobContents', contents);

/** The content blocks of all revisions, in tool results and prompt messages. */
const blockTypes: ReadonlySet<string> = new Set<Content['type']>([
  'text',
  'image',
  'audio',
  'resource',
  'resource_link',
]);

/** Encodes a content block. A kind that the revision lacks becomes an embedded resource or a line of text. */
export function encodeBlock(vocabulary: Vocabulary, block: Content): JsonObject {
  // Fast path: most results are one plain text block, which is the same in every revision.
  if (block.type === 'text' && block.annotations === undefined && block._meta === undefined) return block;
  if (!blockTypes.has(block.type) || vocabulary.members[block.type].length === 0)
    return encodeBlock(vocabulary, substituteBlock(block));
  const known = encodeAnnotations(vocabulary, pickKnown(vocabulary, block.type, block));
  return block.type === 'resource' ? { ...known, resource: encodeContents(vocabulary, block.resource) } : known;
}

function substituteBlock(block: Content): Content {
  if (block.type === 'audio') {
    const { mimeType, data: blob } = block;
    return { type: 'resource', resource: { uri: 'audio:inline', mimeType, blob } };
  }
  if (block.type === 'resource_link') {
    const about = block.description === undefined ? '' : `: ${block.description}`;
    return { type: 'text', text: `${block.title ?? block.name} <${block.uri}>${about}` };
  }
  return { type: 'text', text: `[${block.type}]` };
}

/** Encodes client capabilities. */
export function encodeClientCapabilities(vocabulary: Vocabulary, capabilities: JsonObject): JsonObject {
  const known: Record<string, unknown> = pickKnown(vocabulary, 'ClientCapabilities', capabilities);
  if (isObject(known['roots'])) known['roots'] = pickKnown(vocabulary, 'RootsCapability', known['roots']);
  if (isObject(known['sampling'])) known['sampling'] = pickKnown(vocabulary, 'SamplingCapability', known['sampling']);
  if (isObject(known['elicitation']) && vocabulary.visits === 'nothing') known['elicitation'] = {};
  return known;
}
