/** Multiplexes all subscriptions on one connection. Opens it for the first subscription, and resubscribes after each reconnect. */
import { systemClock } from '../../peer/clock.ts';
import type { RedisConnection } from './redis-backend.ts';

/** Delay between two attempts to subscribe. */
const RETRY_MS = 200;

/** Opens a connection. Calls `onReady` when connected and after each reconnect. `subscribe` is idempotent for the same listener. */
type OpenSubscriber = (
  onData: (channel: string, data: string) => void,
  onReady: () => void,
) => {
  subscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  destroy?(): void;
};

/** The subscriptions of one channel, which share one listener. */
class SubscribedChannel {
  readonly all: Set<{ onData(data: string): void; onReconnected(): void }> = new Set();
  readonly listener = (data: string): void => {
    for (const { onData } of [...this.all]) onData(data);
  };
}

/** Implements `subscribe` and `close` of `RedisConnection`. */
export function shareSubscriber(open: OpenSubscriber): Required<Pick<RedisConnection, 'subscribe' | 'close'>> {
  const channels = new Map<string, SubscribedChannel>();
  let connection: ReturnType<OpenSubscriber> | undefined;
  /** Counts connects and reconnects. */
  let connects = 0;

  /** Retries until subscribed, unsubscribed or reconnected. A cluster can report ready before all of its nodes are. */
  async function subscribeWithRetry(channel: string, subscribed: SubscribedChannel, isAgain = false): Promise<void> {
    const startedAt = connects;
    while (channels.get(channel) === subscribed && connects === startedAt)
      try {
        await connection?.subscribe(channel, subscribed.listener);
        for (const { onReconnected } of isAgain ? [...subscribed.all] : []) onReconnected();
        return;
      } catch {
        await new Promise<void>((resolve) => void systemClock.after(RETRY_MS, resolve, { idle: true }));
      }
  }
  function onReady(): void {
    const isAgain = connects++ > 0;
    for (const [channel, subscribed] of channels) void subscribeWithRetry(channel, subscribed, isAgain);
  }

  return {
    subscribe(channel, onData, onReconnected) {
      const subscribed = channels.get(channel) ?? new SubscribedChannel();
      const own = { onData, onReconnected };
      subscribed.all.add(own);
      channels.set(channel, subscribed);
      connection ??= open((name, data) => channels.get(name)?.listener(data), onReady);
      if (subscribed.all.size === 1 && connects > 0) void subscribeWithRetry(channel, subscribed);
      return () => {
        subscribed.all.delete(own);
        if (subscribed.all.size > 0 || channels.get(channel) !== subscribed) return;
        channels.delete(channel);
        // Ignores failures: on a lost connection, the channel is not subscribed anyway.
        connection?.unsubscribe(channel).catch(() => undefined);
      };
    },
    close() {
      channels.clear();
      connection?.destroy?.();
      connection = undefined;
      connects = 0;
    },
  };
}
