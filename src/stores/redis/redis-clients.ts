/** Connections by the two usual clients. Neither is imported: what is used of them is written down here. */
import type { RedisConnection } from './redis-backend.ts';
import type { RedisSend } from './redis-script.ts';
import { type SubscriberConnection, Subscriptions } from './subscriptions.ts';

/** What is used of a client of the package `redis`, of one server or Sentinel. */
export interface NodeRedisClient {
  sendCommand(command: string[]): Promise<unknown>;
  duplicate(): NodeRedisSubscriber;
}

/** A client of the package `redis` that subscribes. */
export interface NodeRedisSubscriber {
  on(event: string, listener: () => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  destroy(): void;
}

/** What is used of a cluster of the package `redis`. It subscribes on a connection that it opens itself. */
export interface NodeRedisCluster {
  readonly slots: unknown;
  sendCommand(key: string, isReadonly: boolean, command: string[]): Promise<unknown>;
  subscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
}

/** A client or cluster of the package `redis`, after `connect()`. Subscriptions have a connection of their own. */
export function fromNodeRedis(client: NodeRedisClient | NodeRedisCluster): RedisConnection {
  const send: RedisSend =
    'slots' in client
      ? (command, key) => client.sendCommand(key, false, command)
      : (command) => client.sendCommand(command);
  const subscriptions = new Subscriptions((_, onReady) => {
    // A cluster is connected already, and subscribes again where it must.
    if ('slots' in client) {
      queueMicrotask(onReady);
      return { ...subscribing(client), close: () => undefined };
    }
    const own = client.duplicate();
    // Your client reports why it is away. Without a listener, this error would end the process.
    own.on('error', () => undefined);
    own.on('ready', onReady);
    own.connect().catch(() => undefined);
    return { ...subscribing(own), close: () => own.destroy() };
  });
  return { send, subscribe: subscriptions.add, close: subscriptions.close };
}

const subscribing = (
  on: Pick<NodeRedisCluster, 'subscribe' | 'unsubscribe'>,
): Pick<SubscriberConnection, 'subscribe' | 'unsubscribe'> => ({
  subscribe: (channel, listener) => on.subscribe(channel, listener),
  unsubscribe: (channel) => on.unsubscribe(channel),
});

/** What is used of a client or cluster of the package `ioredis` or `iovalkey`. */
export interface IoredisClient {
  call(name: string, ...args: string[]): Promise<unknown>;
  duplicate(): IoredisSubscriber;
}

/** A client of the package `ioredis` that subscribes. */
export interface IoredisSubscriber {
  on(event: string, listener: (...args: string[]) => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

/** A client or cluster of the package `ioredis` or `iovalkey`. Subscriptions have a connection of their own. */
export function fromIoredis(client: IoredisClient): RedisConnection {
  const subscriptions = new Subscriptions((onData, onReady) => {
    const own = client.duplicate();
    own.on('error', () => undefined);
    own.on('ready', onReady);
    own.on('message', (channel = '', data = '') => onData(channel, data));
    return {
      subscribe: (channel) => own.subscribe(channel),
      unsubscribe: (channel) => own.unsubscribe(channel),
      close: () => own.disconnect(),
    };
  });
  return {
    send: ([name = '', ...args]) => client.call(name, ...args),
    subscribe: subscriptions.add,
    close: subscriptions.close,
  };
}
