/** One connection to the server, before and after its revision is negotiated. */
import type { ServerFacts } from '../model/caller.ts';
import type { Connection, Exchange } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import type { Introduction, Revision } from '../revisions/contract.ts';

/** The server at the other end of one connection, from before the handshake. */
export interface Peer {
  readonly session: PeerSession;
  /** Undefined until a revision is negotiated. */
  live?: LiveConnection;
}

/** A connection with its negotiated revision. */
export interface LiveConnection {
  readonly connection: Connection;
  readonly revision: Revision;
  server: ServerFacts;
  /** Handles the server's messages on this connection. */
  readonly inbound: Exchange;
  /** The client info and capabilities that are declared on this connection. */
  me: Introduction;
  /** The number of open requests, except for standing ones. */
  openRequests: number;
  /** The connection closes after its last open request. */
  isAbandoned: boolean;
}
