/** Connects the processes that share sessions: without sticky sessions, a response can reach a process that does not wait for it. */
import type { RpcNotification, RpcResponse } from '../../jsonrpc/message.ts';

/** A response or cancellation, with the id and the caller of its session. */
export interface SessionMessage {
  readonly session: string;
  readonly principal: string;
  readonly message: RpcNotification | RpcResponse;
}

/** Forwards messages between the processes that share a session store. */
export interface SessionPeers {
  /** Identifies this process. The ids of its requests to clients start with it. */
  readonly node: string;
  /** Forwards a message that no request in this process waits for. */
  forward(message: SessionMessage): void;
  /** Calls `take` with each message that another process forwards, until the returned function is called. */
  receive(take: (message: SessionMessage) => void): () => void;
}
