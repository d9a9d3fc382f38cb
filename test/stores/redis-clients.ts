/** Connections to a real Redis through two clients, single and clustered. */
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { fromIoredis, fromNodeRedis, type RedisConnection } from '../../src/stores/redis/index.ts';

export interface OpenConnection extends RedisConnection {
  end(): void;
}
export type Connect = (port: number) => Promise<OpenConnection>;

const ending = (connection: RedisConnection, end: () => void): OpenConnection => ({
  ...connection,
  end() {
    connection.close?.();
    end();
  },
});
/** Without an error listener, a client would end the process; the code under test reports the errors. */
const ignore = (): void => undefined;

async function nodeRedis(port: number, RESP: 2 | 3): Promise<OpenConnection> {
  const reconnectStrategy = (tries: number): number => Math.min(50 * 2 ** tries, 500);
  const url = `redis://127.0.0.1:${port}`;
  const client = createClient({ url, RESP, disableOfflineQueue: true, socket: { reconnectStrategy } });
  client.on('error', ignore);
  await client.connect();
  return ending(fromNodeRedis(client), () => client.destroy());
}

export const connectNodeRedis: Connect = (port) => nodeRedis(port, 3);

export const connectIoredis: Connect = async (port) => {
  const client = new Redis(port, { maxRetriesPerRequest: 0, retryStrategy: (tries) => Math.min(50 * 2 ** tries, 500) });
  client.on('error', ignore);
  return ending(fromIoredis(client), () => client.disconnect());
};

export const singleClients: Record<string, Connect> = {
  'node-redis': connectNodeRedis,
  'node-redis, RESP2': (port) => nodeRedis(port, 2),
  ioredis: connectIoredis,
};

export const clusterClients: Record<string, Connect> = {
  async 'node-redis'(port) {
    const cluster = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${port}` }] });
    cluster.on('error', ignore);
    await cluster.connect();
    return ending(fromNodeRedis(cluster), () => cluster.destroy());
  },
  async ioredis(port) {
    const cluster = new Cluster([{ host: '127.0.0.1', port }]);
    cluster.on('error', ignore);
    return ending(fromIoredis(cluster), () => cluster.disconnect());
  },
};
