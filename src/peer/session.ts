/** The state of a session. Plain data, so that it can be stored and continued by another process. */
import type { Caller } from '../model/caller.ts';
import type { LoggingLevel } from '../model/logging.ts';

/** What client and server negotiated. Plain data. */
export interface PeerSession {
  /** The negotiated revision. Undefined before the handshake, and in revisions where each request states its own. */
  revision?: string;
  /** The client info and capabilities that the peer sent. */
  caller?: Caller;
  /** The revisions that a handshake can negotiate, if the transport does not support all of them. */
  offered?: readonly string[];
  /** The server can send only messages that belong to a request of the client. Features that need more are neither declared nor served. */
  requestsOnly?: true;
  /** The client has sent `notifications/initialized`. */
  ready?: boolean;
  /** Whether a batch (several messages in one array) is accepted. */
  batches?: boolean;
  /** This side sends no responses, not even to malformed requests: a client in a revision without server requests. */
  mustNotRespond?: boolean;
  /** The minimum severity of log messages that the client wants. */
  logLevel?: LoggingLevel;
  /** URIs of the resources that the client subscribed to. */
  subscriptions?: string[];
}

/** Resets a session to its state before the handshake. */
export function clearSession(session: PeerSession): void {
  for (const key of Object.keys(session)) delete session[key as keyof PeerSession]; // Object.keys returns its keys
}
