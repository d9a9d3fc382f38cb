/** A line to a server in the same process: its exchange is called, and nothing is written down in between. */
import { McpError } from '../errors.ts';
import {
  failure,
  type Id,
  isRequest,
  type Message,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { LISTEN, PROTOCOL_VERSION } from '../model/names.ts';
import { Abort } from '../peer/abort.ts';
import {
  type Connection,
  type Exchange,
  type Link,
  linkWith,
  type Servable,
  type ServedConversation,
  type Transport,
  whenAborted,
} from '../peer/exchange.ts';
import { IntrusiveSet } from '../peer/intrusive-set.ts';
import { metaOf } from '../peer/pending-requests.ts';
import { detachedLink } from './duplex-push.ts';

/** A line to a server in this process. */
export function memoryTransport(server: Servable): Transport {
  return async (inbound) => {
    await server.prepare?.();
    return new MemoryConnection(server, inbound);
  };
}

class MemoryConnection implements Connection {
  readonly closed: Promise<Error | undefined>;
  readonly #inbound: Exchange;
  readonly #outbound: Exchange = (message, link) => this.#server.exchange(message, link);
  readonly #server: ServedConversation;
  readonly #calls: IntrusiveSet<MemoryCall> = new IntrusiveSet();
  #ended: Error | undefined;
  #ending = false;
  #settle: (reason: Error | undefined) => void = () => undefined;

  constructor(server: Servable, inbound: Exchange) {
    this.#inbound = inbound;
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    // A session of its own: what the two ends keep about each other is not the same.
    this.#server = server.open({ ...this.#back, end: () => this.#end(), renew: () => this.#renew() }, {});
  }

  readonly exchange: Exchange = (message, link) => {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#ending) return Promise.reject(new McpError('MCP_CLOSED', { why: ENDING }));
    if (isRequest(message)) return this.call(message, link, true);
    return callExchange(this.#outbound, message, linkWith(detachedLink, this.#back)).then(nothing, nothing);
  };

  async close(): Promise<void> {
    this.#close(new McpError('MCP_CLOSED', { why: 'it was closed on this side' }), true);
  }

  /** Towards the client, on behalf of no request of its own. */
  readonly #back: Pick<Link, 'notify' | 'ask'> = {
    notify: (message) => {
      if (this.#ended === undefined) callExchange(this.#inbound, message, detachedLink).catch(() => undefined);
    },
    ask: (request) => this.call(request, detachedLink, false),
  };

  /** Asks one side on behalf of the other. */
  call(request: RpcRequest, link: Link, toServer: boolean): Promise<RpcResponse> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const call = new MemoryCall(this, { request, link, toServer, resolve, reject });
      this.#calls.add(call);
      whenAborted(link, (reason) => call.abort(reason));
      if (call.done) return;
      callExchange(toServer ? this.#outbound : this.#inbound, request, call).then(
        (response) => call.answered(response),
        (thrown) => call.answered(failure(request.id, thrown)),
      );
    });
  }

  /** It has its outcome. */
  left(call: MemoryCall): void {
    this.#calls.delete(call);
    if (this.#ending) this.#endIfIdle();
  }

  /** The server was asked to end: it answers what it has in hand first. */
  #end(): void {
    this.#ending = true;
    this.#endIfIdle();
  }

  /** The calls of the old session are cancelled, and so are its questions. */
  #renew(): void {
    const reason = new McpError('MCP_CLOSED', { why: 'the client began a new session' });
    for (const call of [...this.#calls.all]) if (call.inSession && call.method !== 'initialize') call.abort(reason);
  }

  #endIfIdle(): void {
    if (this.#calls.all.every((call) => call.method === LISTEN))
      this.#close(new McpError('MCP_CLOSED', { why: ENDING }), false);
  }

  #close(reason: Error, ours: boolean): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const call of this.#calls.clear()) call.abort(reason);
    this.#settle(ours ? undefined : reason);
    this.#server.close();
  }
}

const ENDING = 'the server has ended the conversation';

interface MemoryRequest {
  readonly request: RpcRequest;
  readonly link: Link;
  readonly toServer: boolean;
  resolve(response: RpcResponse): void;
  reject(reason: unknown): void;
}

/** One request under way; for whoever answers it, the way back. */
class MemoryCall implements Link {
  readonly #line: MemoryConnection;
  readonly #asked: MemoryRequest;
  readonly #abort: Abort = new Abort();
  place = -1;
  done = false;

  constructor(line: MemoryConnection, asked: MemoryRequest) {
    this.#line = line;
    this.#asked = asked;
  }

  get method(): string {
    return this.#asked.request.method;
  }

  /** It belongs to the session of its line, if it does not introduce itself. */
  get inSession(): boolean {
    return metaOf(this.#asked.request.params)?.[PROTOCOL_VERSION] === undefined;
  }

  /** The client's request that this is a question about. */
  get of(): Id | undefined {
    const { link } = this.#asked;
    return link instanceof MemoryCall ? link.#asked.request.id : undefined;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }

  notify(message: RpcNotification): void {
    if (!this.done) this.#asked.link.notify(message);
  }

  ask(request: RpcRequest): Promise<RpcResponse> {
    if (this.done && !this.#abort.aborted)
      return Promise.reject(new McpError('MCP_CLOSED', { why: `${this.method} has been answered` }));
    return this.#line.call(request, this, !this.#asked.toServer);
  }

  answered(response: RpcResponse | undefined): void {
    if (this.done) return;
    this.done = true;
    const { request, resolve, reject } = this.#asked;
    if (response === undefined) reject(missingResponse(request));
    else resolve(response);
    this.#line.left(this);
  }

  /** The caller does not wait for whoever answers to notice. */
  abort(reason: unknown): void {
    if (!this.done) {
      this.done = true;
      this.#asked.reject(reason);
      this.#line.left(this);
    }
    this.#abort.abort(reason);
  }
}

/** An exchange may throw instead of rejecting; that is the same. */
function callExchange(exchange: Exchange, message: Message, link: Link): Promise<RpcResponse | undefined> {
  try {
    return exchange(message, link);
  } catch (thrown) {
    return new Promise((_, reject) => reject(thrown));
  }
}

const nothing = (): undefined => undefined;

const missingResponse = ({ method }: RpcRequest): McpError =>
  new McpError('MCP_BAD_RESULT', { method, why: 'the other side answered nothing' });
