/** Events that were sent, for clients that reconnect with Last-Event-ID. */
import type { Id } from '../../jsonrpc/message.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';

/** One event of a stream, kept so that a client that lost its connection can have it again. */
export interface LoggedEvent {
  /** Its number in the stream, from 1 on. */
  readonly seq: number;
  /** The message, as JSON. */
  readonly data: string;
  /** Nothing follows it in its stream. */
  readonly last?: boolean;
}

/** A stream is named by a string that holds its session too. Every method may answer at once or later. */
export interface EventLog {
  /** Called in the order of events, one after the other. */
  append(stream: string, event: LoggedEvent): void | Promise<void>;
  /** Everything after that event; undefined when the stream is not known any more, or some of it is lost. */
  read(stream: string, after: number): readonly LoggedEvent[] | undefined | Promise<readonly LoggedEvent[] | undefined>;
  /** This process answers these requests on the stream. For logs that several processes share. */
  claim?(stream: string, requests: readonly Id[]): Promise<void>;
  /** The requests of a stream that the process that claimed it cannot end any more: it is not there. */
  orphaned?(stream: string): Promise<readonly Id[] | undefined>;
}

export interface MemoryLogOptions {
  readonly clock?: Clock;
  /** Events of one stream; the oldest go first. 1,000. */
  readonly maxEvents?: number;
  /** How long a stream is kept after its last event. 10 min. */
  readonly keepMs?: number;
  /** Characters in all; the stream that was quiet longest goes first. 64 Mi. */
  readonly maxLength?: number;
}

interface LoggedStream {
  events: LoggedEvent[];
  length: number;
  at: number;
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
      const kept = streams.get(stream) ?? { events: [], length: 0, at: 0 };
      if (kept !== newest) {
        streams.delete(stream);
        streams.set(stream, kept);
        newest = kept;
      }
      kept.events.push(event);
      kept.at = clock.now();
      let grown = event.data.length;
      // Half of them at once: taking them one by one would move all others each time.
      if (kept.events.length > maxEvents * 1.5)
        for (const gone of kept.events.splice(0, kept.events.length - maxEvents)) grown -= gone.data.length;
      kept.length += grown;
      total += grown;
      tidy(kept.at);
    },
    read(stream, after) {
      tidy(clock.now());
      const kept = streams.get(stream);
      const first = kept?.events[0]?.seq;
      if (kept === undefined || first === undefined || first > after + 1) return undefined;
      return kept.events.filter(({ seq }) => seq > after);
    },
  };
}
