/** The options of HTTP servers, and their defaults. */
import { defined } from '../../jsonrpc/message.ts';
import type { Authenticator } from '../../model/auth.ts';
import type { OptionNames } from '../../model/check-options.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { Warnings } from '../../peer/warnings.ts';
import type { EventLog } from './event-log.ts';
import { type LimitedEventLog, limitEventLog } from './limit-stores.ts';
import { memoryEventLog } from './memory-event-log.ts';
import type { SealedSessionSpec } from './sealed-session-spec.ts';
import type { SessionPeers } from './session-peers.ts';
import { memorySessionStore, type SessionStore, type StoreOperation } from './session-store.ts';

/** Options of HTTP servers: allowed hosts and origins, authorization, sessions, limits. */
export interface HttpOptions {
  /** Accepted values of the `Host` header, with or without a port. Default: loopback names. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that can call, such as `https://app.example`; they get CORS headers. Default: loopback origins, without CORS headers. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Verifies the caller before the body is read. */
  readonly auth?: Authenticator | undefined;
  /**
   * Where sessions are stored, for revisions with sessions. Default: in memory. Several processes can share a `SessionStore`.
   * `{ sealed: keys }` stores nothing: the session id is the encrypted session. `'none'` opens no sessions.
   */
  readonly sessions?: SessionStore | SealedSessionSpec | 'none' | undefined;
  /** Where sent events are stored for clients that resume a stream. Default: in memory. */
  readonly eventLog?: EventLog | undefined;
  /** Called when a session store or event log fails. What it should have stored is not stored. Count the calls in your metrics. */
  readonly onStoreError?: ((error: unknown, operation: StoreOperation) => void) | undefined;
  /** Connects the processes that share sessions, so that a client's response reaches the process that sent the request. */
  readonly peers?: SessionPeers | undefined;
  readonly clock?: Clock | undefined;
  /** Maximum size of a request body. Default: 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum number of bytes that wait on one stream for a slow client; then the stream is aborted. Default: 1 MiB. */
  readonly maxQueueBytes?: number | undefined;
  /** Maximum number of sessions. One more evicts the longest-idle session. Default: 10,000. */
  readonly maxSessions?: number | undefined;
  /** Maximum number of sessions per verified caller, or per address if callers are not verified. One more evicts the caller's longest-idle session. Default: 100. */
  readonly maxSessionsPerCaller?: number | undefined;
  /** Maximum number of subscriptions per verified caller, or per address if callers are not verified. Default: 16. */
  readonly maxListenersPerCaller?: number | undefined;
  /** How long an unused session lives. Default: 30 min. */
  readonly sessionIdleMs?: number | undefined;
  /** Maximum lifetime of a session. Default: 24 h. */
  readonly sessionLifeMs?: number | undefined;
  /** Maximum number of open calls per session. Default: 64. */
  readonly maxCallsPerSession?: number | undefined;
  /** Maximum number of open calls in total. Default: 1,024. */
  readonly maxCalls?: number | undefined;
  /** Interval of keep-alive comments on streams. A call that is not answered within it gets a stream. 0: neither. Default: 15 s. */
  readonly keepAliveMs?: number | undefined;
  /** Delay after which clients reconnect to a stream that was closed early. Default: 1 s. */
  readonly retryMs?: number | undefined;
}

const defaults = {
  maxBodyBytes: 4 * 1024 * 1024,
  maxQueueBytes: 1024 * 1024,
  maxSessions: 10_000,
  maxSessionsPerCaller: 100,
  maxListenersPerCaller: 16,
  sessionIdleMs: 30 * 60_000,
  sessionLifeMs: 24 * 60 * 60_000,
  maxCallsPerSession: 64,
  maxCalls: 1_024,
  keepAliveMs: 15_000,
  retryMs: 1_000,
};

export const httpOptionNames: OptionNames<HttpOptions> = {
  ...{ allowedHosts: true, allowedOrigins: true, auth: true, sessions: true, eventLog: true, onStoreError: true },
  ...{ peers: true, clock: true },
  ...defaults,
};

/** The options with their defaults, except those of access control. */
export type HttpSettings = Pick<HttpOptions, 'peers'> & { readonly eventLog: LimitedEventLog } & {
  readonly [K in keyof Omit<HttpOptions, 'allowedHosts' | 'allowedOrigins' | 'auth' | 'peers'>]-?: Exclude<
    HttpOptions[K],
    undefined
  >;
};

export function httpSettings({ allowedHosts, allowedOrigins, auth, ...options }: HttpOptions): HttpSettings {
  const clock = options.clock ?? systemClock;
  const warnings = new Warnings(undefined);
  const report: HttpSettings['onStoreError'] = (error, operation) =>
    warnings.once(`The session store or event log failed at ${operation}: ${String(error)}`);
  // Called outside of any request, where an exception would be uncaught and end the process.
  const onStoreError: HttpSettings['onStoreError'] = (error, operation) =>
    warnings.guard('onStoreError', () => (options.onStoreError ?? report)(error, operation));
  return {
    clock,
    sessions: memorySessionStore(),
    ...defaults,
    ...defined<Partial<HttpSettings>>(options),
    eventLog: limitEventLog(options.eventLog ?? memoryEventLog({ clock }), clock, onStoreError),
    onStoreError,
  };
}
