/** Sends the requests of a recording to a live server, and compares its responses with the recorded ones (`mooring replay --against`). */
import { McpError, RpcError } from '../../errors.ts';
import {
  failure,
  type Id,
  isObject,
  isRequest,
  isResponse,
  METHOD_NOT_FOUND,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import { CANCELLED } from '../../model/names.ts';
import { CallLink, detachedLink } from '../../peer/call-link.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Connection, Exchange, Transport } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { untilAborted, withTimeout } from '../../peer/wait.ts';
import { type RecordedCall, recordedCalls } from '../../recording/recorded-calls.ts';
import type { CassetteLine, Recording } from '../../recording/recording.ts';
import type { Scrubber } from '../../recording/scrub.ts';
import { openingChannel } from '../../revisions/opening.ts';
import { adoptRevision } from '../trace/proxy.ts';

export interface ReplayOutcome extends Partial<MessageDifference> {
  readonly id: Id;
  readonly method: string;
  readonly state: 'same' | 'drift' | 'skipped';
  /** Why the request was skipped. */
  readonly why?: string;
}

export interface ReplayContext {
  readonly transport: Transport;
  readonly scrubber: Scrubber;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Timeout of one response. */
  readonly timeoutMs: number;
  progress(done: number, total: number): void;
}

/** Sends the recorded messages one at a time, in their order. */
export async function compare({ head, lines }: Recording, comparing: ReplayContext): Promise<readonly ReplayOutcome[]> {
  const calls = new Map(recordedCalls(lines).map((call) => [call.request, call]));
  const session: PeerSession = {};
  const states = new LiveStates();
  const connection = await comparing.transport(recordedAnswers(lines), session);
  const outcomes: ReplayOutcome[] = [];
  try {
    for (const { side, message } of lines) {
      if (side === '<' || isResponse(message)) continue;
      const call = isRequest(message) ? calls.get(message) : undefined;
      if (call !== undefined) {
        comparing.progress(outcomes.length, calls.size);
        outcomes.push(await outcomeOf(call, { connection, session, states, mask: head.mask, comparing }));
      } else if (message.method !== CANCELLED) await inTime(connection.exchange(message, detachedLink), comparing);
    }
  } finally {
    await connection.close();
  }
  return outcomes;
}

interface RequestSender {
  readonly connection: Connection;
  readonly session: PeerSession;
  readonly states: LiveStates;
  readonly mask: string;
  readonly comparing: ReplayContext;
}

async function outcomeOf({ request, response }: RecordedCall, sender: RequestSender): Promise<ReplayOutcome> {
  const { id, method } = request;
  if (response === undefined) return { id, method, state: 'skipped', why: 'the recording has no response' };
  if (JSON.stringify(request).includes(sender.mask))
    return { id, method, state: 'skipped', why: 'the recording masks a secret in this request, so it cannot be sent' };
  const { states, comparing } = sender;
  const live = comparing.scrubber.message(
    states.toRecorded(response, await sendRequest(states.toLive(request), sender)),
  );
  const found = differenceIn(outcomeIn(response), outcomeIn(live));
  return found === undefined ? { id, method, state: 'same' } : { id, method, state: 'drift', ...found };
}

const outcomeIn = (response: RpcResponse): object =>
  'error' in response ? { error: response.error } : { result: response.result };

async function sendRequest(request: RpcRequest, sender: RequestSender): Promise<RpcResponse> {
  const { connection, session, comparing } = sender;
  const { timeoutMs } = comparing;
  const link = new CallLink(request, openingChannel);
  const { method } = request;
  const response = await inTime(connection.exchange(request, link), comparing);
  if (response === undefined) {
    const timedOut = new McpError('MCP_TIMEOUT', { method, ms: timeoutMs, setting: '--timeout' });
    link.cancel(timedOut);
    throw timedOut;
  }
  if (method === 'initialize') adoptRevision(response, session);
  return response;
}

const inTime = <T>(exchange: Promise<T>, { timeoutMs, clock, signal }: ReplayContext): Promise<T | undefined> =>
  untilAborted(withTimeout(timeoutMs, clock, exchange), signal);

/** Answers requests of the live server with the recorded responses to the same method, in their order. */
function recordedAnswers(lines: readonly CassetteLine[]): Exchange {
  // Seen from the other side, the requests of the server are calls too.
  const turned = lines.map((line): CassetteLine => ({ ...line, side: line.side === '>' ? '<' : '>' }));
  const answers = new Map<string, RpcResponse[]>();
  for (const { request, response } of recordedCalls(turned)) {
    if (response === undefined) continue;
    const known = answers.get(request.method);
    if (known === undefined) answers.set(request.method, [response]);
    else known.push(response);
  }
  return async (message) => {
    if (!isRequest(message)) return undefined;
    const answer = answers.get(message.method)?.shift();
    if (answer === undefined)
      return failure(message.id, new RpcError(METHOD_NOT_FOUND, `${message.method} was never recorded`));
    return { ...answer, id: message.id };
  };
}

export interface MessageDifference {
  /** Path of the difference, such as `result.tools.0.description`; empty if the whole value differs. */
  readonly at: string;
  readonly recorded: unknown;
  readonly live: unknown;
}

/** The first difference between two JSON values; undefined if they are equal. */
function differenceIn(recorded: unknown, live: unknown, at: readonly string[] = []): MessageDifference | undefined {
  const lists = Array.isArray(recorded) && Array.isArray(live);
  if (!lists && !(isObject(recorded) && isObject(live)))
    return Object.is(recorded, live) ? undefined : { at: at.join('.'), recorded, live };
  const [then, now] = [membersOf(recorded), membersOf(live)];
  for (const key of new Set([...then.keys(), ...now.keys()])) {
    const found = differenceIn(then.get(key), now.get(key), [...at, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

const membersOf = (value: object): ReadonlyMap<string, unknown> => new Map(Object.entries(value));

/** The result and request member with the sealed state of a suspended call. */
const MEMBER = 'requestState';

/** Maps recorded request states to live ones: a server seals a different state in each run. */
export class LiveStates {
  /** Live state by recorded state. */
  readonly #live: Map<string, string> = new Map();

  /** Replaces the recorded state in a request with the live one. */
  toLive(request: RpcRequest): RpcRequest {
    const state = this.#live.get(String(request.params?.[MEMBER]));
    return state === undefined ? request : { ...request, params: { ...request.params, [MEMBER]: state } };
  }

  /** Replaces the live state in a response with the recorded one, if both have one, so that it is no difference. */
  toRecorded(recorded: RpcResponse, live: RpcResponse): RpcResponse {
    if ('error' in recorded || 'error' in live) return live;
    const [then, now] = [recorded.result[MEMBER], live.result[MEMBER]];
    if (typeof then !== 'string' || typeof now !== 'string') return live;
    this.#live.set(then, now);
    return { ...live, result: { ...live.result, [MEMBER]: then } };
  }
}
