/** The options of a client, and their defaults. */
import { badDefinition } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Implementation } from '../model/caller.ts';
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

/** How long a client waits, in milliseconds. */
export interface Timeouts {
  /** For one request; each report of progress restarts it. 60 seconds. */
  readonly timeoutMs: number;
  /** For one request, however much progress it reports. 10 minutes. */
  readonly maxTimeoutMs: number;
  /** Until a connection is open and a revision agreed on. 10 seconds. */
  readonly connectTimeoutMs: number;
  /** Until the client tries a handshake with a server that does not answer `server/discover`. 3 seconds. */
  readonly probeTimeoutMs: number;
  /** Until closing no longer waits for the server. 5 seconds. */
  readonly closeTimeoutMs: number;
}
/** How far a client follows a server that never stops. */
export interface ClientLimits {
  /** Pages of one list. */
  readonly maxPages: number;
  /** Items of one list. */
  readonly maxItems: number;
  /** How often in a row one request may ask for input. */
  readonly maxRounds: number;
}
/** An extension that both sides must know. */
export interface Extension {
  readonly settings?: JsonObject;
  /** Values of `resultType` that the extension adds. */
  readonly resultTypes?: readonly string[];
}

/** Options of `connect`: handlers for questions, timeouts, limits, caching. */
export interface ConnectOptions extends Handlers, Partial<Timeouts> {
  /** How the client introduces itself. */
  readonly name?: string;
  readonly version?: string;
  /** The revisions to speak; by default, all five. */
  readonly revisions?: readonly string[];
  /**
   * Gets the server's log messages.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Read the server's standard error, or use OpenTelemetry.
   */
  readonly onLog?: (message: LogMessage) => void;
  /** The least severe message to log. @deprecated as `onLog` is. */
  readonly logLevel?: LoggingLevel | 'warn';
  /** Gets warnings; by default they are the runtime's own. */
  readonly onWarning?: (warning: string) => void;
  readonly limits?: Partial<ClientLimits>;
  /**
   * Where answers are kept for as long as they say they may be. One cache may serve many clients. Those of the same URL
   * or command share public answers, and whether the server needs a handshake.
   */
  readonly cache?: ResponseCache;
  /**
   * A server may make a task of a call: `call` waits for it, and `start` and `attach` are for those that outlive a connection.
   * Off.
   */
  readonly tasks?: boolean;
  /** Extensions are off unless they are named here. */
  readonly extensions?: Readonly<Record<string, Extension>>;
  /** See every message to the server, outermost first: telemetry, logging, limits. */
  readonly layers?: readonly Layer[];
  readonly clock?: Clock;
  /** Between 0 and 1, for the time between two attempts to reconnect. */
  readonly random?: () => number;
  /** Cancels connecting. */
  readonly signal?: AbortSignal | undefined;
}

/** The options with their defaults. */
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
  return {
    info: { name: options.name ?? 'mooring-client', version: options.version ?? VERSION },
    allowed: allowedOf(options.revisions),
    handlers: options,
    extensions: settingsOf(tasks ? { [TASKS]: {}, ...extensions } : extensions),
    tasks,
    resultTypes: new Set(Object.values(extensions).flatMap((one) => one.resultTypes ?? [])),
    timeouts: timeoutsOf(options),
    limits: { ...limits, ...options.limits },
    cache: (options.cache as SharedCache | undefined) ?? new SharedCache() /* responseCache makes nothing else */,
    clock,
    pause,
    random,
    warnings,
    onLog: options.onLog,
  };
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
    const why = ids.length === 0 ? 'it names no revision' : `there is no ${unknown.join(', ')}`;
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
