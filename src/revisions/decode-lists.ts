/** Pages of lists: tools, resources, templates, prompts. */
import { RpcError } from '../errors.ts';
import { isObject, type JsonObject, METHOD_NOT_FOUND } from '../jsonrpc/message.ts';
import type { Prompt, PromptArgument, Resource, ResourceTemplate, Tool } from '../model/parts.ts';
import { malformedResult, readAll, type Warn } from './decode.ts';

/** What can be listed. */
export interface ListItems {
  readonly tools: Tool;
  readonly resources: Resource;
  readonly templates: ResourceTemplate;
  readonly prompts: Prompt;
}
export type ListName = keyof ListItems;

export interface ListKind<T> {
  /** What one item is called. */
  readonly kind: 'tool' | 'resource' | 'template' | 'prompt';
  /** What a server declares that has the list, and reports changes of it by. */
  readonly capability: 'tools' | 'resources' | 'prompts';
  readonly method: string;
  /** The member of the result that holds the items. */
  readonly member: string;
  /** The member of an item that no two of them share. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
  read(value: JsonObject): T | undefined;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** Undefined at the end. The empty string is a cursor like any other. */
  readonly nextCursor: string | undefined;
}

export const lists: { readonly [K in ListName]: ListKind<ListItems[K]> } = {
  tools: {
    ...{ kind: 'tool', capability: 'tools', method: 'tools/list', member: 'tools', key: 'name' },
    read: (value) => (isText(value['name']) && isObject(value['inputSchema']) ? (value as Tool) : undefined), // as just seen
  },
  resources: {
    ...{ kind: 'resource', capability: 'resources', method: 'resources/list', member: 'resources', key: 'uri' },
    read: (value) => (isText(value['uri']) && isText(value['name']) ? (value as Resource) : undefined), // as just seen
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

/** What no two items of a list share. Each was read as one of its kind. */
export const keyOfItem = ({ key }: Pick<ListKind<unknown>, 'key'>, item: unknown): string =>
  String((item as Readonly<Record<string, unknown>>)[key]);

export const listNames = Object.keys(lists) as readonly ListName[]; // its own keys

export function decodePage<T>(kind: ListKind<T>, result: JsonObject, warn: Warn): ListPage<T> {
  const items = result[kind.member];
  if (!Array.isArray(items)) throw malformedResult(kind.method, `"${kind.member}" must be a list`);
  const nextCursor = nextCursorIn(kind.method, result);
  const read = (value: JsonObject): T | undefined => kind.read(withoutOddMembers(value));
  return { items: readAll(items, read, `answer to ${kind.method}`, warn), nextCursor };
}

/** A cursor is kept and sent back, on every page: a server must not make it grow without end. */
export const MAX_CURSOR_LENGTH: number = 64 * 1024;

/** Undefined on the last page. */
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

/** The optional members that items of all kinds have. */
const optionalMembers: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['title', isText],
  ['description', isText],
  ['annotations', isObject],
  ['_meta', isObject],
  ['icons', areIcons],
]);

/** Members of another type are left out: readers rely on their types, and some servers write null for what they do not have. */
function withoutOddMembers(item: JsonObject): JsonObject {
  const isOdd = (key: string): boolean => optionalMembers.get(key)?.(item[key]) === false;
  if (!Object.keys(item).some(isOdd)) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => !isOdd(key)));
}

/** Some documents list a template under `uri`. */
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

/** An argument that does not say whether it is required is not. */
function readArgument(value: unknown): PromptArgument[] {
  if (!isObject(value) || typeof value['name'] !== 'string') return [];
  return [{ ...withoutOddMembers(value), name: value['name'], required: value['required'] === true }];
}

/** A server advertises a list and does not implement it, as several published servers do. */
export const isMissingList = (error: unknown): boolean => error instanceof RpcError && error.code === METHOD_NOT_FOUND;

/** Undefined for templates: they have no capability of their own, and a server without any need not know the method. */
export const missingListFault = (method: string): string | undefined =>
  method === lists.templates.method
    ? undefined
    : `${method} is not implemented, although the server advertises ${method.split('/', 1)[0]}`;
