/** All subscriptions on one connection, which is opened with the first of them and restored after each loss. */
import { systemClock } from '../../peer/clock.ts';
import type { RedisConnection } from './redis-backend.ts';

/** Between two attempts to subscribe. */
const RETRY_MS = 200;

/** To subscribe again with the same listener changes nothing. `onReady`: the connection is there, at first and after each loss. */
type OpenSubscriber = (
  onData: (channel: string, data: string) => void,
  onReady: () => void,
) => {
  subscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  destroy?(): void;
};

/** The subscriptions of one channel, and the listener for all of them. */
class SubscribedChannel {
  readonly all: Set<{ onData(data: string): void; onReconnected(): void }> = new Set();
  readonly listener = (data: string): void => {
    for (const { onData } of [...this.all]) onData(data);
  };
}

/** `subscribe` and `close` of a connection to Redis. */
export function shareSubscriber(open: OpenSubscriber): Required<Pick<RedisConnection, 'subscribe' | 'close'>> {
  const channels = new Map<string, SubscribedChannel>();
  let connection: ReturnType<OpenSubscriber> | undefined;
  /** How often the connection was ready. */
  let readies = 0;

  /** Tries until it is subscribed, or is not wanted any more: a connection of a cluster can be ready before all of its nodes are. */
  async function listen(channel: string, subscribed: SubscribedChannel, isAgain = false): Promise<void> {
    const ready = readies;
    while (channels.get(channel) === subscribed && readies === ready)
      try {
        await connection?.subscribe(channel, subscribed.listener);
        for (const { onReconnected } of isAgain ? [...subscribed.all] : []) onReconnected();
        return;
      } catch {
        await new Promise<void>((resolve) => void systemClock.after(RETRY_MS, resolve, { idle: true }));
      }
  }
  function onReady(): void {
    const isAgain = readies++ > 0;
    for (const [channel, subscribed] of channels) void listen(channel, subscribed, isAgain);
  }

  return {
    subscribe(channel, onData, onReconnected) {
      const subscribed = channels.get(channel) ?? new SubscribedChannel();
      const own = { onData, onReconnected };
      subscribed.all.add(own);
      channels.set(channel, subscribed);
      connection ??= open((name, data) => channels.get(name)?.listener(data), onReady);
      if (subscribed.all.size === 1 && readies > 0) void listen(channel, subscribed);
      return () => {
        subscribed.all.delete(own);
        if (subscribed.all.size > 0 || channels.get(channel) !== subscribed) return;
        channels.delete(channel);
        // Where the connection is lost, nothing is subscribed.
        connection?.unsubscribe(channel).catch(() => undefined);
      };
    },
    close() {
      channels.clear();
      connection?.destroy?.();
      connection = undefined;
      readies = 0;
    },
  };
}
