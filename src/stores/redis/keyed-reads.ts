/** Reads values: those of two turns with one command, because a command costs more than what it reads (bench: `shared-sessions`). */
import { nextTurn } from '../../peer/runtime.ts';
import type { KeyedEntry } from '../backend.ts';
import { MAX_WAITING, tooManyCommands } from './bounded-send.ts';
import { isNothing, malformedReply, toCount, toList } from './redis-reply.ts';
import { type RedisSend, redisScript } from './redis-script.ts';

/** Keys of one command. Redis does nothing else while it runs a script. */
const MAX_KEYS = 64;

/**
 * ARGV: for each key, the version and the mark that are known. Replies with the number of keys, and with a list for each that differs:
 * its place, and nothing where there is no value, the mark where that alone differs, otherwise version, data and mark.
 */
const READ = `
local reply = { #KEYS }
for i, key in ipairs(KEYS) do
  local entry = redis.call('HMGET', key, 'v', 'm')
  local version, mark = entry[1], entry[2]
  if not version then reply[#reply + 1] = { i }
  elseif version .. ' ' .. (mark or '') ~= ARGV[i] then
    if string.sub(ARGV[i], 1, #version + 1) == version .. ' ' then reply[#reply + 1] = { i, mark }
    else reply[#reply + 1] = { i, version, redis.call('HGET', key, 'd'), mark } end
  end
end
return reply`;

/** A read that waits for its reply. */
interface WaitingRead {
  readonly key: string;
  readonly known: KeyedEntry | undefined;
  resolve(entry: KeyedEntry | undefined): void;
  reject(thrown: unknown): void;
}

export class KeyedReads {
  readonly #send: RedisSend;
  readonly #readAll: ReturnType<typeof redisScript>;
  /** One command can then read one key only: others are on other servers. */
  #isCluster: boolean;
  /** Reads that were not sent yet. */
  #collected: WaitingRead[] = [];
  #waiting = 0;

  constructor(send: RedisSend, isCluster: boolean) {
    this.#send = send;
    this.#readAll = redisScript(send, READ);
    this.#isCluster = isCluster;
  }

  get(key: string, known?: KeyedEntry): Promise<KeyedEntry | undefined> {
    if (this.#isCluster) return this.#readOne(key).then((reply) => toEntry(reply));
    return new Promise((resolve, reject) => {
      if (this.#waiting >= MAX_WAITING) return reject(tooManyCommands(this.#waiting));
      this.#waiting++;
      if (this.#collected.push({ key, known, resolve, reject }) > 1) return;
      // What came while this turn was busy comes with the next one: it doubles what a command reads.
      void nextTurn()
        .then(nextTurn)
        .then(() => this.#sendCollected());
    });
  }

  #readOne(key: string): Promise<unknown> {
    return this.#send(['HMGET', key, 'v', 'd', 'm'], key);
  }

  #sendCollected(): void {
    const reads = this.#collected;
    this.#collected = [];
    for (let at = 0; at < reads.length; at += MAX_KEYS) void this.#sendTogether(reads.slice(at, at + MAX_KEYS));
  }

  async #readChanges(reads: readonly WaitingRead[]): Promise<void> {
    const keys = reads.map(({ key }) => key);
    const states = reads.map(({ known }) => (known === undefined ? '' : `${known.version} ${known.mark ?? ''}`));
    const changes = toChanges(await this.#readAll(keys, states), keys.length);
    for (const [i, { known, resolve }] of reads.entries()) resolve(changedEntry(known, changes.get(i + 1)));
  }

  async #sendTogether(reads: readonly WaitingRead[]): Promise<void> {
    try {
      const [only] = reads;
      if (reads.length === 1 && only !== undefined) only.resolve(toEntry(await this.#readOne(only.key)));
      else await this.#readChanges(reads);
    } catch (thrown) {
      if (isOfCluster(thrown)) this.#isCluster = true;
      for (const { key, resolve, reject } of reads)
        if (this.#isCluster)
          this.#readOne(key)
            .then((reply) => toEntry(reply))
            .then(resolve, reject);
        else reject(thrown);
    } finally {
      this.#waiting -= reads.length;
    }
  }
}

/** Some connections do not say that they lead to a cluster. */
const isOfCluster = (thrown: unknown): boolean => thrown instanceof Error && thrown.message.includes('CROSSSLOT');

/** What differs, by its place from 1 on. */
function toChanges(reply: unknown, keys: number): ReadonlyMap<number, readonly unknown[]> {
  const [count, ...changes] = toList(reply, 'EVALSHA');
  if (toCount(count, 'EVALSHA') !== keys) throw malformedReply('EVALSHA', `expected ${keys} keys to be read`);
  return new Map(
    changes.map((change) => {
      const [place, ...entry] = toList(change, 'EVALSHA');
      return [toCount(place, 'EVALSHA'), entry];
    }),
  );
}

/** The entry that is known, with what differs. */
function changedEntry(known: KeyedEntry | undefined, change: readonly unknown[] | undefined): KeyedEntry | undefined {
  if (change?.length === 0) return undefined;
  if (change !== undefined && change.length > 1) return toEntry(change);
  if (known === undefined) throw malformedReply('EVALSHA', 'expected a value that is not known');
  return change === undefined ? known : withMark(known.value, known.version, change[0]);
}

/** Version, data and mark. */
function toEntry(reply: unknown): KeyedEntry | undefined {
  const [version, value, mark] = toList(reply, 'HMGET', 3);
  if (isNothing(version)) return undefined;
  if (isNothing(value)) throw malformedReply('HMGET', 'a version without its value');
  return withMark(`${value}`, `${version}`, mark);
}

const withMark = (value: string, version: string, mark: unknown): KeyedEntry =>
  isNothing(mark) ? { value, version } : { value, version, mark: `${mark}` };
