/** Keeps sent events in memory, for clients that resume a stream. */
import { type Clock, systemClock } from '../../peer/clock.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

export interface MemoryLogOptions {
  readonly clock?: Clock;
  /** Minimum number of recent events that are kept per stream; older ones are evicted. Default: 1,000. */
  readonly maxEvents?: number;
  /** How long a stream is kept after its last event. Default: 10 min. */
  readonly keepMs?: number;
  /** Maximum number of characters in total; evicts the stream whose last event is oldest. Default: 64 Mi. */
  readonly maxLength?: number;
}

/** Events are packed once there are this many, or once one of them has `LONG_EVENT` characters. */
const PACKED_EVENTS = 100;
const LONG_EVENT = 1_000;

/** Consecutive events, one per line. To retain many small strings costs the garbage collector more than to write them (bench: `progress`). */
interface PackedEvents {
  readonly lines: string;
  readonly count: number;
}

class LoggedStream {
  at = 0;
  /** Total number of characters. */
  length = 0;
  /** Sequence number of the newest event. */
  newest = 0;
  #hasLast = false;
  #count = 0;
  readonly #packed: PackedEvents[] = [];
  /** Events that are not packed yet. */
  #recent: string[] = [];

  append({ seq, data, last = false }: LoggedEvent, maxEvents: number): void {
    this.newest = seq;
    this.#hasLast = last;
    this.#count++;
    this.length += data.length;
    const count = this.#recent.push(data);
    // Packs are evicted whole, so their size is limited: at most half as many events again are kept.
    if (!last && data.length < LONG_EVENT && count < Math.min(PACKED_EVENTS, maxEvents / 2)) return;
    const packed = this.#packed;
    packed.push({ lines: this.#recent.join('\n'), count });
    this.#recent = [];
    for (let [oldest] = packed; oldest && this.#count - oldest.count >= maxEvents; [oldest] = packed) {
      packed.shift();
      this.#count -= oldest.count;
      this.length -= oldest.lines.length + 1 - oldest.count;
    }
  }

  /** The events after `seq`; undefined if some of them were evicted. */
  after(seq: number): LoggedEvent[] | undefined {
    const first = this.newest - this.#count + 1;
    if (first > seq + 1) return undefined;
    const lines = this.#packed.flatMap((packed) => packed.lines.split('\n'));
    const events = [...lines, ...this.#recent].map((data, i): LoggedEvent => ({ seq: first + i, data }));
    if (this.#hasLast) events.push({ ...(events.pop() as LoggedEvent), last: true }); // it has at least one
    return events.slice(seq + 1 - first);
  }
}

export function memoryEventLog(options: MemoryLogOptions = {}): EventLog {
  const { clock = systemClock, maxEvents = 1_000, keepMs = 600_000, maxLength = 64 * 1024 * 1024 } = options;
  /** In order of their last event. */
  const streams = new Map<string, LoggedStream>();
  /** The last stream of the map. A shortcut: most events follow another event of the same stream. */
  let newest: LoggedStream | undefined;
  let total = 0;
  const evict = (stream: string, kept: LoggedStream): void => {
    total -= kept.length;
    streams.delete(stream);
    if (kept === newest) newest = undefined;
  };
  const evictOld = (now: number): void => {
    for (const [stream, kept] of streams) {
      const oldest = streams.size > 1 && total > maxLength;
      if (!oldest && kept.at > now - keepMs) return;
      evict(stream, kept);
    }
  };
  return {
    append(stream, event) {
      let kept = streams.get(stream);
      if (kept?.newest !== event.seq - 1) {
        // A stream cannot be resumed from before a gap.
        if (kept !== undefined) evict(stream, kept);
        kept = new LoggedStream();
      }
      if (kept !== newest) {
        streams.delete(stream);
        streams.set(stream, kept);
        newest = kept;
      }
      kept.at = clock.now();
      total -= kept.length;
      kept.append(event, maxEvents);
      total += kept.length;
      evictOld(kept.at);
    },
    read(stream, after) {
      evictOld(clock.now());
      return streams.get(stream)?.after(after);
    },
  };
}
