/** Connects to the Redis of a gateway's file, by the client that is installed in the project. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { McpError } from '../../errors.ts';
import type { FileEntry } from '../../gateway/file/gateway-file.ts';
import { networkReason } from '../../model/printable.ts';
import { Deferred } from '../../peer/wait.ts';
import { fromNodeRedis, type NodeRedisClient, type RedisStores, redisStores } from '../../stores/redis/index.ts';
import { badArgument } from '../arguments.ts';
import type { Shell } from '../shell.ts';

/** What is used of the package `redis`. */
interface RedisPackage {
  createClient(options: object): NodeRedisClient & {
    on(event: 'error' | 'ready', listener: (error: Error) => void): unknown;
    connect(): Promise<unknown>;
    destroy(): void;
  };
}

export interface OpenedRedis {
  readonly stores: RedisStores;
  close(): void;
}

/** Longest time between two attempts to connect again. */
const RECONNECT_MS = 1_000;

/** Rejects where it cannot be reached now; later it is waited for. */
export async function openRedis(
  { redis: url = '', prefix = 'mcp' }: FileEntry<'stores'>,
  shell: Shell,
  onWarning: (warning: string) => void,
): Promise<OpenedRedis> {
  const { createClient } = await loadPackage(shell);
  const reconnectStrategy = (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 5), RECONNECT_MS);
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy } });
  let isAway = false;
  const { promise: failed, reject: fail } = new Deferred<never>();
  // Said once for each time that it is away, and not for each attempt.
  client.on('error', (error) => {
    fail(error);
    if (!isAway) onWarning(`Redis is away: ${networkReason(error)}`);
    isAway = true;
  });
  client.on('ready', () => {
    isAway = false;
  });
  try {
    await Promise.race([client.connect(), failed]);
  } catch (thrown) {
    client.destroy();
    throw new McpError('MCP_UNREACHABLE', { url: new URL(url).host, why: networkReason(thrown) }, { cause: thrown });
  }
  // Some services do not let clients ask.
  const info = await client.sendCommand(['INFO', 'cluster']).catch(() => '');
  if (`${info}`.includes('cluster_enabled:1')) {
    client.destroy();
    throw badArgument(
      'stores.redis',
      `${new URL(url).host} is part of a Redis Cluster, which a file cannot name. Use a Redis without a cluster, or createGateway and the cluster client of the package redis`,
    );
  }
  const connection = fromNodeRedis(client);
  return {
    stores: redisStores({ ...connection, prefix, clock: shell.clock, onWarning }),
    close() {
      connection.close?.();
      client.destroy();
    },
  };
}

/** Of the project that the command is run in, or beside this package. */
async function loadPackage({ cwd }: Shell): Promise<RedisPackage> {
  const name: string = 'redis';
  const found = (() => {
    try {
      return pathToFileURL(createRequire(join(cwd, 'package.json')).resolve(name)).href;
    } catch {
      return name;
    }
  })();
  // What the package is, its documentation says; only two functions of it are used.
  return import(found).catch(() => {
    throw badArgument('stores.redis', 'the package redis is not installed; run `npm install redis`');
  }) as Promise<RedisPackage>;
}
