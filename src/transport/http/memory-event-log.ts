/** Events that were sent, in the memory of this process. */
import { type Clock, systemClock } from '../../peer/clock.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

export interface MemoryLogOptions {
  readonly clock?: Clock;
  /** Events of one stream; the oldest go first. 1,000. */
  readonly maxEvents?: number;
  /** How long a stream is kept after its last event. 10 min. */
  readonly keepMs?: number;
  /** Characters in all; the stream that was quiet longest goes first. 64 Mi. */
  readonly maxLength?: number;
}

/** So many events, or fewer with a longer one among them, are joined to one text. */
const PACKED_EVENTS = 100;
const LONG_EVENT = 1_000;

/** Events in a row, one on each line: many small strings that are kept cost the garbage collector more than their writing (bench: `progress`). */
interface PackedEvents {
  readonly lines: string;
  readonly count: number;
}

class LoggedStream {
  at = 0;
  /** Characters in all. */
  length = 0;
  /** The newest event that it has. */
  newest = 0;
  #hasLast = false;
  #count = 0;
  readonly #packed: PackedEvents[] = [];
  /** Those that are not packed yet. */
  #recent: string[] = [];

  append({ seq, data, last = false }: LoggedEvent, maxEvents: number): void {
    this.newest = seq;
    this.#hasLast = last;
    this.#count++;
    this.length += data.length;
    const count = this.#recent.push(data);
    // At most half as many more than it must have are kept.
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

  /** Undefined when some of it is lost. */
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
  /** The one with the newest event last. */
  const streams = new Map<string, LoggedStream>();
  /** The last of them: most events follow another of the same stream. */
  let newest: LoggedStream | undefined;
  let total = 0;
  const forget = (stream: string, kept: LoggedStream): void => {
    total -= kept.length;
    streams.delete(stream);
    if (kept === newest) newest = undefined;
  };
  const tidy = (now: number): void => {
    for (const [stream, kept] of streams) {
      const oldest = streams.size > 1 && total > maxLength;
      if (!oldest && kept.at > now - keepMs) return;
      forget(stream, kept);
    }
  };
  return {
    append(stream, event) {
      let kept = streams.get(stream);
      if (kept?.newest !== event.seq - 1) {
        // What comes before a gap cannot be resumed.
        if (kept !== undefined) forget(stream, kept);
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
      tidy(kept.at);
    },
    read(stream, after) {
      tidy(clock.now());
      return streams.get(stream)?.after(after);
    },
  };
}
