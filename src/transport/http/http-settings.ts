/** The options of a server on HTTP, and their defaults. */
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

/** Settings of a server on HTTP: allowed hosts and origins, authorization, sessions, limits. */
export interface HttpOptions {
  /** Values of `Host` to answer to, with or without a port. Loopback names by default. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that can call, such as `https://app.example`; they get CORS headers. Loopback only by default, without. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Verifies who is calling, before anything of the body is read. */
  readonly auth?: Authenticator | undefined;
  /**
   * Where sessions are kept, for clients of revisions that have them: in memory by default, or in a store that processes share.
   * `{ sealed: keys }` keeps nothing: the id of a session is what was agreed on, encrypted. `'none'` opens no sessions.
   */
  readonly sessions?: SessionStore | SealedSessionSpec | 'none' | undefined;
  /** Where events are kept for clients that come back for them; in memory by default. */
  readonly eventLog?: EventLog | undefined;
  /** A session store or event log failed: nothing is lost, but what it should have kept is not kept. Count it. */
  readonly onStoreError?: ((error: unknown, operation: StoreOperation) => void) | undefined;
  /** Other processes that serve the same sessions, where clients answer questions of any of them. */
  readonly peers?: SessionPeers | undefined;
  readonly clock?: Clock | undefined;
  /** 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Bytes that can wait on one stream for a slow reader, before the stream is aborted. 1 MiB. */
  readonly maxQueueBytes?: number | undefined;
  /** 10,000; one more ends the session that was idle longest. */
  readonly maxSessions?: number | undefined;
  /** Sessions of one verified caller, or of one address where callers are not verified. 100; one more ends the session that was idle longest. */
  readonly maxSessionsPerCaller?: number | undefined;
  /** Subscriptions of one verified caller, or of one address where callers are not verified. 16. */
  readonly maxListenersPerCaller?: number | undefined;
  /** How long a session lives unused. 30 min. */
  readonly sessionIdleMs?: number | undefined;
  /** How long a session lives at most. 24 h. */
  readonly sessionLifeMs?: number | undefined;
  /** Calls that one session can have open. 64. */
  readonly maxCallsPerSession?: number | undefined;
  /** Calls that can be open in all. 1,024. */
  readonly maxCalls?: number | undefined;
  /** Between two keep-alive comments on a stream; a call that is not answered by then becomes a stream. 15 s. */
  readonly keepAliveMs?: number | undefined;
  /** After how long clients come back for a stream that was ended early. 1 s. */
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

/** The options with their defaults, but for those that decide who can call. */
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
  // It is called where nothing waits: what it throws would end the process.
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
