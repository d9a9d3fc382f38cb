/** The entry point `mooring/tasks`: task stores that survive a restart, and the types to write another store. */
export type {
  StepRecord,
  StoredTask,
  TaskHolder,
  TaskLimits,
  TaskOutcome,
  TaskStatus,
  TaskStore,
} from '../../model/task-record.ts';
export { memoryTasks } from '../../server/tasks/memory-store.ts';
export type { RedisSend } from '../../stores/redis/redis-script.ts';
export { type RedisTasksOptions, redisTasks } from '../../stores/redis/redis-tasks.ts';
export { type SqliteDatabase, type SqliteStatement, sqliteTasks } from './sqlite-store.ts';
