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
 * ARGV: the states that are known of all keys, in one text, because clients pay for each argument. Replies with 1 where all are as
 * known, otherwise with version, data and mark of each key. There is no version without a value.
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

/** Version and mark. Nothing in Redis looks like what is not known. */
const stateOf = (known: KeyedEntry | undefined): string =>
  known === undefined ? '' : `${known.version} ${known.mark ?? ''}`;

/** Some clients give numbers as text. */
const isOne = (reply: unknown): boolean => reply === 1 || reply === '1';

/** A read that waits for its reply. */
interface WaitingRead extends Pick<Deferred<KeyedEntry | undefined>, 'resolve' | 'reject'> {
  readonly key: string;
  readonly known: KeyedEntry | undefined;
}

/** In a cluster, one command can read one key only: others are on other servers. */
export function keyedReads(send: RedisSend, isCluster: boolean): KeyedValues['get'] {
  const readChanges = redisScript(send, READ, (reply) => reply);
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
    try {
      const reply = await readChanges(keys, [reads.map(({ known }) => stateOf(known)).join(';')]);
      const entries = isOne(reply) ? undefined : toList(reply, 'EVALSHA', keys.length);
      for (const [i, { known, resolve }] of reads.entries())
        resolve(entries === undefined && known !== undefined ? known : toEntry(entries?.[i]));
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

/** Version, data and mark. */
function toEntry(reply: unknown): KeyedEntry | undefined {
  const [version, data, mark] = toList(reply, 'HMGET', 3);
  if (isNothing(version)) return undefined;
  if (isNothing(data)) throw malformedReply('HMGET', 'a version without its value');
  return { value: `${data}`, version: `${version}`, ...(!isNothing(mark) && { mark: `${mark}` }) };
}
