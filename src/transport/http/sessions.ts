/** The interface of the three kinds of sessions: kept in a store, sealed into their ids, or none at all. */
import type { RpcResponse } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import type { LiveSession } from './live-session.ts';
import type { HttpView } from './view.ts';

/** The caller of a request in a session. */
export interface SessionCaller {
  readonly auth: AuthInfo | undefined;
  readonly view: HttpView;
}

export interface HttpSessions {
  /** The allowed HTTP methods: GET opens the stream for messages outside requests, DELETE ends a session. */
  readonly methods: string;
  /** Whether the caller has reached its limit. Absent if sessions are not counted. */
  isFull?(caller: SessionCaller): boolean;
  /** Creates a session before its handshake. Its id is empty if it gets one only after the handshake, or none. */
  create(caller: SessionCaller): LiveSession;
  /** Makes a session findable after its handshake, and returns its id. Absent if sessions have no id. */
  add?(live: LiveSession, caller: SessionCaller): Promise<string>;
  /** Removes capabilities that such sessions cannot support from the response to the handshake. */
  narrow?(response: RpcResponse, live: LiveSession): RpcResponse;
  /** Finds a session. Undefined if it does not exist or belongs to another caller. */
  find(id: string | undefined, caller: SessionCaller): LiveSession | undefined | Promise<LiveSession | undefined>;
  /** Stores what a message changed in the session. Absent if nothing is stored. */
  save?(live: LiveSession): void | Promise<void>;
  /** Called when the message for which the session was found has been handled. Closes a session that is not kept. */
  release?(live: LiveSession): void;
  /** Ends a session. Absent if DELETE is not allowed. */
  end?(live: LiveSession, why: string): Promise<void>;
  close?(): void;
}
