/** One request of a session being answered. It outlives its connection: hanging up calls nothing off here. */
import { McpError } from '../../errors.ts';
import type { Id, Message, RpcNotification, RpcRequest, RpcResponse } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { Abort } from '../../peer/abort.ts';
import type { Link } from '../../peer/exchange.ts';
import type { PostResponse } from './post-response.ts';

/** What a call needs of its session. */
export interface Asker {
  ask(request: RpcRequest, link: SessionCall): Promise<RpcResponse>;
  /** After how long a client that was let go comes back; undefined where clients do not come back. */
  readonly pollMs: number | undefined;
}

export class SessionCall implements Link {
  readonly id: Id;
  readonly method: string;
  readonly auth: AuthInfo | undefined;
  readonly #asker: Asker;
  readonly #answer: PostResponse;
  #abort: Abort | undefined;
  /** Answered or called off: nothing more is said about it. */
  done = false;

  constructor(asker: Asker, request: RpcRequest, way: { answer: PostResponse; auth: AuthInfo | undefined }) {
    this.#asker = asker;
    this.id = request.id;
    this.method = request.method;
    this.#answer = way.answer;
    this.auth = way.auth;
  }

  get signal(): AbortSignal {
    return this.#aborting().signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#aborting().onAbort(listener);
  }

  get release(): ((retryMs?: number) => void) | undefined {
    const { pollMs } = this.#asker;
    if (pollMs === undefined || !this.#answer.canStream) return undefined;
    return (retryMs = pollMs) => {
      if (!this.done) this.#answer.release(retryMs);
    };
  }

  notify(message: RpcNotification): void {
    if (!this.done) this.say(message);
  }

  async ask(request: RpcRequest): Promise<RpcResponse> {
    if (!this.#answer.canStream) throw new McpError('MCP_CLOSED', { why: 'the client does not accept a stream' });
    if (this.done && this.#abort?.aborted !== true)
      throw new McpError('MCP_CLOSED', { why: `${this.method} has been answered` });
    return this.#asker.ask(request, this);
  }

  say(message: Message): void {
    this.#answer.send(message);
  }

  cancel(reason: unknown): void {
    if (this.done) return;
    this.done = true;
    this.#aborting().abort(reason);
    this.#answer.respond(undefined, 200);
  }

  /** Most calls are neither called off nor asked whether they are. */
  #aborting(): Abort {
    this.#abort ??= new Abort();
    return this.#abort;
  }
}
