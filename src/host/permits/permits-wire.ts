/** What the messages of a client are about, as far as leave to send them goes. */
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
import type { Act, ActKind } from '../act/act.ts';

/** What goes to a server as long as it may be talked to at all, and the members that each may have. */
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
  // Reasons and reports are prose, and nobody allowed that.
  [CANCELLED, ['requestId']],
  [PROGRESS, ['progressToken', 'progress', 'total']],
]);

/** The protocol's own; whatever else a caller puts there was shown to nobody. */
const metaKeys: readonly string[] = ['progressToken', PROTOCOL_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES, LOG_LEVEL];

const again: readonly string[] = ['inputResponses', 'requestState'];

/** How a kind of act looks on the wire. */
interface WireCallShape {
  readonly kind: ActKind;
  readonly members: readonly string[];
  name(params: JsonObject): unknown;
  /** Whether what is sent is what was allowed. */
  same(params: JsonObject, allowed: JsonObject): boolean;
}

const equal = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

const calls: ReadonlyMap<string, WireCallShape> = new Map<string, WireCallShape>([
  [
    'tools/call',
    {
      kind: 'tool',
      members: ['name', 'arguments', ...again],
      name: ({ name }) => name,
      same: ({ arguments: sent = {} }, allowed) => equal(sent, allowed),
    },
  ],
  ['resources/read', { kind: 'resource', members: ['uri', ...again], name: ({ uri }) => uri, same: () => true }],
  [
    'prompts/get',
    {
      kind: 'prompt',
      members: ['name', 'arguments', ...again],
      name: ({ name }) => name,
      // Arguments of prompts are strings on the wire, whatever they were before.
      same: ({ arguments: sent = {} }, allowed) =>
        equal(sent, Object.fromEntries(Object.entries(allowed).map(([key, value]) => [key, String(value)]))),
    },
  ],
  [
    'completion/complete',
    {
      kind: 'completion',
      members: ['ref', 'argument', 'context'],
      name: ({ ref }) => (isObject(ref) ? (ref['name'] ?? ref['uri']) : undefined),
      // Revisions without a context leave it out.
      same: ({ argument, context }, allowed) =>
        equal(argument, allowed['argument']) && (context === undefined || equal(context, allowed['context'])),
    },
  ],
]);

/** The kinds of act that answer a server's question, by its method. */
export const questions: ReadonlyMap<string, ActKind> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

export const isRoutine = (method: string, params: JsonObject = {}): boolean => {
  const members = routine.get(method);
  return members !== undefined && hasOnly(params, members);
};

/** Whether a request does what an act says, and nothing besides. */
export function coversRequest({ kind, name, arguments: allowed }: Act, { method, params = {} }: RpcRequest): boolean {
  const call = calls.get(method);
  return (
    call?.kind === kind && hasOnly(params, call.members) && call.name(params) === name && call.same(params, allowed)
  );
}

function hasOnly(params: JsonObject, members: readonly string[]): boolean {
  const meta = params['_meta'];
  if (meta !== undefined && !(isObject(meta) && Object.keys(meta).every((key) => metaKeys.includes(key)))) return false;
  return Object.keys(params).every((key) => key === '_meta' || params[key] === undefined || members.includes(key));
}

/**
 * Whether an answer says nothing that was not allowed. Revisions put the same answer in different forms, and leave out what they
 * have no word for, so it is the values that must have been there, each as often.
 */
export function saysOnly(answer: unknown, allowed: unknown, theirs: unknown): boolean {
  const left = new Map<string, number>();
  for (const leaf of leaves(allowed)) left.set(leaf, (left.get(leaf) ?? 0) + 1);
  const own = new Set(leaves(theirs));
  for (const leaf of leaves(answer)) {
    const more = left.get(leaf) ?? 0;
    if (more > 0) left.set(leaf, more - 1);
    else if (!own.has(leaf)) return false;
  }
  return true;
}

/** What a form puts in where the user left something out: the server's own words. */
export function defaultsIn(question: JsonObject): unknown {
  const schema = question['requestedSchema'];
  const fields = isObject(schema) && isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return fields.map(([key, field]) => ({ [key]: isObject(field) ? field['default'] : undefined }));
}

/** A refusal tells nothing but itself. */
export const isDeclined = (answer: unknown): boolean =>
  isObject(answer) && Object.keys(answer).length === 1 && ['decline', 'cancel'].includes(String(answer['action']));

/** Values with the names they stand under; in lists, under the name of the list. */
function leaves(value: unknown, name = ''): string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => leaves(one, name));
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => leaves(one, key));
  return [JSON.stringify([name, value])];
}
