/** Other processes that serve the same sessions: what a client sends can reach one that does not wait for it. */
import type { RpcNotification, RpcResponse } from '../../jsonrpc/message.ts';

/** A response or a cancellation for a session, and whose session it is. */
export interface SessionMessage {
  readonly session: string;
  readonly principal: string;
  readonly message: RpcNotification | RpcResponse;
}

/** How the processes that share a session store pass messages on. */
export interface SessionPeers {
  /** Names this process: the ids of its questions to clients begin with it. */
  readonly node: string;
  /** Nothing in this process waits for this message. */
  forward(message: SessionMessage): void;
  /** Takes what other processes pass on, until the returned function is called. */
  receive(take: (message: SessionMessage) => void): () => void;
}
