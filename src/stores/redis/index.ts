/** The entry point `mooring/redis`: shared state for several server processes, in Redis, Valkey or your own backend. */
export type {
  Backend,
  Channels,
  KeyedEntry,
  KeyedPutOptions,
  KeyedValues,
  LogEntry,
  LogLimits,
  OnceKeys,
  RateCounts,
  RateResult,
  SharedLogs,
  SharedRate,
} from '../backend.ts';
export { memoryBackend } from '../memory-backend.ts';
export { numberedChannel } from '../numbered-channel.ts';
export { type SharedStores, sharedStores } from '../shared-stores.ts';
export { type RedisBackendOptions, type RedisConnection, redisBackend } from './redis-backend.ts';
export {
  fromIoredis,
  fromNodeRedis,
  type IoredisClient,
  type IoredisCluster,
  type IoredisSubscriber,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisSubscriber,
} from './redis-clients.ts';
export type { RedisSend } from './redis-script.ts';
export { type RedisStores, redisStores } from './redis-stores.ts';
export { type RedisTasksOptions, redisTasks } from './redis-tasks.ts';
