/** Connects to the Redis server of a gateway file, with the `redis` package of the project. */
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

/** The part of the package `redis` that is used. */
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

/** Maximum backoff between reconnection attempts. */
const RECONNECT_MS = 1_000;

/** Rejects if Redis is unreachable at the start. Later, the client reconnects. */
export async function openRedis(
  { redis: url = '', prefix = 'mcp' }: FileEntry<'stores'>,
  shell: Shell,
  onWarning: (warning: string) => void,
): Promise<OpenedRedis> {
  const { createClient } = await loadPackage(shell);
  const reconnectStrategy = (retries: number): number => Math.min(50 * 2 ** Math.min(retries, 5), RECONNECT_MS);
  const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy } });
  let isDown = false;
  const { promise: failed, reject: fail } = new Deferred<never>();
  // Warns once per outage, not once per failed attempt.
  client.on('error', (error) => {
    fail(error);
    if (!isDown) onWarning(`Redis is unreachable: ${networkReason(error)}`);
    isDown = true;
  });
  client.on('ready', () => {
    isDown = false;
  });
  try {
    await Promise.race([client.connect(), failed]);
  } catch (thrown) {
    client.destroy();
    throw new McpError('MCP_UNREACHABLE', { url: new URL(url).host, why: networkReason(thrown) }, { cause: thrown });
  }
  // Some hosted services reject INFO.
  const info = await client.sendCommand(['INFO', 'cluster']).catch(() => '');
  if (`${info}`.includes('cluster_enabled:1')) {
    client.destroy();
    throw badArgument(
      'stores.redis',
      `${new URL(url).host} is part of a Redis Cluster, which gateway files do not support. Use a standalone Redis server, or call createGateway with the cluster client of the redis package`,
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

/** Resolves `redis` from the working directory first, then from this package. */
async function loadPackage({ cwd }: Shell): Promise<RedisPackage> {
  const name: string = 'redis';
  const found = (() => {
    try {
      return pathToFileURL(createRequire(join(cwd, 'package.json')).resolve(name)).href;
    } catch {
      return name;
    }
  })();
  // `RedisPackage` follows the documentation of the package.
  return import(found).catch(() => {
    throw badArgument('stores.redis', 'the redis package is not installed; run `npm install redis`');
  }) as Promise<RedisPackage>;
}
