/** Adapts clients of `redis` and `ioredis` to `RedisConnection`. Imports neither package, so the used parts are declared here. */
import { checkObject } from '../../model/check-argument.ts';
import type { RedisConnection } from './redis-backend.ts';
import type { RedisSend } from './redis-script.ts';
import { shareSubscriber } from './share-subscriber.ts';

/**
 * Disables the timeout of the package, which creates an `AbortSignal` for each command, and costs as much as the command (bench:
 * `shared-sessions`). `boundedSend` adds ours.
 */
const NO_TIMEOUT = { timeout: 0 };

/** The used part of a client of the package `redis`, for one server or Sentinel. */
export interface NodeRedisClient {
  sendCommand(command: string[], options?: { timeout?: number }): Promise<unknown>;
  duplicate(): NodeRedisSubscriber;
}

/** The used part of a subscriber of the package `redis`. */
export interface NodeRedisSubscriber {
  on(event: string, listener: () => void): unknown;
  connect(): Promise<unknown>;
  subscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  destroy(): void;
}

/** The used part of a cluster of the package `redis`, which opens connections for subscriptions itself. */
export interface NodeRedisCluster {
  readonly slots: unknown;
  sendCommand(key: string, isReadonly: boolean, command: string[], options?: { timeout?: number }): Promise<unknown>;
  sSubscribe(channel: string, listener: (data: string) => void): Promise<unknown>;
  sUnsubscribe(channel: string): Promise<unknown>;
}

/** Adapts a client or cluster of the package `redis`, after `connect()`. Subscriptions use a separate connection. */
export function fromNodeRedis(client: NodeRedisClient | NodeRedisCluster): RedisConnection {
  checkObject(client, 'fromNodeRedis(client)', 'a client of the package redis');
  const subscriber = shareSubscriber((_, onReady) => {
    if ('slots' in client) {
      // The cluster is already connected, and restores subscriptions itself.
      queueMicrotask(onReady);
      return {
        subscribe: (channel, listener) => client.sSubscribe(channel, listener),
        unsubscribe: (channel) => client.sUnsubscribe(channel),
      };
    }
    const own = client.duplicate();
    // Ignores errors, which your own client reports too. Without a listener, they would end the process.
    own.on('error', () => undefined);
    own.on('ready', onReady);
    own.connect().catch(() => undefined);
    return own;
  });
  if (!('slots' in client)) return { send: (command) => client.sendCommand(command, NO_TIMEOUT), ...subscriber };
  const send: RedisSend = (command, key) => client.sendCommand(key, false, command, NO_TIMEOUT);
  return { send, ...subscriber, isCluster: true };
}

/** The used part of a client of the package `ioredis` or `iovalkey`. */
export interface IoredisClient {
  call(name: string, ...args: string[]): Promise<unknown>;
  duplicate(): IoredisSubscriber;
}

/** The used part of a cluster of the package `ioredis` or `iovalkey`. */
export interface IoredisCluster {
  call(name: string, ...args: string[]): Promise<unknown>;
  nodes(): unknown;
  duplicate(nodes: [], options: { shardedSubscribers: boolean }): IoredisSubscriber;
}

/** The used part of a subscriber of the package `ioredis` or `iovalkey`. */
export interface IoredisSubscriber {
  on(event: string, listener: (...args: string[]) => void): unknown;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  ssubscribe(channel: string): Promise<unknown>;
  sunsubscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

/** Adapts a client or cluster of the package `ioredis` or `iovalkey`. Subscriptions use a separate connection. */
export function fromIoredis(client: IoredisClient | IoredisCluster): RedisConnection {
  checkObject(client, 'fromIoredis(client)', 'a client of the package ioredis');
  const isCluster = 'nodes' in client;
  const subscriber = shareSubscriber((onData, onReady) => {
    const own = 'nodes' in client ? client.duplicate([], { shardedSubscribers: true }) : client.duplicate();
    own.on('error', () => undefined);
    own.on('ready', onReady);
    own.on(isCluster ? 'smessage' : 'message', (channel = '', data = '') => onData(channel, data));
    return {
      subscribe: (channel) => (isCluster ? own.ssubscribe(channel) : own.subscribe(channel)),
      unsubscribe: (channel) => (isCluster ? own.sunsubscribe(channel) : own.unsubscribe(channel)),
      destroy: () => own.disconnect(),
    };
  });
  return { send: ([name = '', ...args]) => client.call(name, ...args), ...subscriber, isCluster };
}
