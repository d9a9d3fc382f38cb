/** Redis or Valkey as a backend: one server, Sentinel or a cluster, through the client that you use already. Every script touches one key. */
import { checkObject } from '../../model/check-argument.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import type { Backend, LogEntry } from '../backend.ts';
import { entriesAfter } from '../memory-backend.ts';
import { numberedChannel } from '../numbered-channel.ts';
import { boundedSend } from './bounded-send.ts';
import { refuseEviction } from './eviction.ts';
import { keyedReads } from './keyed-reads.ts';
import { isNothing, kindOf, malformedReply, toCount, toList } from './redis-reply.ts';
import { type RedisSend, redisScript } from './redis-script.ts';

/** What it takes to reach Redis: `fromNodeRedis(client)` and `fromIoredis(client)` make one. */
export interface RedisConnection {
  /** Sends one command. */
  readonly send: RedisSend;
  /**
   * Calls back for what is published on a channel, and after each time that the connection was lost and is back.
   * Returns a function that ends it.
   */
  subscribe(channel: string, onData: (data: string) => void, onReconnected: () => void): () => void;
  /** Channels of a cluster are sharded: all messages of one go through one server, and arrive in order. */
  readonly isCluster?: boolean | undefined;
  /** Ends the connections that it opened. The client stays open: it is yours. */
  close?(): void;
}

/** Where Redis is, and under which keys. */
export interface RedisBackendOptions extends RedisConnection {
  /** The beginning of every key and channel; `mooring` unless you say otherwise. */
  readonly prefix?: string | undefined;
  /** How long a command can take. 250 ms. */
  readonly timeoutMs?: number | undefined;
  /** Told when Redis does not say whether it evicts keys. */
  readonly onWarning?: ((text: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** ARGV: expected version or `*`, version, value, life. Replies 1 when it was written. */
const PUT = `
if ARGV[1] ~= '*' and (redis.call('HGET', KEYS[1], 'v') or '') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'm')
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'd', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`;

/** ARGV: life, mark. HSET alone would bring back a session that has ended, as an empty one. */
const TOUCH = `
if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[2] then redis.call('HSET', KEYS[1], 'm', ARGV[2]) end
return 1`;

/** ARGV: expected version or `*`. */
const DELETE = `
if ARGV[1] ~= '*' and redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/**
 * ARGV: milliseconds for each, burst. Replies with what is missing, in milliseconds, or 0. A stored moment that is further ahead than a burst
 * is cut to that: after a fail-over, the clock of another server can be behind.
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

/** ARGV: entries to keep, number, data, life. The number is the id in the stream: one that is there already is an error. */
const APPEND = `
local added = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], ARGV[2] .. '-0', 'd', ARGV[3])
if type(added) == 'table' and added.err then
  if string.find(added.err, 'equal or smaller', 1, true) then return 0 end
  return added
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`;

/** Keeps what processes share in Redis. It refuses a Redis that evicts keys: a state that was used could be used again. */
export function redisBackend(options: RedisBackendOptions): Backend {
  checkObject(options, 'redisBackend(options)', 'a connection, such as fromNodeRedis(client)');
  const { prefix = 'mooring', timeoutMs = 250, clock = systemClock, isCluster = false } = options;
  const send = refuseEviction(boundedSend(options.send, timeoutMs, clock), options.onWarning);
  const call = (name: string, key: string, ...values: string[]): Promise<unknown> =>
    send([name, `${prefix}:${key}`, ...values], `${prefix}:${key}`);
  const script = (text: string): ((key: string, ...args: string[]) => Promise<number>) => {
    const run = redisScript(send, text, toCount);
    return (key, ...args) => run([`${prefix}:${key}`], args);
  };
  const [put, touch, remove, take, append] = [script(PUT), script(TOUCH), script(DELETE), script(TAKE), script(APPEND)];
  const read = keyedReads(send, isCluster);
  // No clock and no stored number is in it, so it never comes back, whatever happens to either.
  const tag = crypto.randomUUID();
  let versions = 0;
  return {
    // A hash: version, data, mark.
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
