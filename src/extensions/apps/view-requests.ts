/** Runs the requests of a view: limits, cancels and answers those that are pending. */
import { McpError, RpcError } from '../../errors.ts';
import {
  failure,
  type Id,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  type Message,
  type RpcRequest,
  success,
} from '../../jsonrpc/message.ts';
import { REFUSED } from './view-inbox.ts';
import type { ViewMethod } from './view-methods.ts';

/** Maximum number of pending requests; each can wait for a user. */
const MAX_PENDING = 32;

export class ViewRequests {
  readonly #methods: ReadonlyMap<string, ViewMethod>;
  readonly #send: (response: Message) => void;
  readonly #pending: Map<Id, AbortController> = new Map();

  constructor(methods: ReadonlyMap<string, ViewMethod>, send: (response: Message) => void) {
    this.#methods = methods;
    this.#send = send;
  }

  /** Starts a request. Throws the error response if the request cannot run. */
  run({ id, method, params = {} }: RpcRequest): void {
    const run = this.#methods.get(method);
    if (run === undefined) throw new RpcError(METHOD_NOT_FOUND, `The host has no method "${method.slice(0, 100)}"`);
    if (this.#pending.has(id)) throw new RpcError(INVALID_REQUEST, 'This id belongs to a request without an answer');
    if (this.#pending.size >= MAX_PENDING) throw new RpcError(REFUSED, `${MAX_PENDING} requests wait for an answer`);
    const control = new AbortController();
    this.#pending.set(id, control);
    const settle = (response: Message): void => {
      if (this.#pending.get(id) !== control) return;
      this.#pending.delete(id);
      this.#send(response);
    };
    run(params, control.signal).then(
      (result) => settle(success(id, result)),
      (error: unknown) => settle(failure(id, toRefusal(error))),
    );
  }

  /** Aborts a request, which then gets no response. */
  cancel(id: Id): void {
    this.#pending.get(id)?.abort(new McpError('MCP_CANCELLED', { method: 'A request', why: 'the view cancelled it' }));
    this.#pending.delete(id);
  }

  cancelAll(): void {
    for (const id of [...this.#pending.keys()]) this.cancel(id);
  }
}

/** Passes errors of the view's own server on. Of other errors, the view gets only the code, because messages can reveal data of the host. */
function toRefusal(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(REFUSED, error instanceof McpError ? `Refused: ${error.code}` : 'Refused');
}
