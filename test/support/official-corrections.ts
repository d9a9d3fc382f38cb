/**
 * Where the schemas of the official packages differ from their revision. Additions follow the requirements in `ledger/`;
 * everything else is as in the packages.
 */
import { isObject, type JsonObject } from '../../src/jsonrpc/message.ts';

interface Correction {
  /** Members that the package does not have. */
  readonly members?: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  /** Members that the revision does not have yet. */
  readonly without?: Readonly<Record<string, readonly string[]>>;
  /** Members that the package has as optional, or with a default. */
  readonly required?: Readonly<Record<string, readonly string[]>>;
  /** Schemas of error data, by code. */
  readonly errors?: Readonly<Record<number, JsonObject>>;
}

const text: JsonObject = { type: 'string' };
const annotations: JsonObject = {
  type: 'object',
  properties: {
    audience: { type: 'array', items: { enum: ['user', 'assistant'] } },
    priority: { type: 'number', minimum: 0, maximum: 1 },
  },
};
const dated: JsonObject = {
  ...annotations,
  properties: { ...(annotations['properties'] as object), lastModified: text },
};
const size: JsonObject = { type: 'integer' };
const strings: JsonObject = { type: 'array', items: text };
const data = (properties: Record<string, JsonObject>): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});
const titles = { PromptArgument: { title: text }, PromptReference: { title: text } };

/** Extensions are negotiated in every handshake (EXT-11), and mark their tools and resources in `_meta`. */
const _meta: JsonObject = { type: 'object' };
const negotiated = {
  ClientCapabilities: { extensions: { type: 'object' } },
  ServerCapabilities: { extensions: { type: 'object' } },
};
const extended = { Tool: { _meta }, TextResourceContents: { _meta }, BlobResourceContents: { _meta } };

const CORRECTIONS: Readonly<Record<string, Correction>> = {
  '2024-11-05': {
    members: {
      TextContent: { annotations },
      ImageContent: { annotations },
      EmbeddedResource: { annotations },
      ...negotiated,
      ...extended,
      Resource: { annotations, size, _meta },
      ResourceTemplate: { annotations },
      InitializeResult: { instructions: text },
    },
  },
  '2025-03-26': {
    members: {
      TextContent: { annotations },
      ImageContent: { annotations },
      AudioContent: { annotations },
      EmbeddedResource: { annotations },
      ...negotiated,
      ...extended,
      Resource: { annotations, size, _meta },
      ResourceTemplate: { annotations },
    },
    without: { CallToolResult: ['structuredContent'], Tool: ['outputSchema'] },
    required: { CallToolResult: ['content'] },
  },
  '2025-06-18': {
    members: {
      ...titles,
      ...negotiated,
      TextContent: { annotations: dated },
      ImageContent: { annotations: dated },
      AudioContent: { annotations: dated },
      EmbeddedResource: { annotations: dated },
      Resource: { annotations: dated, size },
      ResourceLink: { annotations: dated, size },
      ResourceTemplate: { annotations: dated },
    },
    required: { CallToolResult: ['content'] },
  },
  '2025-11-25': {
    members: { ...titles, ...negotiated },
    required: { CallToolResult: ['content'] },
    errors: { [-32042]: data({ elicitations: { type: 'array', items: { $ref: '#/$defs/ElicitRequestURLParams' } } }) },
  },
  '2026-07-28': {
    members: titles,
    required: { CallToolResult: ['content'], DiscoverResult: ['ttlMs', 'cacheScope'] },
    errors: {
      [-32021]: data({ requiredCapabilities: { $ref: '#/$defs/ClientCapabilities' } }),
      [-32022]: data({ requested: text, supported: strings }),
    },
  },
};

/** Members that are counts or URLs, which the packages do not always declare. */
const COUNTS = new Set(['size', 'ttl', 'pollInterval', 'minLength', 'maxLength', 'minItems', 'maxItems']);
const LINKS = new Set(['src', 'websiteUrl']);

export function corrected(revision: string, definitions: Record<string, JsonObject>): Record<string, JsonObject> {
  const { members = {}, without = {}, required = {}, errors = {} } = CORRECTIONS[revision] ?? {};
  const result = structuredClone(definitions);
  for (const definition of Object.values(result)) sharpen(definition);
  // The package has two definitions, for clients with and without tools; the specification has one.
  const withTools = result['CreateMessageResultWithTools'];
  if (withTools !== undefined) result['CreateMessageResult'] = withTools;
  for (const [name, added] of Object.entries(members)) Object.assign(propertiesOf(result, name), added);
  for (const [name, gone] of Object.entries(without))
    for (const member of gone) delete propertiesOf(result, name)[member];
  for (const [name, needed] of Object.entries(required)) require(result, name, needed);
  for (const [name, { properties }] of Object.entries(result)) {
    if (isObject(properties) && 'resultType' in properties) require(result, name, ['resultType']);
    if (/Reference$/.test(name) && isObject(properties) && 'uri' in properties) {
      Object.assign(properties, { uri: { type: 'string', format: 'uri-template' } });
    }
  }
  if ('LoggingMessageNotificationParams' in result) require(result, 'LoggingMessageNotificationParams', ['data']);
  for (const [code, shape] of Object.entries(errors))
    result[`Coded${Math.abs(Number(code))}Error`] = failure(Number(code), shape);
  return result;
}

function propertiesOf(definitions: Record<string, JsonObject>, name: string): Record<string, unknown> {
  const properties = definitions[name]?.['properties'];
  if (!isObject(properties)) throw new Error(`${name} is no object in the official package; look where it went`);
  return properties;
}

function require(definitions: Record<string, JsonObject>, name: string, members: readonly string[]): void {
  const known = propertiesOf(definitions, name);
  const unknown = members.filter((member) => !(member in known));
  if (unknown.length > 0) throw new Error(`${name} has no ${unknown.join(', ')} in the official package`);
  const before = (definitions[name]?.['required'] ?? []) as string[]; // converted from a Zod object
  Object.assign(definitions[name] ?? {}, { required: [...new Set([...before, ...members])] });
}

function sharpen(node: unknown): void {
  if (Array.isArray(node)) for (const one of node) sharpen(one);
  if (!isObject(node)) return;
  for (const [name, inner] of Object.entries(node)) {
    if (isObject(inner) && inner['type'] === 'number' && COUNTS.has(name)) Object.assign(inner, { type: 'integer' });
    if (isObject(inner) && inner['type'] === 'string' && LINKS.has(name)) Object.assign(inner, { format: 'uri' });
    sharpen(inner);
  }
}

function failure(code: number, shape: JsonObject): JsonObject {
  const error = {
    type: 'object',
    properties: { code: { const: code, type: 'integer' }, data: shape },
    required: ['code', 'data'],
  };
  return { type: 'object', properties: { error } };
}
