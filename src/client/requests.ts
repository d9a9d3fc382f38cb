/** Sends requests: adds the client's introduction and deadlines, and retries where that is safe. */
import { badDefinition, type ErrorCode, McpError, RpcError } from '../errors.ts';
import {
  type Id,
  INTERNAL_ERROR,
  isObject,
  type JsonObject,
  type RpcRequest,
  request,
  resultOf,
  withMembers,
} from '../jsonrpc/message.ts';
import { filterMeta, isReserved } from '../model/meta.ts';
import { UNSUPPORTED_VERSION } from '../model/names.ts';
import { Deadlines } from '../peer/deadlines.ts';
import type { Introduction } from '../revisions/contract.ts';
import { encodeClientCapabilities } from '../revisions/encode.ts';
import { type ClientConnection, closedError } from './connection.ts';
import type { LiveConnection } from './live-connection.ts';
import { checkMeta, traceKeys } from './meta.ts';
import type { ClientSettings } from './options.ts';
import {
  cancelledError,
  type OpenCalls,
  OutgoingCall,
  type OutgoingCallOptions,
  type RawRequestOptions,
} from './outgoing-call.ts';

export interface SendingOptions extends OutgoingCallOptions {
  /** Sends on this connection only, without retries on another one. */
  readonly on?: LiveConnection;
  /** The session that the params are valid in, such as a cursor's. On another connection they are omitted. */
  readonly session?: LiveConnection | undefined;
}

/** Methods that can run for long, and whose results can ask for input. */
export const interactiveMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export class Requests implements OpenCalls {
  readonly connection: ClientConnection;
  readonly settings: ClientSettings;
  readonly deadlines: Deadlines<OutgoingCall>;
  /** Open requests with their own `ask` or `capabilities`. */
  readonly #withOwnAnswers: Set<OutgoingCall> = new Set();
  /** The number of open requests, except for standing ones. */
  #openCount = 0;

  constructor(connection: ClientConnection, settings: ClientSettings) {
    this.connection = connection;
    this.settings = settings;
    this.deadlines = new Deadlines(settings.clock);
  }

  /** Cancels all open requests. */
  close(): void {
    for (const call of this.deadlines.close()) call.abort(closedError());
  }

  /**
   * Returns the handler and capabilities for a question about the request with the id `of`. Without an id, the question is assigned to
   * the only open request; throws if several are open.
   */
  answersFor(of: Id | undefined): Pick<RawRequestOptions, 'ask' | 'capabilities'> {
    if (this.#withOwnAnswers.size === 0) return {};
    const [only, ...others] = this.#withOwnAnswers;
    if (of !== undefined) return [...this.#withOwnAnswers].find((call) => call.of === of)?.answers ?? {};
    if (only !== undefined && others.length === 0 && this.#openCount === 1) return only.answers;
    const why = 'Several requests are open, and the question does not say which one it is about';
    throw new RpcError(INTERNAL_ERROR, why);
  }

  /** Waits for a connection with the signal and timeout of a request, for callers that choose the request by the revision. */
  async connect(method: string, options: SendingOptions): Promise<LiveConnection> {
    if (options.signal?.aborted === true) throw cancelledError(method, options.signal);
    if (this.connection.live !== undefined) return this.connection.live;
    const call = new OutgoingCall(this, method, options);
    try {
      return await call.race(this.connection.use());
    } finally {
      call.finish();
    }
  }

  /** Returns the unchecked result and its connection. A raw request asks for progress only if it has `onProgress`. */
  async send(
    method: string,
    params?: JsonObject,
    options: SendingOptions = {},
    isRaw = false,
  ): Promise<readonly [JsonObject, LiveConnection]> {
    const { connection } = this;
    if (options.signal?.aborted === true) throw cancelledError(method, options.signal);
    if (connection.state === 'closed') throw closedError();
    if (options.meta !== undefined) checkMeta(options.meta);
    const call = new OutgoingCall(this, method, options);
    if (options.standing !== true) this.#openCount++;
    if (options.ask !== undefined || options.capabilities !== undefined) this.#withOwnAnswers.add(call);
    try {
      if (call.aborted) throw call.reason;
      for (let last = options.on !== undefined; ; last = true) {
        const live = options.on ?? connection.live ?? (await call.race(connection.use()));
        const isForeign = options.session !== undefined && options.session !== live;
        const message = this.#toRequest(method, isForeign ? undefined : params, { live, options, isRaw });
        if (options.standing !== true) live.openRequests++;
        try {
          const response = await call.send(live.connection, live.inbound, message);
          connection.noteResponse(live);
          return [resultOf(response), live];
        } catch (error) {
          if (call.aborted) throw error;
          this.#throwUnlessRepeatable(error, method, live, last);
        } finally {
          if (options.standing !== true && --live.openRequests === 0 && live.isAbandoned)
            live.connection.close().catch(() => undefined);
        }
      }
    } finally {
      if (options.standing !== true) this.#openCount--;
      if (this.#withOwnAnswers.size > 0) this.#withOwnAnswers.delete(call);
      call.finish();
    }
  }

  #toRequest(method: string, params: JsonObject | undefined, context: SendContext & { isRaw: boolean }): RpcRequest {
    const { live, options, isRaw } = context;
    const { lifecycle, methods } = live.revision;
    const needs = methods.requests.get(method)?.needs;
    if (needs !== undefined && live.server.capabilities[needs] === undefined)
      throw new McpError('MCP_NOT_OFFERED', { what: method, capability: needs });
    const id = this.connection.nextId();
    const { meta, onProgress } = options;
    const inParams = params?.['_meta'];
    const filtered = isObject(inParams) ? (filterMeta(inParams, isCallerKey) ?? {}) : undefined;
    const ofCaller = filtered === undefined || meta === undefined ? (filtered ?? meta) : { ...filtered, ...meta };
    // Progress reports restart the timeout, so requests that can run for long ask for them.
    const wantsProgress = onProgress !== undefined || (!isRaw && interactiveMethods.has(method));
    const _meta = wantsProgress ? { ...ofCaller, progressToken: id } : ofCaller;
    const sent = _meta === undefined ? params : withMembers(params, { _meta });
    return request(id, method, lifecycle.introduce(sent, introductionOf(live, options)));
  }

  /** Returns normally if a retry is safe. Otherwise throws an error that says whether the server processed the request. */
  #throwUnlessRepeatable(error: unknown, method: string, live: LiveConnection, last: boolean): void {
    if (!last && isReplaced(error, live)) {
      this.connection.abandon(live);
      return;
    }
    // A TypeError means that the request cannot be serialized as JSON.
    if (error instanceof RpcError || error instanceof TypeError || isFinal(error)) throw error;
    const { hasSessions, methods } = live.revision;
    if (!last && (methods.requests.get(method)?.repeatable === true || isSessionLost(error))) return;
    if (!last && !hasSessions && isHandshakeExpected(error)) {
      // The server now needs a handshake. It rejected the request unprocessed, so a retry is safe.
      this.connection.abandon(live);
      return;
    }
    if (error instanceof McpError && conclusiveCodes.has(error.code)) throw error;
    throw new McpError('MCP_OUTCOME_UNKNOWN', { method }, { cause: error });
  }
}

/** The client info and capabilities for one request. After a handshake, its own capabilities must be a subset of the declared ones. */
function introductionOf({ me: known, revision }: LiveConnection, options: RawRequestOptions): Introduction {
  const { capabilities: own } = options;
  const { info } = known;
  const me = 'logLevel' in options ? { info, capabilities: known.capabilities, logLevel: options.logLevel } : known;
  if (own === undefined) return me;
  const capabilities = encodeClientCapabilities(revision.vocabulary, own);
  if (!revision.hasSessions) return { info, capabilities, logLevel: me.logLevel };
  const missing = findUndeclared(capabilities, me.capabilities);
  if (missing === undefined) return me;
  const why = `${revision.id} declares capabilities in the handshake, and "${missing}" was not declared. Connect with a handler for it`;
  throw badDefinition('The option "capabilities"', why);
}

/** Returns the path of the first wanted capability that was not declared. */
function findUndeclared(wanted: JsonObject, declared: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(wanted)) {
    const known = declared[name];
    if (known === undefined) return name;
    const inside = isObject(value) && isObject(known) ? findUndeclared(value, known) : undefined;
    if (inside !== undefined) return `${name}.${inside}`;
  }
  return undefined;
}

/** Whether callers can set this `_meta` key: not reserved by the protocol, or part of the trace context. */
const isCallerKey = (key: string): boolean => traceKeys.has(key) || !isReserved(key);

/** The session that a result belongs to; undefined in revisions without sessions. */
export const sessionOf = (live: LiveConnection): LiveConnection | undefined =>
  live.revision.hasSessions ? live : undefined;

export interface SendContext {
  readonly live: LiveConnection;
  readonly options: SendingOptions;
}

/**
 * Whether the server was replaced by one with another revision, which any later request can reach in revisions without a handshake. It
 * rejected the request unprocessed, so a retry is safe.
 */
export const isReplaced = (error: unknown, { revision }: LiveConnection): boolean =>
  !revision.hasSessions && error instanceof RpcError && error.code === UNSUPPORTED_VERSION;

/** The server did respond, though invalidly, or authorization failed: a retry would end in the same way. */
const isFinal = (error: unknown): boolean =>
  hasCode(error, 'MCP_BAD_RESULT') ||
  hasCode(error, 'MCP_TOO_LARGE') ||
  (error instanceof McpError && error.kind === 'auth');

/** The server does not know the session, and did not process the request. */
const isSessionLost = (error: unknown): boolean => hasCode(error, 'MCP_SESSION_LOST');

/** Errors that already tell whether the server processed the request. */
const conclusiveCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'MCP_DENIED',
  'MCP_HTTP_FAILED',
  'MCP_HTTP_REDIRECT',
  'MCP_HTTP_REFUSED',
  'MCP_HTTP_UNEXPECTED',
  'MCP_SESSION_LOST',
  'MCP_UNREACHABLE',
]);

/** HTTP statuses with which a server that expects a handshake, or HTTP+SSE, rejects a request without a handshake. */
const isHandshakeExpected = (error: unknown): boolean =>
  error instanceof McpError &&
  error.code === 'MCP_HTTP_REFUSED' &&
  'status' in error.details &&
  [400, 404, 405].includes(Number(error.details['status']));

const hasCode = (error: unknown, code: ErrorCode): boolean => error instanceof McpError && error.code === code;
