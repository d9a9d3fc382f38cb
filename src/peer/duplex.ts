/**
 * One side of a conversation on a channel that both sides write to: a pipe, a socket, a queue. The only place in the
 * house that maps ids to promises; where every request has a way back of its own (HTTP), nothing here is needed.
 */
import { McpError, RpcError } from '../errors.ts';
import {
  failure,
  type Id,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isNotification,
  isObject,
  isRequest,
  isResponse,
  type JsonObject,
  type Message,
  type Notification,
  notification,
  type Request,
  type Response,
  success,
} from '../jsonrpc/message.ts';
import { asMessage, faultOf, readableId } from '../jsonrpc/read.ts';
import { CANCELLED, LISTEN, PROGRESS, SUBSCRIPTION_ID } from '../model/names.ts';
import { Abort } from './abort.ts';
import { type Exchange, type Link, whenAborted } from './exchange.ts';
import type { Session } from './session.ts';

export interface DuplexOptions {
  readonly send: (message: Message | readonly Message[]) => void;
  /** Answers what the other side says of its own accord. */
  readonly inbound: Exchange;
  readonly session: Session;
  /** Requests of theirs that may be open at once; more are refused, one by one. */
  readonly maxInFlight?: number;
  /** Messages in one array. */
  readonly maxBatch?: number;
  /** Told of what is dropped: late and foreign answers, notifications nobody waits for, malformed messages. */
  readonly onStray?: (what: string, message: unknown) => void;
}

interface Waiting {
  readonly method: string;
  readonly id: Id;
  readonly link: Link;
  readonly token: unknown;
  resolve(response: Response): void;
  reject(reason: unknown): void;
}

export class Duplex {
  readonly #options: DuplexOptions;
  readonly #waiting: Map<Id, Waiting> = new Map();
  readonly #tokens: Map<unknown, Waiting> = new Map();
  readonly #serving: Map<Id, Incoming> = new Map();
  #lastId = 0;
  #ended: Error | undefined;
  #idle: (() => void)[] = [];

  constructor(options: DuplexOptions) {
    this.#options = options;
  }

  /** Towards the other side. Ids are ours: whatever id a request came with is given back with its answer. */
  readonly exchange: Exchange = (message, link) => {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (!isRequest(message)) {
      this.#options.send(message);
      return Promise.resolve(undefined);
    }
    return new Promise((resolve, reject) => this.#request(message, link, resolve, reject));
  };

  /** Takes one JSON value from the other side: a message, or an array of them where the session allows it. */
  receive(value: unknown): void {
    if (Array.isArray(value)) void this.#receiveBatch(value);
    else {
      const answer = this.#take(value);
      if (answer !== undefined) void answer.then((response) => this.#answer(response));
    }
  }

  /** Resolves when nothing of theirs is being answered any more. */
  drained(): Promise<void> {
    return this.#serving.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The channel is gone: what we asked fails, what they asked is called off. */
  end(reason: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#tokens.clear();
    for (const one of waiting) one.reject(reason);
    for (const one of [...this.#serving.values()]) one.cancel(reason);
  }

  #request(request: Request, link: Link, resolve: (r: Response) => void, reject: (reason: unknown) => void): void {
    const id = ++this.#lastId;
    const meta = request.params?.['_meta'];
    const token = isObject(meta) ? meta['progressToken'] : undefined;
    const waiting: Waiting = { method: request.method, id: request.id, link, token, resolve, reject };
    this.#waiting.set(id, waiting);
    if (token !== undefined) this.#tokens.set(token, waiting);
    const { method, params } = request;
    this.#options.send(params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params });
    whenAborted(link, (reason) => {
      if (this.#waiting.get(id) !== waiting) return;
      this.#forget(id, waiting);
      // The handshake cannot be cancelled; the line is closed instead.
      if (method !== 'initialize') this.#options.send(notification(CANCELLED, { requestId: id, ...why(reason) }));
      reject(reason);
    });
  }

  #forget(id: Id, waiting: Waiting): void {
    this.#waiting.delete(id);
    if (waiting.token !== undefined) this.#tokens.delete(waiting.token);
  }

  async #receiveBatch(values: readonly unknown[]): Promise<void> {
    const limit = this.#options.maxBatch ?? 50;
    if (this.#options.session.batches !== true || values.length === 0 || values.length > limit) {
      const fault =
        this.#options.session.batches !== true
          ? 'this revision takes one message at a time'
          : `an array holds between 1 and ${limit} messages`;
      this.#refuse(undefined, fault, values);
      return;
    }
    const answers = await Promise.all(values.map((value) => this.#take(value, true)));
    const responses = answers.filter((a) => a !== undefined);
    if (responses.length > 0 && this.#ended === undefined) this.#options.send(responses);
  }

  /** The promise of an answer, where one is due. */
  #take(value: unknown, batched = false): Promise<Response | undefined> | undefined {
    const fault = faultOf(value);
    if (fault !== undefined) {
      // A response is never answered, not even a malformed one.
      if (isObject(value) && !('method' in value) && ('result' in value || 'error' in value))
        this.#malformed(value, fault);
      else if (batched) return Promise.resolve(invalid(readableId(value), fault));
      else this.#refuse(readableId(value), fault, value);
      return undefined;
    }
    const message = asMessage(value);
    if (isResponse(message)) this.#settle(message);
    else if (isRequest(message)) return this.#serve(message, batched);
    else if (isNotification(message)) this.#notified(message);
    return undefined;
  }

  #refuse(id: Id | undefined, fault: string, value: unknown): void {
    this.#options.onStray?.(`malformed message: ${fault}`, value);
    if (this.#ended === undefined) this.#options.send(invalid(id, fault));
  }

  /** A response we cannot read still ends the request it names: its caller must not wait for ever. */
  #malformed(value: JsonObject, fault: string): void {
    const id = readableId(value);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    this.#options.onStray?.(`malformed response: ${fault}`, value);
    if (id === undefined || waiting === undefined) return;
    this.#forget(id, waiting);
    waiting.reject(new McpError('MCP_BAD_RESULT', { method: waiting.method, why: fault }));
  }

  #settle(response: Response): void {
    const id = response.id;
    const waiting = id === undefined || id === null ? undefined : this.#waiting.get(id);
    if (id === undefined || id === null || waiting === undefined) {
      this.#options.onStray?.('response to nothing we are waiting for', response);
      return;
    }
    this.#forget(id, waiting);
    waiting.resolve('error' in response ? { ...response, id: waiting.id } : success(waiting.id, response.result));
  }

  #serve(request: Request, batched: boolean): Promise<Response | undefined> {
    const { id, method } = request;
    if (this.#serving.has(id)) return Promise.resolve(invalid(id, 'a request with this id is still being answered'));
    if (batched && method === 'initialize') return Promise.resolve(invalid(id, 'initialize comes alone'));
    const limit = this.#options.maxInFlight ?? 1024;
    if (this.#serving.size >= limit) {
      return Promise.resolve(
        failure(id, new RpcError(INTERNAL_ERROR, `Too many requests at once: ${limit} are open (maxInFlight)`)),
      );
    }
    const incoming = new Incoming(this, request);
    this.#serving.set(id, incoming);
    return this.#options.inbound(request, incoming).then(
      (response) => this.#served(incoming, response),
      (thrown) => this.#served(incoming, failure(id, thrown)),
    );
  }

  #served(incoming: Incoming, response: Response | undefined): Response | undefined {
    const wanted = !incoming.done;
    incoming.done = true;
    this.#serving.delete(incoming.id);
    if (this.#serving.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    // Cancelled: nothing more is said about this request.
    return wanted ? response : undefined;
  }

  #answer(response: Response | undefined): void {
    if (response !== undefined && this.#ended === undefined) this.#options.send(response);
  }

  #notified(message: Notification): void {
    const params = message.params;
    if (message.method === CANCELLED) this.#cancelled(params);
    else if (message.method === PROGRESS) {
      const waiting = this.#tokens.get(params?.['progressToken']);
      if (waiting === undefined) this.#options.onStray?.('progress of nothing we are waiting for', message);
      else waiting.link.notify(message);
    } else {
      const meta = params?.['_meta'];
      const subscription = isObject(meta) ? (meta[SUBSCRIPTION_ID] as Id | undefined) : undefined;
      const waiting = subscription === undefined ? undefined : this.#waiting.get(subscription);
      if (waiting !== undefined) waiting.link.notify(message);
      else void this.#options.inbound(message, new Incoming(this, undefined)).catch(() => undefined);
    }
  }

  #cancelled(params: JsonObject | undefined): void {
    const id = params?.['requestId'] as Id | undefined;
    if (id === undefined) return;
    const serving = this.#serving.get(id);
    if (serving !== undefined) {
      if (serving.method !== 'initialize')
        serving.cancel(new McpError('MCP_CANCELLED', { method: serving.method, why: reasonIn(params) }));
      return;
    }
    // A server that never sends requests uses the same notification to end a stream of news that we asked for.
    const waiting = this.#waiting.get(id);
    if (waiting?.method !== LISTEN) return;
    this.#forget(id, waiting);
    waiting.resolve(success(waiting.id, {}));
  }

  /** For links only: says something, unless the channel is gone. */
  say(message: Message): void {
    if (this.#ended === undefined) this.#options.send(message);
  }
}

/** The way back to the sender of one message. */
class Incoming implements Link {
  readonly #duplex: Duplex;
  readonly #abort: Abort = new Abort();
  readonly id: Id;
  readonly method: string;
  done = false;

  constructor(duplex: Duplex, request: Request | undefined) {
    this.#duplex = duplex;
    this.id = request?.id ?? '';
    this.method = request?.method ?? '';
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }

  notify(message: Notification): void {
    if (!this.done) this.#duplex.say(message);
  }

  async ask(request: Request): Promise<Response> {
    const response = await this.#duplex.exchange(request, this);
    // exchange answers every request, or throws
    return response as Response;
  }

  cancel(reason: unknown): void {
    this.done = true;
    this.#abort.abort(reason);
  }
}

function invalid(id: Id | undefined, fault: string): Response {
  return failure(id, new RpcError(INVALID_REQUEST, `Invalid request: ${fault}`));
}

const why = (reason: unknown): { reason?: string } => (reason instanceof Error ? { reason: reason.message } : {});

const reasonIn = (params: JsonObject | undefined): string =>
  typeof params?.['reason'] === 'string' ? params['reason'] : 'no reason given';
