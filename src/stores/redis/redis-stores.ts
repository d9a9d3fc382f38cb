/** Everything that servers share, in one Redis. */
import { checkObject } from '../../model/check-argument.ts';
import type { TaskStore } from '../../model/task-record.ts';
import { type SharedStores, sharedStores } from '../shared-stores.ts';
import { type RedisBackendOptions, redisBackend } from './redis-backend.ts';
import { redisTasks } from './redis-tasks.ts';

/** Stores for every option that takes one, in Redis. */
export interface RedisStores extends SharedStores {
  /** For `tasks` of `createServer`. */
  readonly tasks: TaskStore;
}

/** `redisStores(fromNodeRedis(client))`: sessions, events, changes and the rest, for any number of processes. */
export function redisStores(options: RedisBackendOptions): RedisStores {
  checkObject(options, 'redisStores(options)', 'a connection, such as fromNodeRedis(client)');
  const { send, prefix = 'mooring' } = options;
  return { ...sharedStores(redisBackend(options), options), tasks: redisTasks({ send, prefix }) };
}
