/** Tracks the open requests of the peer: by id, so that they can be cancelled, and by number, so that they can be limited. */
import { McpError, RpcError } from '../errors.ts';
import {
  failure,
  type Id,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  type JsonObject,
  type RpcRequest,
  type RpcResponse,
} from '../jsonrpc/message.ts';
import { LISTEN } from '../model/names.ts';
import { CallLink, type LinkChannel, type LinkFacts } from './call-link.ts';
import { IdTable } from './id-table.ts';
import type { PeerSession } from './session.ts';

interface IncomingOptions {
  readonly maxInFlight?: number | undefined;
  /** Size of the id table. HTTP uses a smaller one, because each session has its own. */
  readonly slots?: number;
}

export class IncomingRequests {
  /** Number of open requests in the id table. */
  size = 0;
  readonly #maxInFlight: number;
  readonly #open: IdTable<CallLink>;
  /** Number of open subscriptions, which last until one side ends them. */
  #subscriptions = 0;
  /** Number of open requests that are not in the id table, because a new session can reuse their ids. */
  #detached = 0;
  #onIdle: (() => void)[] | undefined;

  constructor({ maxInFlight = 1024, slots }: IncomingOptions) {
    this.#maxInFlight = maxInFlight;
    this.#open = new IdTable(slots);
  }

  /** Registers a request and returns its link. Throws if its id is in use or if too many requests are open. */
  open(request: RpcRequest, channel: LinkChannel, facts?: LinkFacts): CallLink {
    const { method } = request;
    const call = new CallLink(request, channel, facts);
    if (this.#open.add(call)) this.size++;
    // A client that begins a new session can restart its ids.
    else if (method === 'initialize') this.#detached++;
    else throw new RpcError(INVALID_REQUEST, 'Invalid request: a request with this id is still being answered');
    if (method === LISTEN) this.#subscriptions++;
    const limit = this.#maxInFlight;
    if (this.size + this.#detached <= limit) return call;
    this.close(call, undefined);
    throw new RpcError(INTERNAL_ERROR, `Too many requests at once: ${limit} are open (maxInFlight)`);
  }

  /** Removes a request. Returns the response to send, which is undefined if the call was cancelled. */
  close(call: CallLink, response: RpcResponse | undefined): RpcResponse | undefined {
    const isCancelled = call.done;
    call.done = true;
    if (this.#open.delete(call)) this.size--;
    else this.#detached--;
    if (call.method === LISTEN) this.#subscriptions--;
    if (this.#onIdle !== undefined && this.size === this.#subscriptions) {
      for (const resolve of this.#onIdle) resolve();
      this.#onIdle = undefined;
    }
    return isCancelled ? undefined : response;
  }

  /** Handles `notifications/cancelled`. Returns false if the request is not open. `initialize` cannot be cancelled. */
  cancel(params: JsonObject | undefined): boolean {
    const call = this.#open.get(params?.['requestId']);
    if (call === undefined) return false;
    const { method } = call;
    const why = typeof params?.['reason'] === 'string' ? params['reason'] : 'no reason given';
    if (method !== 'initialize') call.cancel(new McpError('MCP_CANCELLED', { method, why }));
    return true;
  }

  /** The client began a new session: cancels the calls of the old one and frees their ids. */
  renew(reason: Error): void {
    for (const call of this.#open.all()) {
      if (call.method === 'initialize' || !call.inSession) continue;
      this.#open.delete(call);
      this.size--;
      this.#detached++;
      call.cancel(reason);
    }
  }

  /** Resolves when only subscriptions are open. */
  drained(): Promise<void> {
    if (this.size === this.#subscriptions) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle ??= [];
      this.#onIdle.push(resolve);
    });
  }

  cancelAll(reason: Error): void {
    for (const call of this.#open.all()) call.cancel(reason);
  }
}

/** Maximum number of messages in a batch. */
export const MAX_BATCH = 50;

/** Why a batch is rejected; undefined if it is accepted. */
export function batchFault(length: number, session: PeerSession): string | undefined {
  if (session.batches !== true) return 'this revision takes one message at a time';
  return length === 0 || length > MAX_BATCH ? `an array holds between 1 and ${MAX_BATCH} messages` : undefined;
}

export const invalidRequest = (id: Id | undefined, fault: string): RpcResponse =>
  failure(id, new RpcError(INVALID_REQUEST, `Invalid request: ${fault}`));
