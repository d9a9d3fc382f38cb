/**
 * `redisBackend`: a `Backend` in Redis or Valkey, on one server, Sentinel or a cluster, through your existing client. Every script that
 * writes uses one key, as clusters require.
 */
import { checkObject } from '../../model/check-argument.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import type { Backend, LogEntry } from '../backend.ts';
import { entriesAfter } from '../memory-backend.ts';
import { numberedChannel } from '../numbered-channel.ts';
import { boundedSend } from './bounded-send.ts';
import { rejectEviction } from './eviction.ts';
import { keyedReads } from './keyed-reads.ts';
import { isNothing, kindOf, malformedReply, toCount, toList } from './redis-reply.ts';
import { type RedisSend, redisScript } from './redis-script.ts';

/** A connection to Redis, from `fromNodeRedis(client)`, `fromIoredis(client)`, or your own code. */
export interface RedisConnection {
  /** Sends one command. */
  readonly send: RedisSend;
  /**
   * Subscribes to a channel. Calls `onReconnected` after each reconnect, because messages can be lost before that. Returns a function that
   * unsubscribes.
   */
  subscribe(channel: string, onData: (data: string) => void, onReconnected: () => void): () => void;
  /** Uses sharded channels (`SPUBLISH`), whose messages pass through one server of the cluster, and so stay in order. */
  readonly isCluster?: boolean | undefined;
  /** Closes the connections that were opened for subscriptions. Your client stays open. */
  close?(): void;
}

/** Settings of `redisBackend`. */
export interface RedisBackendOptions extends RedisConnection {
  /** Prefix of every key and channel. Default: `mooring`. */
  readonly prefix?: string | undefined;
  /** Timeout of a command. Default: 250 ms. */
  readonly timeoutMs?: number | undefined;
  /** Called if Redis does not report its eviction policy. */
  readonly onWarning?: ((text: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** Writes a value if the key has the expected version. ARGV: expected version or `*`, version, value, TTL. Returns 1 if written. */
const PUT = `
if ARGV[1] ~= '*' and (redis.call('HGET', KEYS[1], 'v') or '') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'm')
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'd', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`;

/** Extends the TTL, and sets the mark, of an existing key only: HSET would recreate an expired session without a value. ARGV: TTL, mark. */
const TOUCH = `
if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[2] then redis.call('HSET', KEYS[1], 'm', ARGV[2]) end
return 1`;

/** Deletes a key if it has the expected version. ARGV: expected version or `*`. */
const DELETE = `
if ARGV[1] ~= '*' and redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/**
 * Rate limit by GCRA, as in memory-backend.ts. ARGV: interval in milliseconds, burst. Returns the milliseconds to wait, or 0. Limits the
 * stored time to one burst ahead of now, because after a failover, the clock of the new server can be behind.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local each, most = tonumber(ARGV[1]), ARGV[1] * ARGV[2]
local at = tonumber(redis.call('GET', KEYS[1]) or now)
local next = math.max(now, math.min(at, now + most)) + each
local missing = math.ceil(next - now - most - 0.001)
if missing > 0 then return missing end
redis.call('SET', KEYS[1], string.format('%.3f', next), 'PX', math.max(1, math.ceil(next - now)))
return 0`;

/** Appends to a stream. ARGV: entries to keep, number, data, TTL. The number is the entry id, so XADD fails for a duplicate. Returns 0 for a duplicate. */
const APPEND = `
local added = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], ARGV[2] .. '-0', 'd', ARGV[3])
if type(added) == 'table' and added.err then
  if string.find(added.err, 'equal or smaller', 1, true) then return 0 end
  return added
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`;

/** Stores shared state in Redis. Rejects a Redis that can evict keys, because a single-use state could then be used again. */
export function redisBackend(options: RedisBackendOptions): Backend {
  checkObject(options, 'redisBackend(options)', 'a connection, such as fromNodeRedis(client)');
  const { prefix = 'mooring', timeoutMs = 250, clock = systemClock, isCluster = false } = options;
  const send = rejectEviction(boundedSend(options.send, timeoutMs, clock), options.onWarning);
  const call = (name: string, key: string, ...values: string[]): Promise<unknown> =>
    send([name, `${prefix}:${key}`, ...values], `${prefix}:${key}`);
  const script = (text: string): ((key: string, ...args: string[]) => Promise<number>) => {
    const run = redisScript(send, text, toCount);
    return (key, ...args) => run([`${prefix}:${key}`], args);
  };
  const [put, touch, remove, take, append] = [script(PUT), script(TOUCH), script(DELETE), script(TAKE), script(APPEND)];
  const read = keyedReads(send, isCluster);
  // Makes versions unique per process. Independent of clocks and of stored counters, which a failover can set back.
  const tag = crypto.randomUUID();
  let versions = 0;
  return {
    // A hash: version (v), data (d), mark (m).
    keyed: {
      get: (key, known) => read(`${prefix}:${key}`, known),
      async put(key, value, { ttlMs, expected = '*' }) {
        const version = `${tag}.${++versions}`;
        return (await put(key, expected, version, value, `${Math.ceil(ttlMs)}`)) === 1 ? version : undefined;
      },
      touch: async (key, ttlMs, mark) =>
        (await touch(key, `${Math.ceil(ttlMs)}`, ...(mark === undefined ? [] : [mark]))) === 1,
      delete: async (key, expected = '*') => (await remove(key, expected)) === 1,
    },
    once: {
      async spend(key, ttlMs) {
        const reply = await call('SET', key, '1', 'NX', 'PX', `${Math.max(1, Math.ceil(ttlMs))}`);
        if (isNothing(reply) || `${reply}` === 'OK') return !isNothing(reply);
        throw malformedReply('SET', `expected OK or nothing, not ${kindOf(reply)}`);
      },
    },
    count: {
      async take(key, { limit, perMs, burst = limit }) {
        const retryMs = await take(key, `${perMs / limit}`, `${burst}`);
        return retryMs > 0 ? { ok: false, retryMs } : { ok: true };
      },
    },
    // A stream.
    log: {
      append: async (log, { seq, data }, { ttlMs, keep }) =>
        (await append(log, `${keep}`, `${seq}`, data, `${ttlMs}`)) === 1 ? 'ok' : 'exists',
      async read(log, after) {
        const entries = toList(await call('XRANGE', log, `(${after}-0`, '+'), 'XRANGE').map(readEntry);
        if (entries.length > 0) return entriesAfter(entries, after);
        return toCount(await call('EXISTS', log), 'EXISTS') === 1 ? [] : 'gone';
      },
    },
    channel: numberedChannel(
      {
        publish: async (channel, data) => void (await call(isCluster ? 'SPUBLISH' : 'PUBLISH', channel, data)),
        subscribe: (channel, onData, onMissed) => options.subscribe(`${prefix}:${channel}`, onData, onMissed),
      },
      clock,
    ),
  };
}

/** `["3-0", ["d", "…"]]` */
function readEntry(reply: unknown): LogEntry {
  const [id, fields] = toList(reply, 'XRANGE', 2);
  return { seq: toCount(id, 'XRANGE'), data: `${toList(fields, 'XRANGE', 2)[1]}` };
}
