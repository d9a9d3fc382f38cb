/** Reads values: those of two turns with one command, because a command costs more than what it reads (bench: `shared-sessions`). */
import { nextTurn } from '../../peer/runtime.ts';
import type { Deferred } from '../../peer/wait.ts';
import type { KeyedEntry, KeyedValues } from '../backend.ts';
import { limitWaiting } from './bounded-send.ts';
import { isNothing, malformedReply, toList } from './redis-reply.ts';
import { type RedisSend, redisScript } from './redis-script.ts';

/** Keys of one command. Redis does nothing else while it runs a script. */
const MAX_KEYS = 64;

/**
 * ARGV: for each key, the version and the mark that are known. Replies for each with 1 where both are as known, otherwise with a list:
 * version, data and mark. There is no version without a value, and no data of a version that is known.
 */
const READ = `
local reply = {}
for i, key in ipairs(KEYS) do
  local entry = redis.call('HMGET', key, 'v', 'm')
  local version, mark = entry[1], entry[2]
  local isKnown = version and string.sub(ARGV[i], 1, #version + 1) == version .. ' '
  local isSame = isKnown and version .. ' ' .. (mark or '') == ARGV[i]
  reply[i] = isSame and 1 or { version, version and not isKnown and redis.call('HGET', key, 'd'), mark }
end
return reply`;

/** A read that waits for its reply. */
interface WaitingRead extends Pick<Deferred<KeyedEntry | undefined>, 'resolve' | 'reject'> {
  readonly key: string;
  readonly known: KeyedEntry | undefined;
}

/** In a cluster, one command can read one key only: others are on other servers. */
export function keyedReads(send: RedisSend, isCluster: boolean): KeyedValues['get'] {
  const readChanges = redisScript(send, READ, toList);
  const readOne = async (key: string): Promise<KeyedEntry | undefined> =>
    toEntry(await send(['HMGET', key, 'v', 'd', 'm'], key));
  /** Reads that were not sent yet. */
  const collected: WaitingRead[] = [];
  const sendCollected = (): void => {
    while (collected.length > 0) void sendTogether(collected.splice(0, MAX_KEYS));
  };
  async function sendTogether(reads: readonly WaitingRead[]): Promise<void> {
    const [first, second] = reads;
    if (second === undefined) return first?.resolve(readOne(first.key));
    const keys = reads.map(({ key }) => key);
    const states = reads.map(({ known }) => (known === undefined ? '' : `${known.version} ${known.mark ?? ''}`));
    try {
      const replies = toList(await readChanges(keys, states), 'EVALSHA', keys.length);
      for (const [i, { known, resolve }] of reads.entries()) resolve(toEntry(replies[i], known));
    } catch (thrown) {
      // Some connections do not say that they lead to a cluster.
      isCluster ||= thrown instanceof Error && thrown.message.includes('CROSSSLOT');
      for (const { key, resolve, reject } of reads)
        if (isCluster) resolve(readOne(key));
        else reject(thrown);
    }
  }

  return limitWaiting((key, known) => {
    if (isCluster) return readOne(key);
    return new Promise((resolve, reject) => {
      if (collected.push({ key, known, resolve, reject }) > 1) return;
      // What came while this turn was busy comes with the next one: it doubles what a command reads.
      void nextTurn().then(nextTurn).then(sendCollected);
    });
  });
}

/** Version, data and mark; or what is known, where the reply says so. */
function toEntry(reply: unknown, known?: KeyedEntry): KeyedEntry | undefined {
  // Some clients give numbers as text.
  if (known !== undefined && (reply === 1 || reply === '1')) return known;
  const [version, data, mark] = toList(reply, 'HMGET', 3);
  if (isNothing(version)) return undefined;
  const value = isNothing(data) && known?.version === `${version}` ? known.value : data;
  if (isNothing(value)) throw malformedReply('HMGET', 'a version without its value');
  return { value: `${value}`, version: `${version}`, ...(!isNothing(mark) && { mark: `${mark}` }) };
}
