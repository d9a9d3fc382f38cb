/** Monitors the connections to one server: its last message, open requests, and connections that are closing. */
import { isRequest, type Message, type RpcRequest } from '../../jsonrpc/message.ts';
import { DISCOVER, LISTEN } from '../../model/names.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Connection, Transport } from '../../peer/exchange.ts';
import { connectionWith } from '../../peer/layer-transport.ts';
import { Deferred } from '../../peer/wait.ts';

export class ConnectionMonitor {
  readonly #clock: Clock;
  readonly #drops: Set<(reason: Error) => void> = new Set();
  readonly #closing: Set<Promise<void>> = new Set();
  readonly #subscribed: Set<unknown> = new Set();
  #open = 0;
  /** When the server last sent a message. */
  lastMessageAt = 0;
  /** When a request in either direction last started or ended. */
  lastActiveAt = 0;
  /** Why the last connection that the host did not close itself ended. */
  lossReason: Error | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a request is open, a resource is subscribed to, or a `hold` is in effect. */
  get isInUse(): boolean {
    return this.#open > 0 || this.#subscribed.size > 0;
  }

  /** Counts the server as in use until the returned function is called. */
  hold(): () => void {
    this.#open++;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#open--;
      this.lastActiveAt = this.#clock.now();
    };
  }

  /** Monitors all connections of a transport. Closes a connection that opens after `signal` has aborted. */
  wrap(transport: Transport, signal: AbortSignal): Transport {
    return (inbound, session) => {
      const connecting = transport((message, link) => {
        this.lastMessageAt = this.#clock.now();
        return this.#track(message, () => inbound(message, link));
      }, session).then((connection) => this.#watch(connection, signal));
      this.#awaitClose(connecting);
      return connecting;
    };
  }

  /** Closes all connections. Open requests fail immediately, even if closing takes long. */
  drop(reason: Error): void {
    for (const drop of this.#drops) drop(reason);
  }

  /** Resolves when every connection has closed. */
  async closed(): Promise<void> {
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  #watch(connection: Connection, signal: AbortSignal): Connection {
    this.lastMessageAt = this.#clock.now();
    this.lastActiveAt = this.lastMessageAt;
    this.#subscribed.clear();
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      if (closing === undefined) {
        closing = connection.close();
        this.#awaitClose(closing);
      }
      return closing;
    };
    const dropped = new Deferred<Error>();
    const drop = (reason: Error): void => {
      dropped.resolve(reason);
      void close().catch(() => undefined);
    };
    const closed = Promise.race([connection.closed, dropped.promise]);
    this.#drops.add(drop);
    void closed.then((reason) => {
      this.#drops.delete(drop);
      if (reason === undefined) return;
      this.lossReason = reason;
      // The server ended the connection. Close this side as well, such as a child process.
      void close().catch(() => undefined);
    });
    if (signal.aborted) void close().catch(() => undefined);
    const exchange: Connection['exchange'] = async (message, link) => {
      const response = await this.#track(message, () => connection.exchange(message, link));
      this.lastMessageAt = this.#clock.now();
      return response;
    };
    return { ...connectionWith(connection, exchange), closed, close };
  }

  async #track<T>(message: Message, run: () => Promise<T>): Promise<T> {
    if (!isRequest(message) || isHousekeeping(message)) return run();
    const release = this.hold();
    try {
      const result = await run();
      const { method, params = {} } = message;
      if (method === 'resources/subscribe') this.#subscribed.add(params['uri']);
      if (method === 'resources/unsubscribe') this.#subscribed.delete(params['uri']);
      return result;
    } finally {
      release();
    }
  }

  #awaitClose(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined).then(() => void this.#closing.delete(settled));
    this.#closing.add(settled);
  }
}

/** Whether a request does not count as use: pings, discovery, and subscriptions to changes of lists. */
function isHousekeeping({ method, params }: RpcRequest): boolean {
  if (method !== LISTEN) return method === 'ping' || method === DISCOVER;
  const filter = params?.['notifications'];
  return typeof filter === 'object' && filter !== null && !('resourceSubscriptions' in filter);
}
