/** What an act may send: the messages that its record allows, as parsed values to compare with what is about to leave. */
import { isObject, type JsonObject, type RpcRequest } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import {
  CANCELLED,
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  DISCOVER,
  INITIALIZED,
  LISTEN,
  LOG_LEVEL,
  PROGRESS,
  PROTOCOL_VERSION,
  ROOTS_CHANGED,
} from '../../model/names.ts';
import { revisions } from '../../revisions/index.ts';
import type { Act, ActKind } from '../act/act.ts';

/** What a server gets as long as it may be connected at all, and the members that each message may have. */
const routine: ReadonlyMap<string, readonly string[]> = new Map([
  ['initialize', ['protocolVersion', 'capabilities', 'clientInfo']],
  ['ping', []],
  [DISCOVER, []],
  ['tools/list', ['cursor']],
  ['prompts/list', ['cursor']],
  ['resources/list', ['cursor']],
  ['resources/templates/list', ['cursor']],
  ['resources/subscribe', ['uri']],
  ['resources/unsubscribe', ['uri']],
  [LISTEN, ['notifications']],
  ['logging/setLevel', ['level']],
  [INITIALIZED, []],
  [ROOTS_CHANGED, []],
  // Reasons and messages of progress are prose that no record allows.
  [CANCELLED, ['requestId']],
  [PROGRESS, ['progressToken', 'progress', 'total']],
  // A host with skills asks without consent only for URIs that the server itself has named.
  ['skills/list', ['cursor']],
  ['skills/get', ['uri']],
]);

/** The kinds of act that answer a question of a server, by its method. */
export const answerKinds: ReadonlyMap<string, ActKind> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** Set by the client alone, which lets no caller set them. */
export const protocolMeta: ReadonlySet<string> = new Set([
  'progressToken',
  PROTOCOL_VERSION,
  CLIENT_INFO,
  CLIENT_CAPABILITIES,
  LOG_LEVEL,
]);

const taskMethods: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/update', 'tasks/cancel']);

const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** Whether the message is one that every open connection needs, with nothing else in it. */
export function isRoutine(method: string, { _meta, ...params }: JsonObject = {}): boolean {
  const members = routine.get(method);
  const { notifications } = params;
  return (
    members !== undefined &&
    // Tasks belong to acts.
    !(isObject(notifications) && notifications['taskIds'] !== undefined) &&
    isEqual(callerMeta(_meta), {}) &&
    Object.entries(params).every(([key, value]) => value === undefined || members.includes(key))
  );
}

/** Whether a request listens to tasks of these acts, and to nothing else. */
export function listensTo({ method, params = {} }: RpcRequest, acts: readonly { readonly taskId: unknown }[]): boolean {
  const { _meta, ...said } = params;
  const { taskIds } = isObject(said['notifications']) ? said['notifications'] : {};
  const isOurs = (id: unknown): boolean => typeof id === 'string' && acts.some(({ taskId }) => taskId === id);
  return (
    method === LISTEN &&
    Array.isArray(taskIds) &&
    taskIds.every(isOurs) &&
    isEqual(said, { notifications: { taskIds } }) &&
    isEqual(callerMeta(_meta), {})
  );
}

/** A method of no revision: `session.request` sends those, and no others, so that it is no way around rules for tools. */
export const isExtensionMethod = (method: string): boolean =>
  !method.startsWith('notifications/') && !revisions.some((one) => one.methods.requests.has(method));

/**
 * What a request brings along besides what the act says: answers to the questions of the last result, and its state. Undefined where it
 * is not the request of this act, word for word.
 */
export function matchRequest(act: Act, { method, params = {} }: RpcRequest): JsonObject | undefined {
  const { _meta, ...sent } = params;
  const { inputResponses, requestState, task, ...own } = sent;
  const mayAsk = act.kind === 'tool' || act.kind === 'resource' || act.kind === 'prompt';
  const said = mayAsk ? { ...own, ...(act.kind === 'tool' && isTaskWish(task) ? {} : { task }) } : sent;
  const fits = requestsOf(act).some((one) => one.method === method && isEqual(one.params, said));
  if (!fits || !isEqual(callerMeta(_meta), act.meta ?? {})) return undefined;
  return mayAsk ? { inputResponses, requestState } : {};
}

/** The same for a request about the task that an act has become. */
export function matchTaskRequest(act: Act, taskId: unknown, request: RpcRequest): JsonObject | undefined {
  const { method, params = {} } = request;
  const { _meta, inputResponses, ...rest } = params;
  if (taskId === undefined || !taskMethods.has(method) || !isEqual(rest, { taskId })) return undefined;
  if (![{}, act.meta ?? {}].some((one) => isEqual(one, callerMeta(_meta)))) return undefined;
  return inputResponses === undefined || method === 'tasks/update' ? { inputResponses } : undefined;
}

/** Every form in which a revision may spell the request of an act. Acts that send no request of their own have none. */
function requestsOf({ kind, name, arguments: args }: Act): readonly { method: string; params: JsonObject }[] {
  if (kind === 'tool') return [{ method: 'tools/call', params: { name, arguments: args } }];
  if (kind === 'resource' || kind === 'skill') return [{ method: 'resources/read', params: { uri: name } }];
  // Arguments of prompts are strings on the wire, whatever they were before.
  if (kind === 'prompt') return [{ method: 'prompts/get', params: { name, arguments: asStrings(args) } }];
  if (kind === 'extension') return isExtensionMethod(name) ? [{ method: name, params: args }] : [];
  if (kind !== 'completion') return [];
  const refs = [
    { type: 'ref/prompt', name },
    { type: 'ref/resource', uri: name },
  ];
  // The oldest revisions leave the context out.
  return refs.flatMap((ref) =>
    [args, { ...args, context: undefined }].map((one) => ({ method: 'completion/complete', params: { ...one, ref } })),
  );
}

/** What the caller put into `_meta`; what is no object equals no permitted one. */
function callerMeta(meta: unknown): unknown {
  if (meta === undefined) return {};
  return isObject(meta) ? Object.fromEntries(Object.entries(meta).filter(([key]) => !protocolMeta.has(key))) : meta;
}

/** The wish that a call becomes a task, where a caller says so: a lifetime, and nothing else. */
const isTaskWish = (task: unknown): boolean =>
  isObject(task) && Object.entries(task).every(([key, value]) => key === 'ttl' && typeof value === 'number');

const asStrings = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value)]));
