/** All subscriptions on one connection, which is opened with the first of them and restored after each loss. */
import { systemClock } from '../../peer/clock.ts';

/** Between two attempts to subscribe. */
const RETRY_MS = 200;

/** A connection that subscribes. To subscribe again with the same listener changes nothing. */
export interface SubscriberConnection {
  subscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  close(): void;
}

/** `onReady`: the connection is there, at first and after each loss. */
export type OpenSubscriber = (
  onData: (channel: string, data: string) => void,
  onReady: () => void,
) => SubscriberConnection;

interface SubscribedChannel {
  /** For all subscriptions of this channel. */
  readonly listener: (data: string) => void;
  readonly all: Set<{ onData(data: string): void; onReconnected(): void }>;
}

export class Subscriptions {
  readonly #open: OpenSubscriber;
  readonly #channels: Map<string, SubscribedChannel> = new Map();
  #connection: SubscriberConnection | undefined;
  /** How often the connection was ready. */
  #readies = 0;

  constructor(open: OpenSubscriber) {
    this.#open = open;
  }

  readonly add = (channel: string, onData: (data: string) => void, onReconnected: () => void): (() => void) => {
    const subscribed = this.#channels.get(channel) ?? this.#create(channel);
    const own = { onData, onReconnected };
    subscribed.all.add(own);
    return () => {
      subscribed.all.delete(own);
      if (subscribed.all.size > 0 || this.#channels.get(channel) !== subscribed) return;
      this.#channels.delete(channel);
      // Where the connection is lost, nothing is subscribed.
      this.#connection?.unsubscribe(channel).catch(() => undefined);
    };
  };

  readonly close = (): void => {
    this.#channels.clear();
    this.#connection?.close();
    this.#connection = undefined;
    this.#readies = 0;
  };

  #create(channel: string): SubscribedChannel {
    const all: SubscribedChannel['all'] = new Set();
    const listener = (data: string): void => {
      for (const { onData } of [...all]) onData(data);
    };
    const created = { listener, all };
    this.#channels.set(channel, created);
    if (this.#connection === undefined) this.#connect();
    else if (this.#readies > 0) void this.#subscribe(channel, created);
    return created;
  }

  #connect(): void {
    const hear = (channel: string, data: string): void => this.#channels.get(channel)?.listener(data);
    this.#connection = this.#open(hear, () => this.#ready());
  }

  #ready(): void {
    const isFirst = this.#readies++ === 0;
    for (const [channel, subscribed] of this.#channels) void this.#subscribe(channel, subscribed, !isFirst);
  }

  /** Tries until it is subscribed, or is not wanted any more: a connection of a cluster can be ready before all of its nodes are. */
  async #subscribe(channel: string, subscribed: SubscribedChannel, isAgain = false): Promise<void> {
    const ready = this.#readies;
    while (this.#channels.get(channel) === subscribed && this.#readies === ready)
      try {
        await this.#connection?.subscribe(channel, subscribed.listener);
        for (const { onReconnected } of isAgain ? [...subscribed.all] : []) onReconnected();
        return;
      } catch {
        await new Promise<void>((resolve) => void systemClock.after(RETRY_MS, resolve, { idle: true }));
      }
  }
}
