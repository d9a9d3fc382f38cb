/** `redisStores`: all shared stores of a server, in one Redis. */
import { checkObject } from '../../model/check-argument.ts';
import type { TaskStore } from '../../model/task-record.ts';
import { type SharedStores, sharedStores } from '../shared-stores.ts';
import { type RedisBackendOptions, redisBackend } from './redis-backend.ts';
import { redisTasks } from './redis-tasks.ts';

/** Redis stores for every option of a server that takes a store. */
export interface RedisStores extends SharedStores {
  /** For `tasks` of `createServer`. */
  readonly tasks: TaskStore;
}

/** Creates shared stores for any number of processes: `redisStores(fromNodeRedis(client))`. */
export function redisStores(options: RedisBackendOptions): RedisStores {
  checkObject(options, 'redisStores(options)', 'a connection, such as fromNodeRedis(client)');
  return { ...sharedStores(redisBackend(options), options), tasks: redisTasks(options) };
}
