/** Mooring over HTTP, with sessions and events in Redis, through one of two Redis clients. */
import { Redis } from 'ioredis';
import { serveHttp } from 'mooring/node';
import { fromIoredis, fromNodeRedis, type RedisConnection, redisStores } from 'mooring/redis';
import { createClient } from 'redis';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const settings = setup();
const { redis = '', client = '' } = settings.servers;

async function connectRedis(): Promise<RedisConnection> {
  if (client === 'ioredis') return fromIoredis(new Redis(Number(redis)));
  const nodeRedis = createClient({ url: `redis://127.0.0.1:${redis}` });
  await nodeRedis.connect();
  return fromNodeRedis(nodeRedis);
}

const { sessions, eventLog } = redisStores(await connectRedis());
const { url } = await serveHttp(quay(settings), { port: 0, sessions, eventLog });
underTest(url, {});
