/** What an endpoint needs of its sessions, whether they are kept in a store, sealed into their ids, or not at all. */
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
  /** The methods of the endpoint: GET opens the standing stream, DELETE ends a session. */
  readonly methods: string;
  /** Whether the caller has reached its limit, where sessions are counted. */
  isFull?(caller: SessionCaller): boolean;
  /** A session before its handshake. It has an id already, or an empty text. */
  create(caller: SessionCaller): LiveSession;
  /** Makes a session findable after its handshake, where it has an id, and returns the id. */
  add?(live: LiveSession, caller: SessionCaller): Promise<string>;
  /** The response to the handshake without what such sessions cannot have. */
  narrow?(response: RpcResponse, live: LiveSession): RpcResponse;
  /** Undefined when there is no such session, and when it belongs to another caller. */
  find(id: string | undefined, caller: SessionCaller): LiveSession | undefined | Promise<LiveSession | undefined>;
  /** Stores what a message changed, where something is stored. */
  save?(live: LiveSession): void | Promise<void>;
  /** The message that the session was found for has been answered. A session that is not kept ends here. */
  release?(live: LiveSession): void;
  /** Where DELETE is among the methods. */
  end?(live: LiveSession, why: string): Promise<void>;
  close?(): void;
}
