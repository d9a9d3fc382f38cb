/** Batches reads of two event-loop turns into one command, because a command costs more than the values it reads (bench: `shared-sessions`). */
import { nextTurn } from '../../peer/runtime.ts';
import type { Deferred } from '../../peer/wait.ts';
import type { KeyedEntry, KeyedValues } from '../backend.ts';
import { limitWaiting } from './bounded-send.ts';
import { isNothing, malformedReply, toList } from './redis-reply.ts';
import { type RedisSend, redisScript } from './redis-script.ts';

/** Maximum number of keys in one command; limited, because a script blocks Redis. */
const MAX_KEYS = 64;

/**
 * Returns 1 if no key has changed, otherwise version, data and mark of each key. ARGV: the known states of all keys, in one text, because
 * each argument costs time in clients. A key without a version does not exist.
 */
const READ = `
local states = {}
for i, key in ipairs(KEYS) do
  local entry = redis.call('HMGET', key, 'v', 'm')
  states[i] = (entry[1] or '') .. ' ' .. (entry[2] or '')
end
if table.concat(states, ';') == ARGV[1] then return 1 end
local entries = {}
for i, key in ipairs(KEYS) do entries[i] = redis.call('HMGET', key, 'v', 'd', 'm') end
return entries`;

/** A known state as READ formats it. The empty text for an unknown one matches no state in Redis. */
const stateOf = (known: KeyedEntry | undefined): string =>
  known === undefined ? '' : `${known.version} ${known.mark ?? ''}`;

/** A pending read. */
interface WaitingRead extends Pick<Deferred<KeyedEntry | undefined>, 'resolve' | 'reject'> {
  readonly key: string;
  readonly known: KeyedEntry | undefined;
}

/** Creates `get` of the backend. Does not batch in a cluster, where the keys of a command would be on different servers. */
export function keyedReads(send: RedisSend, isCluster: boolean): KeyedValues['get'] {
  const readChanges = redisScript(send, READ, (reply) => reply);
  const readOne = async (key: string): Promise<KeyedEntry | undefined> =>
    toEntry(await send(['HMGET', key, 'v', 'd', 'm'], key));
  const unsent: WaitingRead[] = [];
  const sendAll = (): void => {
    while (unsent.length > 0) void sendBatch(unsent.splice(0, MAX_KEYS));
  };
  async function sendBatch(reads: readonly WaitingRead[]): Promise<void> {
    const [first, second] = reads;
    if (second === undefined) return first?.resolve(readOne(first.key));
    const keys = reads.map(({ key }) => key);
    try {
      const reply = await readChanges(keys, [reads.map(({ known }) => stateOf(known)).join(';')]);
      // Some clients return numbers as text.
      const entries = reply === 1 || reply === '1' ? undefined : toList(reply, 'EVALSHA', keys.length);
      for (const [i, { known, resolve }] of reads.entries())
        resolve(entries === undefined && known !== undefined ? known : toEntry(entries?.[i]));
    } catch (thrown) {
      // A connection can lead to a cluster without `isCluster`. Detects this, and stops batching.
      isCluster ||= thrown instanceof Error && thrown.message.includes('CROSSSLOT');
      for (const { key, resolve, reject } of reads)
        if (isCluster) resolve(readOne(key));
        else reject(thrown);
    }
  }

  return limitWaiting((key, known) => {
    if (isCluster) return readOne(key);
    return new Promise((resolve, reject) => {
      if (unsent.push({ key, known, resolve, reject }) > 1) return;
      // Waits for a second turn, in which requests are read that arrived during this one: doubles the size of a batch.
      void nextTurn().then(nextTurn).then(sendAll);
    });
  });
}

/** Parses a reply of version, data and mark. */
function toEntry(reply: unknown): KeyedEntry | undefined {
  const [version, data, mark] = toList(reply, 'HMGET', 3);
  if (isNothing(version)) return undefined;
  if (isNothing(data)) throw malformedReply('HMGET', 'a version without its value');
  return { value: `${data}`, version: `${version}`, ...(!isNothing(mark) && { mark: `${mark}` }) };
}
