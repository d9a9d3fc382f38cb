/** Neutral words in, a revision's words out. What a revision cannot say is said in the nearest way it has, never sent raw. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';
import type { Content } from '../model/content.ts';
import type { Vocabulary, VocabularyObject } from './words.ts';

/** The members of an object that the revision knows. */
export function pick(words: Vocabulary, name: VocabularyObject, value: JsonObject): JsonObject {
  const known: Record<string, unknown> = {};
  for (const member of words.members[name]) {
    const one = value[member];
    if (one !== undefined) known[member] = one;
  }
  return known;
}

export function encodeTool(words: Vocabulary, tool: JsonObject): JsonObject {
  const known: Record<string, unknown> = pick(words, 'Tool', tool);
  const annotations = words.members.Tool.includes('annotations') ? annotationsOf(words, tool) : undefined;
  if (annotations === undefined) delete known['annotations'];
  else known['annotations'] = annotations;
  if (words.structuredContent === 'object' && !isObjectSchema(known['outputSchema'])) delete known['outputSchema'];
  for (const name of ['inputSchema', 'outputSchema']) {
    const schema = known[name];
    if (!words.dialects && isObject(schema) && '$schema' in schema) {
      const { $schema: _, ...rest } = schema;
      known[name] = rest;
    }
  }
  return known;
}

function annotationsOf(words: Vocabulary, tool: JsonObject): JsonObject | undefined {
  const own = isObject(tool['annotations']) ? pick(words, 'ToolAnnotations', tool['annotations']) : {};
  const title = words.titleInAnnotations ? tool['title'] : undefined;
  const all = title === undefined ? own : { title, ...own };
  return Object.keys(all).length === 0 ? undefined : all;
}

const isObjectSchema = (schema: unknown): boolean => isObject(schema) && schema['type'] === 'object';

export function encodeResource(words: Vocabulary, resource: JsonObject): JsonObject {
  return annotated(words, pick(words, 'Resource', resource));
}

export function encodeTemplate(words: Vocabulary, template: JsonObject): JsonObject {
  return annotated(words, pick(words, 'ResourceTemplate', template));
}

export function encodePrompt(words: Vocabulary, prompt: JsonObject): JsonObject {
  const known: Record<string, unknown> = pick(words, 'Prompt', prompt);
  const args = known['arguments'];
  if (Array.isArray(args)) known['arguments'] = args.map((one: JsonObject) => pick(words, 'PromptArgument', one));
  return known;
}

export function annotated(words: Vocabulary, value: JsonObject): JsonObject {
  const annotations = value['annotations'];
  return isObject(annotations) ? { ...value, annotations: pick(words, 'Annotations', annotations) } : value;
}

/** The result of a tool, also where it is told to a model that asked for it. */
export function encodeCallResult(words: Vocabulary, given: object, as: 'CallToolResult' | 'tool_result'): JsonObject {
  const result = given as JsonObject; // of the model, which holds JSON only
  const known: Record<string, unknown> = pick(words, as, result);
  const content = (result['content'] as readonly Content[]).map((block) => encodeBlock(words, block)); // a CallToolResult
  if ('structuredContent' in result) {
    if (words.structuredContent === 'object' && !isObject(known['structuredContent']))
      delete known['structuredContent'];
    if (!('structuredContent' in known)) mirror(result['structuredContent'], content);
  }
  known['content'] = content;
  return known;
}

/** Data that the revision cannot carry as such is not lost: it is there as text. */
function mirror(data: unknown, content: JsonObject[]): void {
  const text = JSON.stringify(data);
  if (!content.some((block) => block['text'] === text)) content.push({ type: 'text', text });
}

export function encodePromptResult(words: Vocabulary, result: JsonObject): JsonObject {
  const messages = result['messages'] as readonly { role: string; content: Content }[]; // a GetPromptResult
  return {
    ...pick(words, 'GetPromptResult', result),
    messages: messages.map(({ role, content }) => ({ role, content: encodeBlock(words, content) })),
  };
}

export function encodeReadResult(words: Vocabulary, result: JsonObject): JsonObject {
  const contents = result['contents'] as readonly JsonObject[]; // a ReadResourceResult
  return { ...pick(words, 'ReadResult', result), contents: contents.map((one) => encodeContents(words, one)) };
}

const encodeContents = (words: Vocabulary, contents: JsonObject): JsonObject =>
  pick(words, 'text' in contents ? 'TextContents' : 'BlobContents', contents);

/** One content block; a kind that the revision lacks becomes an embedded resource or a line of text. */
export function encodeBlock(words: Vocabulary, block: Content): JsonObject {
  // Most answers are one bare text block, which every revision spells alike.
  if (block.type === 'text' && block.annotations === undefined && block._meta === undefined)
    return block as unknown as JsonObject; // like all of the model
  if (!words.blocks.has(block.type)) return encodeBlock(words, substitute(block));
  const known = annotated(words, pick(words, block.type, plain(block)));
  return block.type === 'resource' ? { ...known, resource: encodeContents(words, plain(block.resource)) } : known;
}

/** An interface of the model as the open object that it is on the wire. */
const plain = (value: object): JsonObject => value as JsonObject; // objects of the model hold JSON only

function substitute(block: Content): Content {
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

/** Capabilities as the revision spells them. Members nobody defined are an open set and pass in extensions' own place. */
export function encodeServerCapabilities(words: Vocabulary, capabilities: JsonObject): JsonObject {
  return pick(words, 'ServerCapabilities', capabilities);
}

export function encodeClientCapabilities(words: Vocabulary, capabilities: JsonObject): JsonObject {
  const known: Record<string, unknown> = pick(words, 'ClientCapabilities', capabilities);
  if (isObject(known['roots'])) known['roots'] = pick(words, 'RootsCapability', known['roots']);
  if (isObject(known['sampling'])) known['sampling'] = pick(words, 'SamplingCapability', known['sampling']);
  if (isObject(known['elicitation']) && words.visits === 'nothing') known['elicitation'] = {};
  return known;
}
