/** Events that were sent, for clients that reconnect with Last-Event-ID. */
import type { Id } from '../../jsonrpc/message.ts';

/** One event of a stream, kept so that a client that lost its connection can have it again. */
export interface LoggedEvent {
  /** Its number in the stream, from 1 on. */
  readonly seq: number;
  /** The message, as JSON on one line. */
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
