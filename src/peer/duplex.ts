/**
 * One side of a conversation on a channel that both sides write to: a pipe, a socket, a queue. The only place in the
 * house that matches answers to questions; where every request has a way back of its own (HTTP), nothing here is needed.
 */
import { McpError } from '../errors.ts';
import {
  failure,
  type Id,
  isObject,
  isRequest,
  isResponse,
  type JsonObject,
  type Message,
  notification,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../jsonrpc/message.ts';
import { asMessage, faultOf, readableId } from '../jsonrpc/read.ts';
import { CANCELLED, LISTEN, PROGRESS, SUBSCRIPTION_ID } from '../model/names.ts';
import { type Exchange, whenAborted } from './exchange.ts';
import { IncomingRequests, invalidRequest, type SendResponse } from './incoming-requests.ts';
import {
  changeFor,
  metaOf,
  type PendingCaller,
  type PendingRequest,
  PendingRequests,
  progressFor,
  type RequestCarrier,
  responseFor,
  toWire,
} from './pending-requests.ts';
import type { PeerSession } from './session.ts';

/** What a duplex is put between. */
export interface DuplexOptions {
  /** Writes a message to the other side. Throws only when the message cannot be written as JSON. */
  readonly send: (message: Message | readonly Message[]) => void;
  /** Instead of `send`, where the transport keeps something for each request of ours. */
  readonly sendRequest?: ((request: RpcRequest) => RequestCarrier) | undefined;
  /** Answers what the other side says of its own accord. */
  readonly inbound: Exchange;
  readonly session: PeerSession;
  /** Requests of theirs that may be open at once; more are refused, one by one. */
  readonly maxInFlight?: number | undefined;
  /** Messages in one array. */
  readonly maxBatch?: number | undefined;
  /** Says nothing to what is not even a broken request: for a client, whose server may print anything. */
  readonly ignoreNoise?: boolean;
  /** Told of what is dropped: late and foreign answers, notifications nobody waits for, malformed messages. */
  readonly onStray?: ((what: string, message: unknown) => void) | undefined;
}

/** Both sides write to one channel: matches answers with requests by id. */
export class Duplex {
  readonly #options: DuplexOptions;
  readonly #pending: PendingRequests = new PendingRequests();
  readonly #serving: IncomingRequests;
  #ended: Error | undefined;

  constructor(options: DuplexOptions) {
    this.#options = options;
    this.#serving = new IncomingRequests(this, options);
  }

  /** Towards the other side. Ids are ours: whatever id a request came with is given back with its answer. */
  readonly exchange: Exchange = (message, link) => {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      if (isRequest(message)) this.#request({ request: message, link, resolve, reject });
      else {
        this.#options.send(message);
        resolve(undefined);
      }
    });
  };

  /**
   * Takes one JSON value from the other side: a message, or an array of them where the session allows it. `of` is the request of
   * ours, by its id on the wire, on whose stream the value came.
   */
  receive(value: unknown, of?: Id): void {
    if (this.#ended !== undefined) return;
    const caller = of === undefined ? undefined : this.#pending.get(of)?.request.id;
    if (Array.isArray(value)) this.#receiveBatch(value, caller);
    else this.#take(value, this.#answer, caller);
  }

  /** Resolves when nothing of theirs is being answered any more, but for streams of news. */
  drained(): Promise<void> {
    return this.#serving.drained();
  }

  /** One request of ours failed on its way. The id is the one on the wire. */
  fail(id: Id, reason: Error): void {
    const waiting = this.#pending.get(id);
    if (waiting !== undefined && this.#settled(waiting)) waiting.reject(reason);
  }

  /** The channel is gone: what we asked fails, what they asked is called off. */
  end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#rejectAll(reason);
    this.#serving.cancelAll(reason);
  }

  /** The other side began a new session: what the old one had open is cancelled on both sides, and nothing is said about it. */
  renew(): void {
    const reason = new McpError('MCP_CLOSED', { why: 'the client began a new session' });
    // Rejected before the calls that they belong to are cancelled: the new client knows nothing of them.
    this.#rejectAll(reason);
    this.#serving.renew(reason);
  }

  #rejectAll(reason: Error): void {
    for (const waiting of this.#pending.clear()) {
      waiting.reject(reason);
      waiting.carrier?.settled();
    }
  }

  /** Says something that belongs to no request of ours, unless the channel is gone. */
  say(message: Message): void {
    if (this.#ended !== undefined) return;
    try {
      this.#options.send(message);
    } catch {
      this.#options.onStray?.('message that cannot be written as JSON', message);
    }
  }

  #request(caller: PendingCaller): void {
    const waiting = this.#pending.add(caller);
    whenAborted(waiting.link, (reason) => this.#calledOff(waiting, reason));
    if (this.#pending.get(waiting.id) === undefined) return;
    try {
      waiting.sent = true;
      const { send, sendRequest } = this.#options;
      if (sendRequest === undefined) send(toWire(waiting));
      else {
        waiting.carrier = sendRequest(toWire(waiting));
        // It may have failed at once.
        if (this.#pending.get(waiting.id) === undefined) waiting.carrier.settled();
      }
    } catch (thrown) {
      this.#settled(waiting);
      waiting.reject(thrown);
    }
  }

  #calledOff(waiting: PendingRequest, reason: unknown): void {
    if (!this.#settled(waiting)) return;
    const { id, request, sent } = waiting;
    const why = reason instanceof Error ? { reason: wordsOf(reason) } : {};
    // The handshake cannot be cancelled; the line is closed instead.
    if (sent && request.method !== 'initialize') this.say(notification(CANCELLED, { requestId: id, ...why }));
    waiting.reject(reason);
  }

  /** False when it was settled before. */
  #settled(waiting: PendingRequest): boolean {
    if (!this.#pending.remove(waiting)) return false;
    waiting.carrier?.settled();
    return true;
  }

  #receiveBatch(values: readonly unknown[], of: Id | undefined): void {
    const fault = this.#batchFault(values.length);
    if (fault !== undefined) {
      this.#refuse(fault, values, this.#answer);
      return;
    }
    const responses: RpcResponse[] = [];
    let open = values.length;
    const reply: SendResponse = (response) => {
      if (response !== undefined) responses.push(response);
      if (--open === 0) this.#answerBatch(responses);
    };
    for (const value of values) this.#take(value, reply, of);
  }

  #batchFault(length: number): string | undefined {
    if (this.#options.session.batches !== true) return 'this revision takes one message at a time';
    const limit = this.#options.maxBatch ?? 50;
    return length === 0 || length > limit ? `an array holds between 1 and ${limit} messages` : undefined;
  }

  #take(value: unknown, reply: SendResponse, of: Id | undefined): void {
    const fault = faultOf(value);
    if (fault !== undefined) {
      this.#refuse(fault, value, reply);
      return;
    }
    const message = asMessage(value);
    if (isRequest(message)) {
      const isBatched = reply !== this.#answer;
      if (isBatched && message.method === 'initialize') reply(invalidRequest(message.id, 'initialize comes alone'));
      else this.#serving.serve(message, reply, of);
      return;
    }
    if (isResponse(message)) this.#settle(message);
    else this.#notified(message, of);
    reply(undefined);
  }

  #refuse(fault: string, value: unknown, reply: SendResponse): void {
    const id = readableId(value);
    // A response is never answered, not even a malformed one.
    if (isObject(value) && !('method' in value) && ('result' in value || 'error' in value)) {
      this.#malformed(id, fault, value);
      reply(undefined);
    } else {
      this.#options.onStray?.(`malformed message: ${fault}`, value);
      reply(this.#deserves(value, id) ? invalidRequest(id, fault) : undefined);
    }
  }

  /** Whether a malformed message is told so: a notification never is, and noise only where it is not expected. */
  #deserves(value: unknown, id: Id | undefined): boolean {
    const called = isObject(value) && value['jsonrpc'] === '2.0' && 'method' in value;
    if (called && typeof value['method'] === 'string' && !('id' in value)) return false;
    return (called && id !== undefined) || this.#options.ignoreNoise !== true;
  }

  /** A response we cannot read still ends the request it names: its caller must not wait for ever. */
  #malformed(id: Id | undefined, fault: string, value: JsonObject): void {
    this.#options.onStray?.(`malformed response: ${fault}`, value);
    const waiting = this.#pending.get(id);
    if (waiting === undefined) return;
    this.#settled(waiting);
    waiting.reject(new McpError('MCP_BAD_RESULT', { method: waiting.request.method, why: fault }));
  }

  #settle(response: RpcResponse): void {
    const waiting = this.#pending.get(response.id);
    if (waiting === undefined) this.#options.onStray?.('response to nothing we are waiting for', response);
    else {
      this.#settled(waiting);
      waiting.resolve(responseFor(waiting, response));
    }
  }

  readonly #answer: SendResponse = (response) => {
    if (response === undefined || this.#ended !== undefined || this.#options.session.mustNotRespond === true) return;
    try {
      this.#options.send(response);
    } catch (thrown) {
      this.#options.onStray?.('answer that cannot be written as JSON', response);
      this.say(failure(response.id ?? undefined, thrown));
    }
  };

  #answerBatch(responses: readonly RpcResponse[]): void {
    if (responses.length === 0 || this.#ended !== undefined) return;
    try {
      this.#options.send(responses);
    } catch {
      // One of them cannot be written; the others must not be lost with it.
      for (const response of responses) this.#answer(response);
    }
  }

  #notified(message: RpcNotification, of: Id | undefined): void {
    const { method, params } = message;
    if (method === CANCELLED) this.#cancelled(params);
    else if (method === PROGRESS) {
      const waiting = this.#pending.withToken(params?.['progressToken']);
      if (waiting === undefined) this.#options.onStray?.('progress of nothing we are waiting for', message);
      else waiting.link.notify(progressFor(waiting, message));
    } else {
      const waiting = this.#pending.get(metaOf(params)?.[SUBSCRIPTION_ID]);
      if (waiting !== undefined) waiting.link.notify(changeFor(waiting, message));
      else this.#serving.notify(message, of);
    }
  }

  #cancelled(params: JsonObject | undefined): void {
    const id = params?.['requestId'];
    if (this.#serving.cancel(id, reasonIn(params))) return;
    // A server that never sends requests uses the same notification to end a stream of news that we asked for.
    const waiting = this.#pending.get(id);
    if (waiting?.request.method !== LISTEN) return;
    this.#settled(waiting);
    waiting.resolve(success(waiting.request.id, {}));
  }
}

const reasonIn = (params: JsonObject | undefined): string =>
  typeof params?.['reason'] === 'string' ? params['reason'] : 'no reason given';

/** The other side knows what was cancelled; it is told why. */
const wordsOf = (reason: Error): string =>
  reason instanceof McpError && 'why' in reason.details ? String(reason.details['why']) : reason.message;
