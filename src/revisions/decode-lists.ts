/** Describes the lists of a server (tools, resources, templates, prompts), and decodes their pages. */
import { RpcError } from '../errors.ts';
import { isObject, type JsonObject, METHOD_NOT_FOUND } from '../jsonrpc/message.ts';
import type { Prompt, PromptArgument, Resource, ResourceTemplate, Tool } from '../model/parts.ts';
import { malformedResult, readAll, type Warn } from './decode.ts';

/** The type of the items of each list. */
export interface ListItems {
  readonly tools: Tool;
  readonly resources: Resource;
  readonly templates: ResourceTemplate;
  readonly prompts: Prompt;
}
export type ListName = keyof ListItems;

export interface ListKind<T> {
  /** The singular name of an item. */
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  /** The server capability for the list and its change notifications. */
  readonly capability: 'tools' | 'resources' | 'prompts';
  readonly method: string;
  /** The member of the result that has the items. */
  readonly member: string;
  /** The member that identifies an item. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
  read(value: JsonObject): T | undefined;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Undefined on the last page. The empty string is a valid cursor. */
  readonly nextCursor: string | undefined;
}

export const lists: { readonly [K in ListName]: ListKind<ListItems[K]> } = {
  tools: {
    ...{ kind: 'tool', capability: 'tools', method: 'tools/list', member: 'tools', key: 'name' },
    read: (value) => (isText(value['name']) && isObject(value['inputSchema']) ? (value as Tool) : undefined), // checked in this line
  },
  resources: {
    ...{ kind: 'resource', capability: 'resources', method: 'resources/list', member: 'resources', key: 'uri' },
    read: (value) => (isText(value['uri']) && isText(value['name']) ? (value as Resource) : undefined), // checked in this line
  },
  templates: {
    ...{ kind: 'template', capability: 'resources', method: 'resources/templates/list', member: 'resourceTemplates' },
    key: 'uriTemplate',
    read: readTemplate,
  },
  prompts: {
    ...{ kind: 'prompt', capability: 'prompts', method: 'prompts/list', member: 'prompts', key: 'name' },
    read: readPrompt,
  },
};

/** The identity of an item within its list: its name, URI or URI template. */
export const keyOfItem = ({ key }: Pick<ListKind<unknown>, 'key'>, item: unknown): string =>
  String((item as Readonly<Record<string, unknown>>)[key]);

export const listNames = Object.keys(lists) as readonly ListName[]; // its own keys

export function decodePage<T>(kind: ListKind<T>, result: JsonObject, warn: Warn): ListPage<T> {
  const items = result[kind.member];
  if (!Array.isArray(items)) throw malformedResult(kind.method, `"${kind.member}" must be a list`);
  const nextCursor = nextCursorIn(kind.method, result);
  const read = (value: JsonObject): T | undefined => kind.read(dropInvalidMembers(value));
  return { items: readAll(items, read, `answer to ${kind.method}`, warn), nextCursor };
}

/** The client sends a cursor back for the next page, so a server must not make it grow without bound. */
export const MAX_CURSOR_LENGTH: number = 64 * 1024;

/** Reads the cursor of the next page; undefined on the last page. */
export function nextCursorIn(method: string, result: JsonObject): string | undefined {
  const cursor = result['nextCursor'] ?? undefined;
  if (cursor !== undefined && typeof cursor !== 'string')
    throw malformedResult(method, '"nextCursor" must be a string');
  if (cursor !== undefined && cursor.length > MAX_CURSOR_LENGTH)
    throw malformedResult(method, `"nextCursor" has more than ${MAX_CURSOR_LENGTH} characters`);
  return cursor;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const areIcons = (value: unknown): boolean =>
  Array.isArray(value) && value.every((icon) => isObject(icon) && isText(icon['src']));

const areAnnotations = (value: unknown): boolean => {
  if (!isObject(value)) return false;
  const { audience = [], lastModified = '' } = value;
  return Array.isArray(audience) && audience.every(isText) && isText(lastModified);
};

/** Checks of the optional members of items. */
const optionalMembers: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['title', isText],
  ['description', isText],
  ['annotations', areAnnotations],
  ['mimeType', isText],
  ['size', (value) => typeof value === 'number'],
  ['_meta', isObject],
  ['outputSchema', isObject],
  ['execution', isObject],
  ['icons', areIcons],
]);

/** Drops optional members of a wrong type: callers rely on the types, and some servers send null for absent members. */
export function dropInvalidMembers<T extends JsonObject>(item: T): T {
  const isInvalid = (key: string): boolean => optionalMembers.get(key)?.(item[key]) === false;
  if (!Object.keys(item).some(isInvalid)) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => !isInvalid(key))) as T; // they are optional
}

/** Accepts `uri` instead of `uriTemplate`, as in some documentation. */
function readTemplate({ uri, ...value }: JsonObject): ResourceTemplate | undefined {
  const uriTemplate = value['uriTemplate'] ?? uri;
  const { name } = value;
  return typeof uriTemplate === 'string' && typeof name === 'string' ? { ...value, uriTemplate, name } : undefined;
}

function readPrompt(value: JsonObject): Prompt | undefined {
  const { name, arguments: args, ...rest } = value;
  if (typeof name !== 'string') return undefined;
  if (!Array.isArray(args)) return { ...rest, name };
  return { ...rest, name, arguments: args.flatMap(readArgument) };
}

/** `required` defaults to false. */
function readArgument(value: unknown): PromptArgument[] {
  if (!isObject(value) || typeof value['name'] !== 'string') return [];
  return [{ ...dropInvalidMembers(value), name: value['name'], required: value['required'] === true }];
}

/** Whether the error means that the server advertises a list without implementing it, as several published servers do. */
export const isMissingList = (error: unknown): boolean => error instanceof RpcError && error.code === METHOD_NOT_FOUND;

/** Describes a missing list. Undefined for templates: they have no capability, so servers without templates can lack the method. */
export const missingListFault = (method: string): string | undefined =>
  method === lists.templates.method
    ? undefined
    : `${method} is not implemented, although the server advertises ${method.split('/', 1)[0]}`;
