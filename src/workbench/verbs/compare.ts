/** The verb that makes one call in two revisions, or at two servers, and aligns the messages. */
import { badDefinition } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { lineDiff } from '../../model/line-diff.ts';
import { DISCOVER, INITIALIZED } from '../../model/names.ts';
import { object, shape, string } from '../../model/shape.ts';
import type { VerbParams } from '../protocol.ts';
import type { CompareRow, CompareSide, MessageDetail } from '../protocol-timeline.ts';
import { type VerbTable, verb } from '../rpc.ts';
import { runCall } from '../tool-calls.ts';
import type { Workbench } from '../workbench.ts';
import { messageDetail } from './timeline.ts';

/** Messages per side. */
const MAX_MESSAGES = 300;

type CompareParams = VerbParams<'compare'>;
const side = shape<CompareParams['left']>({ server: string, revision: string });

export function compareVerbs(bench: Workbench): VerbTable {
  let isRunning = false;
  return {
    compare: verb(
      { call: shape<CompareParams['call']>({ tool: string, arguments: object }), left: side, right: side },
      async ({ call, left, right }) => {
        // A second comparison would take the revision of the first one for the user's choice.
        if (isRunning) throw badDefinition('The comparison', 'another one is running; wait until it ends');
        const chosen = new Map([left, right].map(({ server }) => [server, bench.servers.info(server).chosen ?? null]));
        isRunning = true;
        try {
          const sides = { left: await callIn(bench, call, left), right: await callIn(bench, call, right) };
          return { ...sides, rows: alignMessages(sides.left.messages, sides.right.messages) };
        } finally {
          for (const [server, revision] of chosen) await bench.servers.connect(server, revision);
          isRunning = false;
        }
      },
    ),
  };
}

/** Restarts the server in the revision, so that its handshake is included, and calls the tool. */
async function callIn(
  bench: Workbench,
  call: CompareParams['call'],
  { server, revision }: CompareParams['left'],
): Promise<CompareSide> {
  const before = bench.history.size;
  await bench.servers.restart(server, revision);
  const params = { server, ...call };
  const follow = (): void => undefined;
  const outcome = await bench.acts.run({ server }, (options, ref) => runCall(bench, { params, ref, options, follow }));
  const messages: MessageDetail[] = [];
  // Skips messages that closed the previous connection: starts at the new handshake.
  let isOpened = false;
  for (const row of bench.history.messagesOf(server)) {
    const meaning = meaningOf(row.method);
    isOpened ||= row.id > before && meaning === 'handshake';
    if (isOpened && messages.length < MAX_MESSAGES && meaning !== '') messages.push(messageDetail(bench, row));
  }
  const calls = messages.filter(({ kind, side: from }) => kind === 'request' && from === '>').length;
  const bytes = messages.reduce((sum, one) => sum + one.bytes, 0);
  return {
    server,
    revision: bench.servers.info(server).revision ?? revision,
    outcome,
    messages,
    roundTrips: calls,
    bytes,
  };
}

/** Aligns messages by meaning: pairs up the longest common subsequence. */
function alignMessages(left: readonly MessageDetail[], right: readonly MessageDetail[]): readonly CompareRow[] {
  const [ones, others] = [left.values(), right.values()];
  return lineDiff(left.map(meaningOfMessage), right.map(meaningOfMessage)).flatMap(({ sign, text: meaning }) => {
    const one = sign === '+' ? undefined : ones.next().value;
    const other = sign === '-' ? undefined : others.next().value;
    if (one !== undefined && other !== undefined) return [pairOf(one, other, meaning)];
    return [{ left: one?.id, right: other?.id, relation: 'one' as const, meaning, notes: [] }];
  });
}

function pairOf(left: MessageDetail, right: MessageDetail, meaning: string): CompareRow {
  const [one, other] = [bodyOf(left.message), bodyOf(right.message)];
  const isSame = left.method === right.method && canonicalJson(one) === canonicalJson(other);
  // Different methods or kinds share few members, so a list of differences would be noise.
  const isAlike = left.method === right.method && left.kind === right.kind;
  const notes = isAlike ? [...addedMembers(one, other, '+'), ...addedMembers(other, one, '−')] : [];
  return { left: left.id, right: right.id, relation: isSame ? 'same' : 'alike', meaning, notes };
}

const bodyOf = (message: JsonObject): JsonObject => {
  const body = message['params'] ?? message['result'] ?? message['error'];
  return isObject(body) ? body : {};
};

/** Members of `to` that `from` lacks, such as `+ _meta (3 members)`. */
const addedMembers = (from: JsonObject, to: JsonObject, sign: string): readonly string[] =>
  Object.entries(to).flatMap(([key, value]) => {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    if (before !== undefined && !(isObject(before) && isObject(value))) return [];
    if (!isObject(value)) return [`${sign} ${key}`];
    const added = Object.keys(value).filter((one) => !isObject(before) || !Object.hasOwn(before, one)).length;
    return added === 0 && before !== undefined
      ? []
      : [`${sign} ${key} (${added} ${added === 1 ? 'member' : 'members'})`];
  });

/** The meaning of a method; empty if it does not belong to the call. */
function meaningOf(method: string): string {
  if (method === 'initialize' || method === DISCOVER) return 'handshake';
  if (method === INITIALIZED) return 'ready';
  if (method === 'tools/call') return 'call';
  if (/^(?:elicitation|sampling|roots)\//.test(method)) return 'question';
  return method.startsWith('notifications/') && !method.includes('subscriptions') ? 'notification' : '';
}

function meaningOfMessage({ method, kind, side: from, message }: MessageDetail): string {
  const meaning = meaningOf(method);
  if (meaning === 'handshake' || meaning === 'ready' || meaning === 'notification') return `${meaning} ${from}`;
  if (meaning === 'question') return kind === 'request' ? 'question' : 'answer';
  if (kind === 'request') return bodyOf(message)['inputResponses'] === undefined ? 'call' : 'answer';
  return bodyOf(message)['inputRequests'] === undefined ? 'result' : 'question';
}
