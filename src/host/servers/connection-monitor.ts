/** The lines to one server: when something was last heard on them, and dropping them when they are of no more use. */
import type { Clock } from '../../peer/clock.ts';
import type { Connection, Transport } from '../../peer/exchange.ts';
import { ConnectionActivity } from './connection-activity.ts';

export class ConnectionMonitor {
  readonly activity: ConnectionActivity;
  readonly #clock: Clock;
  readonly #open: Set<MonitoredConnection> = new Set();
  readonly #closing: Set<Promise<void>> = new Set();
  #heardAt = 0;
  #ended: Error | undefined;
  #over = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.activity = new ConnectionActivity(clock);
  }

  /** When the server last said anything. */
  get lastMessageAt(): number {
    return this.#heardAt;
  }

  /** Why the last line ended that nobody wanted to end. */
  get lossReason(): Error | undefined {
    return this.#ended;
  }

  wrap(transport: Transport): Transport {
    return (inbound, session) => {
      const dialling = transport((message, link) => {
        this.#heardAt = this.#clock.now();
        return this.activity.track(message, () => inbound(message, link));
      }, session).then((line) => this.#watched(line));
      this.#keep(dialling);
      return dialling;
    };
  }

  /** Whoever waits on a line learns at once that it is over, however long the other side takes to go. */
  drop(reason: Error): void {
    for (const line of this.#open) line.drop(reason);
  }

  /** Also drops what is still being dialled, once it is there. */
  dropAll(reason: Error): void {
    this.#over = true;
    this.drop(reason);
  }

  /** When nothing is left of any line. */
  async closed(): Promise<void> {
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  #watched(line: Connection): Connection {
    this.#heardAt = this.#clock.now();
    this.activity.begin();
    const watched = new MonitoredConnection(line, {
      activity: this.activity,
      heard: () => {
        this.#heardAt = this.#clock.now();
      },
      closing: (closing) => this.#keep(closing),
    });
    this.#open.add(watched);
    void watched.closed.then((reason) => {
      this.#open.delete(watched);
      if (reason === undefined) return;
      this.#ended = reason;
      // It ended by itself; what it leaves behind is tidied up all the same.
      void watched.close().catch(() => undefined);
    });
    if (this.#over) void watched.close().catch(() => undefined);
    return watched;
  }

  #keep(work: Promise<unknown>): void {
    const settled = work.catch(() => undefined).then(() => void this.#closing.delete(settled));
    this.#closing.add(settled);
  }
}

interface ConnectionEvents {
  readonly activity: ConnectionActivity;
  heard(): void;
  closing(closing: Promise<void>): void;
}

class MonitoredConnection implements Connection {
  readonly exchange: Connection['exchange'];
  readonly closed: Promise<Error | undefined>;
  readonly replies: boolean;
  readonly credentials: Connection['credentials'];
  readonly #line: Connection;
  readonly #ears: ConnectionEvents;
  #settle: (reason: Error | undefined) => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(line: Connection, ears: ConnectionEvents) {
    this.#line = line;
    this.#ears = ears;
    this.replies = line.replies === true;
    this.credentials = line.credentials;
    const dropped = new Promise<Error | undefined>((resolve) => {
      this.#settle = resolve;
    });
    this.closed = Promise.race([line.closed, dropped]);
    this.exchange = async (message, link) => {
      const response = await ears.activity.track(message, () => line.exchange(message, link));
      ears.heard();
      return response;
    };
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#line.close();
      this.#ears.closing(this.#closing);
    }
    return this.#closing;
  }

  drop(reason: Error): void {
    this.#settle(reason);
    void this.close().catch(() => undefined);
  }
}
