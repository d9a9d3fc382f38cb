/** A line to a server in the same process: its exchange is called, and nothing is written down in between. */
import { McpError } from '../errors.ts';
import {
  failure,
  isRequest,
  type Message,
  type Notification,
  type Request,
  type Response,
} from '../jsonrpc/message.ts';
import { LISTEN } from '../model/names.ts';
import { Abort } from '../peer/abort.ts';
import {
  type Dialer,
  type Exchange,
  type Line,
  type Link,
  type Servable,
  type Served,
  whenAborted,
} from '../peer/exchange.ts';
import { standing } from './outlet.ts';

/** A line to a server in this process. */
export function memoryDialer(server: Servable): Dialer {
  return async (inbound) => new MemoryLine(server, inbound);
}

class MemoryLine implements Line {
  readonly closed: Promise<Error | undefined>;
  readonly #inbound: Exchange;
  readonly #outbound: Exchange = (message, link) => this.#server.exchange(message, link);
  readonly #server: Served;
  readonly #calls: Set<Call> = new Set();
  #ended: Error | undefined;
  #ending = false;
  #settle: (reason: Error | undefined) => void = () => undefined;

  constructor(server: Servable, inbound: Exchange) {
    this.#inbound = inbound;
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    // A session of its own: what the two ends keep about each other is not the same.
    this.#server = server.open({ ...this.#back, end: () => this.#end() }, {});
  }

  readonly exchange: Exchange = async (message, link) => {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#ending) throw new McpError('MCP_CLOSED', { why: ENDING });
    if (isRequest(message)) return this.#call(message, link, true);
    await run(this.#outbound, message, { ...standing, ...this.#back }).catch(() => undefined);
    return undefined;
  };

  async close(): Promise<void> {
    this.#close(new McpError('MCP_CLOSED', { why: 'it was closed on this side' }), true);
  }

  /** Towards the client, on behalf of no request of its own. */
  readonly #back: Pick<Link, 'notify' | 'ask'> = {
    notify: (message) => {
      if (this.#ended === undefined) run(this.#inbound, message, standing).catch(() => undefined);
    },
    ask: async (request) => this.#call(request, standing, false),
  };

  /** Asks one side on behalf of the other. */
  #call(request: Request, link: Link, toServer: boolean): Promise<Response> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const call = new Call(request, link, (question) => this.#call(question, call, !toServer));
      const settle = (outcome: () => void): void => {
        if (!this.#calls.delete(call)) return;
        call.done = true;
        outcome();
        this.#endIfIdle();
      };
      call.fail = (reason) => settle(() => reject(reason));
      this.#calls.add(call);
      whenAborted(link, (reason) => call.cancel(reason));
      if (call.done) return;
      run(toServer ? this.#outbound : this.#inbound, request, call).then(
        (response) => settle(() => (response === undefined ? reject(unanswered(request)) : resolve(response))),
        (thrown) => settle(() => resolve(failure(request.id, thrown))),
      );
    });
  }

  /** The server was asked to end: it answers what it has in hand first. */
  #end(): void {
    this.#ending = true;
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (this.#ending && [...this.#calls].every((call) => call.method === LISTEN))
      this.#close(new McpError('MCP_CLOSED', { why: ENDING }), false);
  }

  #close(reason: Error, ours: boolean): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const call of this.#calls) call.cancel(reason);
    this.#settle(ours ? undefined : reason);
    this.#server.close();
  }
}

const ENDING = 'the server has ended the conversation';

/** One request under way; for whoever answers it, the way back. */
class Call implements Link {
  readonly method: string;
  readonly #caller: Link;
  readonly #ask: Link['ask'];
  readonly #abort: Abort = new Abort();
  done = false;
  fail: (reason: unknown) => void = () => undefined;

  constructor(request: Request, caller: Link, ask: Link['ask']) {
    this.method = request.method;
    this.#caller = caller;
    this.#ask = ask;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }

  notify(message: Notification): void {
    if (!this.done) this.#caller.notify(message);
  }

  async ask(request: Request): Promise<Response> {
    if (this.done && !this.#abort.aborted)
      throw new McpError('MCP_CLOSED', { why: `${this.method} has been answered` });
    return this.#ask(request);
  }

  /** The caller does not wait for whoever answers to notice. */
  cancel(reason: unknown): void {
    this.fail(reason);
    this.#abort.abort(reason);
  }
}

/** An exchange may throw instead of rejecting; that is the same. */
async function run(exchange: Exchange, message: Message, link: Link): Promise<Response | undefined> {
  return exchange(message, link);
}

const unanswered = ({ method }: Request): McpError =>
  new McpError('MCP_BAD_RESULT', { method, why: 'the other side answered nothing' });
