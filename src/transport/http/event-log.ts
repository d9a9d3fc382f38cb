/** The log of sent events, for clients that reconnect with Last-Event-ID. */
import type { Id } from '../../jsonrpc/message.ts';

/** One event of a stream, stored so that a client that lost its connection can get it again. */
export interface LoggedEvent {
  /** Sequence number in the stream, from 1. */
  readonly seq: number;
  /** The message, as JSON on one line. */
  readonly data: string;
  /** Set on the last event of the stream. */
  readonly last?: boolean;
}

/** Stores the events of streams. The name of a stream includes its session. Methods can be synchronous or asynchronous. */
export interface EventLog {
  /** Appends an event. Called in the order of events, one at a time. */
  append(stream: string, event: LoggedEvent): void | Promise<void>;
  /** Returns all events after number `after`; undefined if the stream is unknown or some of them are lost. */
  read(stream: string, after: number): readonly LoggedEvent[] | undefined | Promise<readonly LoggedEvent[] | undefined>;
  /** Records that this process answers these requests on the stream. For logs that several processes share. */
  claim?(stream: string, requests: readonly Id[]): Promise<void>;
  /** Returns the open requests of a stream if the process that claimed it is gone and cannot answer them. */
  orphaned?(stream: string): Promise<readonly Id[] | undefined>;
}
