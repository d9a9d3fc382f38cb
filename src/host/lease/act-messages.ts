/** Decides which messages an act allows. Compares the parsed message with the act, immediately before it is sent. */
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

/** Messages that an open connection can send without a lease, and the params that each can have. */
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
  // Without `reason` and `message`: free text that no audit record covers.
  [CANCELLED, ['requestId']],
  [PROGRESS, ['progressToken', 'progress', 'total']],
  // The host gets a skill without consent only if the server itself has named the URI.
  ['skills/list', ['cursor']],
  ['skills/get', ['uri']],
]);

/** The kind of act that answers a request of a server, by method. */
export const answerKinds: ReadonlyMap<string, ActKind> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** Members of `_meta` that only the client sets: it rejects them from callers. */
export const protocolMeta: ReadonlySet<string> = new Set([
  'progressToken',
  PROTOCOL_VERSION,
  CLIENT_INFO,
  CLIENT_CAPABILITIES,
  LOG_LEVEL,
]);

const taskMethods: ReadonlySet<string> = new Set(['tasks/get', 'tasks/result', 'tasks/update', 'tasks/cancel']);

const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** Whether a message needs no lease: a routine method, with only its own params and no caller's `_meta`. */
export function isRoutine(method: string, { _meta, ...params }: JsonObject = {}): boolean {
  const members = routine.get(method);
  const { notifications } = params;
  return (
    members !== undefined &&
    // Subscribing to a task needs the lease of the act that started it.
    !(isObject(notifications) && notifications['taskIds'] !== undefined) &&
    isEqual(callerMeta(_meta), {}) &&
    Object.entries(params).every(([key, value]) => value === undefined || members.includes(key))
  );
}

/** Whether a request subscribes to tasks of these leases only. */
export function listensOnlyToTasksOf(
  leases: readonly { readonly taskId: unknown }[],
  { method, params = {} }: RpcRequest,
): boolean {
  const { _meta, ...sent } = params;
  const { taskIds } = isObject(sent['notifications']) ? sent['notifications'] : {};
  const isOurs = (id: unknown): boolean => typeof id === 'string' && leases.some(({ taskId }) => taskId === id);
  return (
    method === LISTEN &&
    Array.isArray(taskIds) &&
    taskIds.every(isOurs) &&
    isEqual(sent, { notifications: { taskIds } }) &&
    isEqual(callerMeta(_meta), {})
  );
}

/** Whether no revision defines the method. `session.request` sends only these, so it cannot bypass rules for tools. */
export const isExtensionMethod = (method: string): boolean =>
  !method.startsWith('notifications/') && !revisions.some((one) => one.methods.requests.has(method));

/**
 * Matches a request with its act: all members must be equal, except answers to the questions of the last result and its state, which
 * are returned. Undefined if the request is not that of the act.
 */
export function matchRequest(act: Act, { method, params = {} }: RpcRequest): JsonObject | undefined {
  const { _meta, ...sent } = params;
  const { inputResponses, requestState, task, ...own } = sent;
  const canAsk = act.kind === 'tool' || act.kind === 'resource' || act.kind === 'prompt';
  const fixed = canAsk ? { ...own, ...(act.kind === 'tool' && isTaskSetting(task) ? {} : { task }) } : sent;
  const isAllowed = requestsOf(act).some((one) => one.method === method && isEqual(one.params, fixed));
  if (!isAllowed || !isEqual(callerMeta(_meta), act.meta ?? {})) return undefined;
  return canAsk ? { inputResponses, requestState } : {};
}

/** Does the same for a request about the task that an act has become. */
export function matchTaskRequest(act: Act, taskId: unknown, request: RpcRequest): JsonObject | undefined {
  const { method, params = {} } = request;
  const { _meta, inputResponses, ...rest } = params;
  if (taskId === undefined || !taskMethods.has(method) || !isEqual(rest, { taskId })) return undefined;
  if (![{}, act.meta ?? {}].some((one) => isEqual(one, callerMeta(_meta)))) return undefined;
  return inputResponses === undefined || method === 'tasks/update' ? { inputResponses } : undefined;
}

/** The request of an act, in the form of each revision. Empty for acts that send no request. */
function requestsOf({ kind, name, arguments: args }: Act): readonly { method: string; params: JsonObject }[] {
  if (kind === 'tool') return [{ method: 'tools/call', params: { name, arguments: args } }];
  if (kind === 'resource' || kind === 'skill') return [{ method: 'resources/read', params: { uri: name } }];
  // The client converts arguments of prompts to strings.
  if (kind === 'prompt') return [{ method: 'prompts/get', params: { name, arguments: asStrings(args) } }];
  if (kind === 'extension') return isExtensionMethod(name) ? [{ method: name, params: args }] : [];
  if (kind !== 'completion') return [];
  const refs = [
    { type: 'ref/prompt', name },
    { type: 'ref/resource', uri: name },
  ];
  // The oldest revisions have no `context`.
  return refs.flatMap((ref) =>
    [args, { ...args, context: undefined }].map((one) => ({ method: 'completion/complete', params: { ...one, ref } })),
  );
}

/** The caller's members of `_meta`. A value that is not an object is returned unchanged, and equals no permitted one. */
function callerMeta(meta: unknown): unknown {
  if (meta === undefined) return {};
  return isObject(meta) ? Object.fromEntries(Object.entries(meta).filter(([key]) => !protocolMeta.has(key))) : meta;
}

/** Whether `task` asks for a task with at most a lifetime, which needs no permission of its own. */
const isTaskSetting = (task: unknown): boolean =>
  isObject(task) && Object.entries(task).every(([key, value]) => key === 'ttl' && typeof value === 'number');

const asStrings = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).map(([key, value]) => [key, String(value)]));
