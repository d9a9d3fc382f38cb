/** The options of a client, their validation and their defaults. */
import { badDefinition } from '../errors.ts';
import { defined, type JsonObject } from '../jsonrpc/message.ts';
import type { Implementation } from '../model/caller.ts';
import { checkOptions } from '../model/check-options.ts';
import type { LoggingLevel, LogMessage } from '../model/logging.ts';
import { extensionFault } from '../model/meta.ts';
import { TASKS, VERSION } from '../model/names.ts';
import { valueKind } from '../model/value-kind.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import type { DeadlinePause } from '../peer/deadlines.ts';
import type { Layer } from '../peer/exchange.ts';
import { Warnings } from '../peer/warnings.ts';
import type { Revision } from '../revisions/contract.ts';
import { findRevision, revisions } from '../revisions/index.ts';
import { type ResponseCache, SharedCache } from './cache.ts';
import type { Handlers } from './handlers.ts';

/** Timeouts of a client, in milliseconds. */
export interface Timeouts {
  /** Timeout of one request. Each progress report restarts it. Default: 60 seconds. */
  readonly timeoutMs: number;
  /** Total timeout of one request, including restarts. Default: 10 minutes. */
  readonly maxTimeoutMs: number;
  /** Timeout for opening a connection and negotiating a revision. Default: 10 seconds. */
  readonly connectTimeoutMs: number;
  /** If the server does not respond to `server/discover` within this time, the client tries a handshake. Default: 3 seconds. */
  readonly probeTimeoutMs: number;
  /** How long `close` waits for the server. Default: 5 seconds. */
  readonly closeTimeoutMs: number;
}
/** Limits that protect a client from servers whose lists or questions never end. */
export interface ClientLimits {
  /** Maximum number of pages of one list. Default: 64. */
  readonly maxPages: number;
  /** Maximum number of items of one list. Default: 10,000. */
  readonly maxItems: number;
  /** Maximum number of rounds in which one request can ask for input. Default: 10. */
  readonly maxRounds: number;
}
/** A protocol extension that the client declares. */
export interface Extension {
  readonly settings?: JsonObject;
  /** Additional values of `resultType` that the client accepts. */
  readonly resultTypes?: readonly string[];
}

/** Options of `connect`: handlers for questions, timeouts, limits, caching. */
export interface ConnectOptions extends Handlers, Partial<Timeouts> {
  /** The client's name in its introduction to the server. */
  readonly name?: string;
  readonly version?: string;
  /** The protocol revisions to negotiate. Default: all five. */
  readonly revisions?: readonly string[];
  /**
   * Gets the server's log messages.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Read the server's standard error, or use OpenTelemetry.
   */
  readonly onLog?: (message: LogMessage) => void;
  /** The minimum severity of log messages. @deprecated as `onLog` is. */
  readonly logLevel?: LoggingLevel | 'warn';
  /** Gets warnings. By default, they are emitted as warnings of the runtime. */
  readonly onWarning?: (warning: string) => void;
  readonly limits?: Partial<ClientLimits>;
  /**
   * The response cache. Pass the same one to several clients to share it: clients of the same URL or command then share public
   * results, and the knowledge whether the server needs a handshake.
   */
  readonly cache?: ResponseCache;
  /**
   * Lets servers run tool calls as tasks. `call` waits for the result; `start` and `attach` handle tasks that outlive a connection.
   * Default: false.
   */
  readonly tasks?: boolean;
  /** Extensions to declare, by id. By default, none. */
  readonly extensions?: Readonly<Record<string, Extension>>;
  /** Middleware for every message to the server, outermost first: telemetry, logging, limits. */
  readonly layers?: readonly Layer[];
  readonly clock?: Clock;
  /** Returns a number between 0 and 1, for the jitter of delays between retries. Default: `Math.random`. */
  readonly random?: () => number;
  /** Cancels connecting. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of a client after defaults are applied. */
export interface ClientSettings {
  readonly info: Implementation;
  readonly allowed: readonly Revision[];
  readonly handlers: Handlers;
  readonly extensions: Readonly<Record<string, JsonObject>>;
  readonly tasks: boolean;
  readonly resultTypes: ReadonlySet<unknown>;
  readonly timeouts: Timeouts;
  readonly limits: ClientLimits;
  readonly cache: SharedCache;
  readonly clock: Clock;
  /** Deadlines are paused while a question is being answered, or the user signs in. */
  readonly pause: DeadlinePause;
  readonly random: () => number;
  readonly warnings: Warnings;
  readonly onLog: ((message: LogMessage) => void) | undefined;
}

const limits: ClientLimits = { maxPages: 64, maxItems: 10_000, maxRounds: 10 };

export function clientSettings(
  options: ConnectOptions,
  pause: DeadlinePause,
  warnings: Warnings = new Warnings(options.onWarning),
): ClientSettings {
  const { clock = systemClock, random = Math.random, extensions = {}, tasks = false } = options;
  checkOptions('The option "limits"', options.limits ?? {}, limits);
  return {
    info: { name: options.name ?? 'mooring-client', version: options.version ?? VERSION },
    allowed: allowedOf(options.revisions),
    handlers: options,
    extensions: settingsOf(tasks ? { [TASKS]: {}, ...extensions } : extensions),
    tasks,
    resultTypes: new Set(Object.values(extensions).flatMap((one) => one.resultTypes ?? [])),
    timeouts: timeoutsOf(options),
    limits: { ...limits, ...defined<Partial<ClientLimits>>(options.limits ?? {}) },
    cache: cacheOf(options.cache),
    clock,
    pause,
    random,
    warnings,
    onLog: options.onLog,
  };
}

function cacheOf(cache: ResponseCache = new SharedCache()): SharedCache {
  if (Object(cache).kind === 'response-cache') return cache as SharedCache; // the only implementation
  throw badDefinition('The option "cache"', `it must be made by responseCache(), not ${valueKind(cache)}`);
}

function timeoutsOf(options: ConnectOptions): Timeouts {
  const { timeoutMs = 60_000, maxTimeoutMs = 600_000 } = options;
  const { connectTimeoutMs = 10_000, probeTimeoutMs = 3_000, closeTimeoutMs = 5_000 } = options;
  return { timeoutMs, maxTimeoutMs, connectTimeoutMs, probeTimeoutMs, closeTimeoutMs };
}

function allowedOf(ids: readonly string[] | undefined): readonly Revision[] {
  if (ids === undefined) return revisions;
  if (!Array.isArray(ids)) throw badDefinition('The option "revisions"', `it must be a list, not ${valueKind(ids)}`);
  const unknown = ids.filter((id) => findRevision(id) === undefined);
  if (ids.length === 0 || unknown.length > 0) {
    const known = revisions.map((revision) => revision.id).join(', ');
    const why = ids.length === 0 ? 'it names no revision' : `unknown revision ${unknown.join(', ')}`;
    throw badDefinition('The option "revisions"', `${why}; choose from ${known}`);
  }
  return revisions.filter((revision) => ids.includes(revision.id));
}

function settingsOf(extensions: Readonly<Record<string, Extension>>): Readonly<Record<string, JsonObject>> {
  for (const id of Object.keys(extensions)) {
    const why = extensionFault(id);
    if (why !== undefined) throw badDefinition(`The extension "${id}"`, why);
  }
  return Object.fromEntries(Object.entries(extensions).map(([id, { settings = {} }]) => [id, settings]));
}
