/** Asks a live server what was asked when a cassette was recorded, and compares what it says. */
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
import { agree } from '../trace/proxy.ts';

export interface ReplayOutcome extends Partial<MessageDifference> {
  readonly id: Id;
  readonly method: string;
  readonly state: 'same' | 'drift' | 'skipped';
  /** Of what was skipped. */
  readonly why?: string;
}

export interface ReplayContext {
  readonly transport: Transport;
  readonly scrubber: Scrubber;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** How long an answer may take. */
  readonly timeoutMs: number;
  progress(done: number, total: number): void;
}

/** In the order of the recording, one after the other. */
export async function compare({ head, lines }: Recording, comparing: ReplayContext): Promise<readonly ReplayOutcome[]> {
  const takes = new Map(recordedCalls(lines).map((take) => [take.request, take]));
  const session: PeerSession = {};
  const states = new LiveStates();
  const line = await comparing.transport(answering(lines), session);
  const outcomes: ReplayOutcome[] = [];
  try {
    for (const { side, message } of lines) {
      if (side === '<' || isResponse(message)) continue;
      const take = isRequest(message) ? takes.get(message) : undefined;
      if (take !== undefined) {
        comparing.progress(outcomes.length, takes.size);
        outcomes.push(await outcomeOf(take, { line, session, states, mask: head.mask, comparing }));
      } else if (message.method !== CANCELLED) await line.exchange(message, detachedLink);
    }
  } finally {
    await line.close();
  }
  return outcomes;
}

interface RequestSender {
  readonly line: Connection;
  readonly session: PeerSession;
  readonly states: LiveStates;
  readonly mask: string;
  readonly comparing: ReplayContext;
}

async function outcomeOf({ request, response }: RecordedCall, asking: RequestSender): Promise<ReplayOutcome> {
  const { id, method } = request;
  if (response === undefined) return { id, method, state: 'skipped', why: 'it was never answered' };
  if (JSON.stringify(request).includes(asking.mask))
    return { id, method, state: 'skipped', why: 'a secret in it was masked, so that it cannot be sent again' };
  const { states, comparing } = asking;
  const live = comparing.scrubber.message(states.toRecorded(response, await answerTo(states.toLive(request), asking)));
  const found = differenceIn(outcomeIn(response), outcomeIn(live));
  return found === undefined ? { id, method, state: 'same' } : { id, method, state: 'drift', ...found };
}

const outcomeIn = (response: RpcResponse): object =>
  'error' in response ? { error: response.error } : { result: response.result };

async function answerTo(request: RpcRequest, { line, session, comparing }: RequestSender): Promise<RpcResponse> {
  const { timeoutMs, clock, signal } = comparing;
  const link = new CallLink(request, openingChannel);
  const { method } = request;
  const answer = line.exchange(request, link);
  const response = await untilAborted(withTimeout(timeoutMs, clock, answer), signal);
  if (response === undefined) {
    const late = new McpError('MCP_TIMEOUT', { method, ms: timeoutMs, setting: '--timeout' });
    link.cancel(late);
    throw late;
  }
  if (method === 'initialize') agree(response, session);
  return response;
}

/** Questions of the server are answered as they were then, each in its turn. */
function answering(lines: readonly CassetteLine[]): Exchange {
  const answers = new Map<string, RpcResponse[]>();
  for (const { side, message } of lines) {
    if (side === '>' || !isRequest(message)) continue;
    const answer = lines.find((one) => one.side === '>' && isResponse(one.message) && one.message.id === message.id);
    if (answer !== undefined && isResponse(answer.message))
      answers.set(message.method, [...(answers.get(message.method) ?? []), answer.message]);
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
  /** `result.tools.0.description`; empty where all of it differs. */
  readonly at: string;
  readonly recorded: unknown;
  readonly live: unknown;
}

/** The first place where two JSON values differ; undefined where they are the same. */
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

/** Where the sealed state of a suspended call stands. */
const MEMBER = 'requestState';

/** Sealed states are others in every run, so the live one takes the place of the recorded one. */
export class LiveStates {
  /** By the recorded state. */
  readonly #live: Map<string, string> = new Map();

  /** A recorded request as the live server understands it. */
  toLive(request: RpcRequest): RpcRequest {
    const state = this.#live.get(String(request.params?.[MEMBER]));
    return state === undefined ? request : { ...request, params: { ...request.params, [MEMBER]: state } };
  }

  /** A live response with the state that was recorded, if both have one. */
  toRecorded(recorded: RpcResponse, live: RpcResponse): RpcResponse {
    if ('error' in recorded || 'error' in live) return live;
    const [then, now] = [recorded.result[MEMBER], live.result[MEMBER]];
    if (typeof then !== 'string' || typeof now !== 'string') return live;
    this.#live.set(then, now);
    return { ...live, result: { ...live.result, [MEMBER]: then } };
  }
}
