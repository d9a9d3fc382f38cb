/** What the two ends of a handshake agreed on: plain data, so that it can be stored and served by another process. */
import type { Caller } from '../model/caller.ts';
import type { LoggingLevel } from '../model/logging.ts';

/** What two sides agreed on: plain data. */
export interface PeerSession {
  /** The revision that was agreed on; undefined before the handshake, and always where requests introduce themselves. */
  revision?: string;
  /** The other side, as it introduced itself. */
  caller?: Caller;
  /** The revisions that a handshake can agree on, where the transport cannot carry all of them. */
  offered?: readonly string[];
  /** Nothing reaches the client but what belongs to one of its requests: what needs more is neither declared nor served. */
  requestsOnly?: true;
  /** The client has sent `notifications/initialized`. */
  ready?: boolean;
  /** Whether several messages may come as one array. */
  batches?: boolean;
  /** This side sends no responses at all, not even to malformed requests: a client where servers have no requests. */
  mustNotRespond?: boolean;
  /** The least severe log message the client wants. */
  logLevel?: LoggingLevel;
  /** Resources the client subscribed to. */
  subscriptions?: string[];
}

/** As before the handshake: the next one agrees on everything again. */
export function clearSession(session: PeerSession): void {
  for (const key of Object.keys(session)) delete session[key as keyof PeerSession]; // its own keys
}
