/** Builds method tables of revisions from that of the previous one, and validates the params of each method. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ChangeFilter } from '../model/change.ts';
import { type LoggingLevel, loggingLevels } from '../model/logging.ts';
import type {
  CallToolParams,
  CompleteParams,
  CompletionReference,
  GetPromptParams,
  ReadResourceParams,
} from '../model/parts.ts';
import { boolean, object, oneOf, optional, type Shape, shape, string, stringList, strings } from '../model/shape.ts';
import { isUri } from '../model/uri-template.ts';
import type { Method, MethodTable } from './contract.ts';

interface MethodChange {
  readonly requests?: Readonly<Record<string, Method>>;
  readonly questions?: readonly string[];
  readonly notifications?: readonly string[];
}

export const noMethods: MethodTable = { requests: new Map(), questions: new Set(), notifications: new Set() };

export function extendMethods(before: MethodTable, add: MethodChange): MethodTable {
  return {
    requests: new Map([...before.requests, ...Object.entries(add.requests ?? {})]),
    questions: new Set([...before.questions, ...(add.questions ?? [])]),
    notifications: new Set([...before.notifications, ...(add.notifications ?? [])]),
  };
}

export function withoutMethods(before: MethodTable, gone: readonly string[]): MethodTable {
  const isKept = (name: string): boolean => !gone.includes(name);
  return {
    requests: new Map([...before.requests].filter(([name]) => isKept(name))),
    questions: new Set([...before.questions].filter(isKept)),
    notifications: new Set([...before.notifications].filter(isKept)),
  };
}

/** Changes properties of these requests. */
export function changeMethods(before: MethodTable, names: readonly string[], change: Partial<Method>): MethodTable {
  const changed = (name: string, method: Method): Method => (names.includes(name) ? { ...method, ...change } : method);
  return { ...before, requests: new Map([...before.requests].map(([name, method]) => [name, changed(name, method)])) };
}

/** Optional params with any members. */
export const openParams: Shape<JsonObject | undefined> = (value, at) =>
  value === undefined ? undefined : object(value, at);

export const pageParams: Shape<{ cursor?: string } | undefined> = (value, at) =>
  value === undefined ? undefined : shape<{ cursor?: string }>({ cursor: optional(string) })(value, at);

export const callToolParams: Shape<CallToolParams> = shape<CallToolParams>({
  name: string,
  arguments: optional(object),
});
const uri: Shape<string> = (value, at) =>
  string(value, at) ?? (isUri(String(value)) ? undefined : `"${at}" must be a URI (RFC 3986)`);
const uris: Shape<readonly string[]> = (value, at) =>
  stringList(value, at) ?? firstFault(value as readonly string[], at); // checked by stringList
const firstFault = (list: readonly string[], at: string): string | undefined =>
  list.map((one, i) => uri(one, `${at}[${i}]`)).find((fault) => fault !== undefined);
export const readResourceParams: Shape<ReadResourceParams> = shape<ReadResourceParams>({ uri });
export const getPromptParams: Shape<GetPromptParams> = shape<GetPromptParams>({
  name: string,
  arguments: optional(strings),
});

const referenceKind = shape<Pick<CompletionReference, 'type'>>({ type: oneOf('ref/prompt', 'ref/resource') });
const promptReference = shape<{ readonly name: string }>({ name: string });
const resourceReference = shape<{ readonly uri: string }>({ uri: string });
const reference: Shape<CompletionReference> = (value, at) =>
  referenceKind(value, at) ??
  ((value as CompletionReference).type === 'ref/prompt' ? promptReference : resourceReference)(value, at); // its kind was checked
export const completeParams: Shape<CompleteParams> = shape<CompleteParams>({
  ref: reference,
  argument: shape<CompleteParams['argument']>({ name: string, value: string }),
  context: optional(shape<NonNullable<CompleteParams['context']>>({ arguments: optional(strings) })),
});

export const setLevelParams: Shape<{ level: LoggingLevel }> = shape<{ level: LoggingLevel }>({
  level: oneOf<LoggingLevel>(...loggingLevels),
});

export const listenParams: Shape<{ notifications: ChangeFilter }> = shape<{ notifications: ChangeFilter }>({
  notifications: shape<ChangeFilter>({
    toolsListChanged: optional(boolean),
    promptsListChanged: optional(boolean),
    resourcesListChanged: optional(boolean),
    resourceSubscriptions: optional(uris),
  }),
});

interface InitializeParams {
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly clientInfo: { readonly name: string; readonly version: string };
}
export const initializeParams: Shape<InitializeParams> = shape<InitializeParams>({
  protocolVersion: string,
  capabilities: object,
  clientInfo: shape<InitializeParams['clientInfo']>({ name: string, version: string }),
});
