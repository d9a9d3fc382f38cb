/**
 * `redisTasks`: a task store in Redis or Valkey, for any number of machines. Each task is a hash. Two sorted sets index tasks by due time
 * and owner, two sets count unfinished tasks, and a number is the size of their bodies.
 */
import { digestText } from '../../model/canonical.ts';
import { checkObject } from '../../model/check-argument.ts';
import type { StoredTask, TaskLimits, TaskStore } from '../../model/task-record.ts';
import { holderOf, holderText, readTask } from '../../server/tasks/stored-text.ts';
import { isNothing, toCount, toList } from './redis-reply.ts';
import { type RedisSend, redisScript } from './redis-script.ts';

/** Settings of `redisTasks`. */
export interface RedisTasksOptions {
  /** Sends one command with any client, such as `(command) => client.sendCommand(command)`. */
  readonly send: RedisSend;
  /** Prefix of every key, as a hash tag, so that all keys are in one slot of a cluster. Default: `mooring`. */
  readonly prefix?: string | undefined;
}

/**
 * Writes a task if it has the expected version. KEYS: see `keysOf`. ARGV: expected version, version, member, due, holder, body, 1 if
 * finished, expiry time, `maxBytes`; for a new task also `maxTasks` and `maxTasksPerCaller`. A text that is no number, such as `Infinity`
 * in some Luas, means no limit. Returns 1 if written, 0 for another version, 2 to 4 if a limit is reached.
 */
const WRITE = `
if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
local function limit(i) return tonumber(ARGV[i]) or math.huge end
if ARGV[10] and redis.call('SCARD', KEYS[5]) >= limit(10) then return 2 end
if ARGV[11] and redis.call('SCARD', KEYS[4]) >= limit(11) then return 3 end
local bytes = ARGV[7] == '1' and 0 or #ARGV[6]
local growth = bytes - (redis.call('HGET', KEYS[1], 'bytes') or 0)
if growth > 0 and growth + (redis.call('GET', KEYS[6]) or 0) > limit(9) then return 4 end
if redis.call('INCRBY', KEYS[6], growth) == 0 then redis.call('DEL', KEYS[6]) end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'member', ARGV[3], 'holder', ARGV[5], 'body', ARGV[6], 'bytes', bytes)
redis.call('HDEL', KEYS[1], 'renewed')
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
redis.call('ZADD', KEYS[3], 0, ARGV[3])
for i = 4, 5 do redis.call(ARGV[7] == '1' and 'SREM' or 'SADD', KEYS[i], ARGV[3]) end
if ARGV[8] == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIREAT', KEYS[1], ARGV[8]) end
return 1`;

/** Extends the lease of a task if this holder still has it. KEYS: the task, the due set. ARGV: holder, until. */
const RENEW = `
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'renewed', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[2], redis.call('HGET', KEYS[1], 'member'))
return 1`;

/** Deletes a task and its index entries. KEYS: see `keysOf`. ARGV: member, 1; or an empty text to delete only index entries of an expired task. */
const DELETE = `
if ARGV[2] == '' and redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local bytes = redis.call('HGET', KEYS[1], 'bytes') or 0
if redis.call('DECRBY', KEYS[6], bytes) == 0 then redis.call('DEL', KEYS[6]) end
redis.call('DEL', KEYS[1])
for i = 2, 5 do redis.call(i < 4 and 'ZREM' or 'SREM', KEYS[i], ARGV[1]) end
return 1`;

/** Stores tasks in Redis. To make them durable, configure Redis with `appendonly yes` and `maxmemory-policy noeviction`. */
export function redisTasks(options: RedisTasksOptions): TaskStore {
  checkObject(options, 'redisTasks(options)', 'an object with send');
  const { send, prefix = 'mooring' } = options;
  const key = (name: string): string => `{${prefix}}:${name}`;
  /** Keys of the task, all tasks by due time, tasks of its owner, unfinished tasks of its owner, all unfinished tasks, their bytes. */
  const keysOf = (member: string): string[] => {
    const owner = ownerOf(member);
    return [`task:${idOf(member)}`, 'due', `owner:${owner}`, `unfinished:${owner}`, 'unfinished', 'bytes'].map(key);
  };
  const write = redisScript(send, WRITE, toCount);
  const renew = redisScript(send, RENEW, toCount);
  const remove = redisScript(send, DELETE, toCount);
  const call = (name: string, on: string, ...values: string[]): Promise<unknown> => send([name, on, ...values], on);

  /** Runs WRITE, with `maxBytes` and perhaps other limits. */
  async function save(task: StoredTask, expected: string, ...limits: unknown[]): Promise<boolean | keyof TaskLimits> {
    const member = await memberOf(task);
    const isFinished = task.outcome !== undefined;
    const expires = isFinished && task.ttlMs !== null ? `${Math.ceil(task.dueAt)}` : '';
    const texts = [expected, `${task.version}`, member, `${task.dueAt}`, holderOf(task), JSON.stringify(task)];
    const reply = await write(keysOf(member), [...texts, isFinished ? '1' : '0', expires, ...limits.map(String)]);
    return results[reply] ?? false;
  }
  async function read(id: string): Promise<StoredTask | undefined> {
    const [body, renewed] = toList(await call('HMGET', key(`task:${id}`), 'body', 'renewed'), 'HMGET', 2);
    return isNothing(body) ? undefined : readTask(`${body}`, isNothing(renewed) ? undefined : Number(renewed));
  }
  /** Reads the tasks that a query of a sorted set returns. If some have expired, removes their index entries, and repeats the query. */
  async function readAll(query: () => Promise<unknown>): Promise<readonly StoredTask[]> {
    const members = toList(await query(), 'ZRANGEBYSCORE').map(String);
    const tasks = await Promise.all(members.map((member) => read(idOf(member))));
    const expired = members.filter((_, i) => tasks[i] === undefined);
    if (expired.length === 0) return tasks.filter((task) => task !== undefined);
    await Promise.all(expired.map((member) => remove(keysOf(member), [member, ''])));
    return readAll(query);
  }

  return {
    create: (task, limits) => save(task, '', limits?.maxBytes, limits?.maxTasks, limits?.maxTasksPerCaller),
    get: read,
    put: (task, expected, maxBytes) => save(task, `${expected}`, maxBytes),
    renew: async (id, holder, until) =>
      (await renew([key(`task:${id}`), key('due')], [holderText(holder), `${until}`])) === 1,
    async list(owner, after, limit) {
      const digest = await digestText(owner);
      const start = after === undefined ? undefined : await call('HGET', key(`task:${after}`), 'member');
      if (after !== undefined && (isNothing(start) || ownerOf(`${start}`) !== digest)) return [];
      const range = [start === undefined ? '-' : `(${start}`, '+', 'LIMIT', '0', `${limit}`];
      return readAll(() => call('ZRANGEBYLEX', key(`owner:${digest}`), ...range));
    },
    due: (now, limit) => readAll(() => call('ZRANGEBYSCORE', key('due'), '-inf', `${now}`, 'LIMIT', '0', `${limit}`)),
    async count(owner) {
      const name = owner === undefined ? 'unfinished' : `unfinished:${await digestText(owner)}`;
      return toCount(await call('SCARD', key(name)), 'SCARD');
    },
    async delete(id) {
      const member = await call('HGET', key(`task:${id}`), 'member');
      if (!isNothing(member)) await remove(keysOf(`${member}`), [`${member}`, '1']);
    },
  };
}

/** The results of `create` and `put`, by the reply of WRITE. */
const results: readonly (boolean | keyof TaskLimits)[] = [false, true, 'maxTasks', 'maxTasksPerCaller', 'maxBytes'];

/** A set member, which sorts by creation time. Contains a digest of the owner, because keys must not contain names of users. */
const memberOf = async ({ id, owner, createdAt }: StoredTask): Promise<string> =>
  `${String(Math.trunc(createdAt)).padStart(16, '0')}:${await digestText(owner)}:${id}`;

/** Parses a member: 16 digits, a digest of 43 characters, and the task id, separated by colons. */
const ownerOf = (member: string): string => member.slice(17, 60);
const idOf = (member: string): string => member.slice(61);
