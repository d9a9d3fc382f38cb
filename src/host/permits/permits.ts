/** Leave to write to servers: given by the gate for as long as an act runs, and asked for by every line before a byte leaves. */
import { McpError } from '../../errors.ts';
import { isFailure, isObject, type JsonObject, type RpcRequest, type RpcResponse } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { requiredVisitsIn, URL_ELICITATION_REQUIRED } from '../../model/elicitation.ts';
import { UNSUPPORTED_VERSION } from '../../model/names.ts';
import type { Act, ActKind } from '../act/act.ts';
import { coversRequest, defaultsIn, isDeclined, questions, saysOnly } from './permits-wire.ts';

/** Answers that were allowed and never sent are forgotten, the oldest first. */
const MAX_ANSWERS = 100;
/** A line that broke is tried once more, as the client does. */
const MAX_SENDS = 2;

const openingKinds: readonly ActKind[] = ['spawn', 'connect'];
const answerKinds: readonly ActKind[] = [...questions.values(), 'visit'];
/** What a model is asked is shown to no server. */
const isAnswer = ({ kind, name }: Act): boolean =>
  answerKinds.includes(kind) && !(kind === 'sampling' && name === 'request');

/** An act that may be done now. */
interface OpenAct {
  readonly id: string;
  readonly act: Act;
}

/** One call: sent once, again where it got lost, and again for each round of questions that the server has. */
class PermittedCall implements OpenAct {
  readonly id: string;
  readonly act: Act;
  state: 'free' | 'under way' | 'spent' = 'free';
  sends = 0;
  /** What the last result wants to know, and the state that goes back with it. */
  asked: ReadonlyMap<string, JsonObject> = new Map();
  requestState: unknown;
  /** Pages that somebody must have agreed to visit before it is sent again. */
  visits: readonly unknown[] = [];
  /** What was sent in this round, and may be sent once more. */
  input: string | undefined;

  constructor(id: string, act: Act) {
    this.id = id;
    this.act = act;
  }
}

/** What is known of one server. */
class ServerPermits {
  readonly leases: Set<string> = new Set();
  readonly calls: Set<PermittedCall> = new Set();
  answers: OpenAct[] = [];
  readonly onEnd: Set<() => void> = new Set();
}

export class Permits {
  readonly #servers: Map<string, ServerPermits> = new Map();

  /** The act may be done until it is over. An opened way stays open; an answer may be sent when it is ready. */
  open(id: string, act: Act): { over(succeeded: boolean): void } {
    const standing = this.#of(act.server);
    const call = new PermittedCall(id, act);
    if (openingKinds.includes(act.kind)) standing.leases.add(id);
    else if (isAnswer(act)) standing.answers = [...standing.answers.slice(1 - MAX_ANSWERS), call];
    else standing.calls.add(call);
    return {
      over: (succeeded) => {
        standing.calls.delete(call);
        if (succeeded) return;
        standing.leases.delete(id);
        standing.answers = standing.answers.filter((one) => one !== call);
      },
    };
  }

  /** The server may no longer be talked to; its lines are closed. */
  end(server: string): void {
    const standing = this.#servers.get(server);
    this.#servers.delete(server);
    for (const listener of [...(standing?.onEnd ?? [])]) listener();
  }

  onEnd(server: string, listener: () => void): () => void {
    const { onEnd } = this.#of(server);
    onEnd.add(listener);
    return () => onEnd.delete(listener);
  }

  /** Whether the server may be talked to at all. */
  needLease(server: string, what: string): void {
    if (this.#of(server).leases.size === 0) throw refusal(server, what, 'nothing allows talking to this server');
  }

  /** Leave for one request; `settle` takes what came of it, undefined when nothing did. */
  take(server: string, request: RpcRequest): { settle(response: RpcResponse | undefined): void } {
    this.needLease(server, request.method);
    const standing = this.#of(server);
    const call = [...standing.calls].find(
      (one) =>
        one.state === 'free' &&
        one.sends < MAX_SENDS &&
        coversRequest(one.act, request) &&
        this.#continues(one, request),
    );
    if (call === undefined)
      throw refusal(server, request.method, 'no act with this name and these arguments is allowed');
    call.state = 'under way';
    call.sends++;
    return { settle: (response) => settled(call, response) };
  }

  /** Whether an answer to a question of the server may be sent; it may be sent once. */
  answers(server: string, question: JsonObject, answer: unknown): boolean {
    const standing = this.#of(server);
    if (standing.leases.size === 0) return false;
    if (isDeclined(answer)) return true;
    const kind = questions.get(String(question['method']));
    const params = isObject(question['params']) ? question['params'] : {};
    const found = standing.answers.find(
      ({ act }) =>
        (act.kind === kind || (act.kind === 'visit' && kind === 'elicitation' && params['url'] === act.name)) &&
        saysOnly(answer, act.arguments, defaultsIn(params)),
    );
    standing.answers = standing.answers.filter((one) => one !== found);
    return found !== undefined;
  }

  /** Whether a request goes on where the call stands: from the start, or with answers to what was asked. */
  #continues(call: PermittedCall, { params = {} }: RpcRequest): boolean {
    const { inputResponses, requestState } = params;
    if (requestState !== call.requestState || !this.#visited(call)) return false;
    const input = canonicalJson([inputResponses ?? null, requestState ?? null]);
    if (call.input === input) return true;
    const given =
      inputResponses === undefined ? [] : isObject(inputResponses) ? Object.entries(inputResponses) : undefined;
    if (given === undefined || !given.every(([key]) => call.asked.has(key))) return false;
    if (!given.every(([key, answer]) => this.answers(call.act.server, call.asked.get(key) ?? {}, answer))) return false;
    call.input = input;
    return true;
  }

  /** Each page takes leave of its own, which is used up. */
  #visited(call: PermittedCall): boolean {
    const standing = this.#of(call.act.server);
    const found = call.visits.map((url) =>
      standing.answers.find(({ act }) => act.kind === 'visit' && act.name === url),
    );
    if (found.includes(undefined)) return false;
    standing.answers = standing.answers.filter((one) => !found.includes(one));
    call.visits = [];
    return true;
  }

  #of(server: string): ServerPermits {
    const standing = this.#servers.get(server) ?? new ServerPermits();
    this.#servers.set(server, standing);
    return standing;
  }
}

function settled(call: PermittedCall, response: RpcResponse | undefined): void {
  call.state = 'free';
  // It got lost, or was not looked at for what it says.
  if (response === undefined || (isFailure(response) && response.error.code === UNSUPPORTED_VERSION)) return;
  const pages =
    isFailure(response) && response.error.code === URL_ELICITATION_REQUIRED
      ? requiredVisitsIn(response.error.data)
      : [];
  if (pages.length > 0) {
    call.visits = pages.map(({ url }) => url);
    call.input = undefined;
    call.sends = 0;
    return;
  }
  const wanted =
    isFailure(response) || response.result['resultType'] !== 'input_required' ? undefined : response.result;
  if (wanted === undefined) {
    call.state = 'spent';
    return;
  }
  const { inputRequests, requestState } = wanted;
  const asked = isObject(inputRequests) ? Object.entries(inputRequests) : [];
  call.asked = new Map(asked.map(([key, one]) => [key, isObject(one) ? one : {}]));
  call.requestState = requestState;
  call.input = undefined;
  call.sends = 0;
}

const refusal = (server: string, what: string, why: string): McpError =>
  new McpError('MCP_DENIED', { what: `${what} to ${server}`, why, rule: 'none', id: 'none' });
