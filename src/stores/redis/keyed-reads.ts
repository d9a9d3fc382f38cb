/** Reads values: those of two turns with one command, because a command costs more than what it reads (bench: `shared-sessions`). */
import { nextTurn } from '../../peer/runtime.ts';
import type { KeyedEntry } from '../backend.ts';
import { MAX_WAITING, tooManyCommands } from './bounded-send.ts';
import { isNothing, malformedReply, toList } from './redis-reply.ts';
import { type RedisSend, redisScript } from './redis-script.ts';

/** Keys of one command. Redis does nothing else while it runs a script. */
const MAX_KEYS = 64;

/** ARGV: for each key, the version that is known. Replies as HMGET does, and with the mark alone where that version is there. */
const READ = `
local all = {}
for i, key in ipairs(KEYS) do
  local entry = redis.call('HMGET', key, 'v', 'd', 'm')
  if entry[1] and entry[1] == ARGV[i] then entry = { entry[3] } end
  all[i] = entry
end
return all`;

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

  async #sendTogether(reads: readonly WaitingRead[]): Promise<void> {
    try {
      const keys = reads.map(({ key }) => key);
      const [only = ''] = keys;
      const versions = reads.map(({ known }) => known?.version ?? '');
      const replies =
        keys.length === 1
          ? [await this.#readOne(only)]
          : toList(await this.#readAll(keys, versions), 'EVALSHA', keys.length);
      for (const [i, { known, resolve }] of reads.entries()) resolve(toEntry(replies[i], known));
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

/** Version, data and mark, or the mark alone. */
function toEntry(reply: unknown, known?: KeyedEntry): KeyedEntry | undefined {
  if (known !== undefined && Array.isArray(reply) && reply.length === 1)
    return withMark(known.value, known.version, reply[0]);
  const [version, value, mark] = toList(reply, 'HMGET', 3);
  if (isNothing(version)) return undefined;
  if (isNothing(value)) throw malformedReply('HMGET', 'a version without its value');
  return withMark(`${value}`, `${version}`, mark);
}

const withMark = (value: string, version: string, mark: unknown): KeyedEntry =>
  isNothing(mark) ? { value, version } : { value, version, mark: `${mark}` };
