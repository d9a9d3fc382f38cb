/** Sends requests: introduced, timed, and repeated where that is safe. */
import { badDefinition, type ErrorCode, McpError, RpcError } from '../errors.ts';
import {
  type Id,
  INTERNAL_ERROR,
  isFailure,
  isObject,
  type JsonObject,
  type RpcRequest,
  type RpcResponse,
  request,
  resultOf,
  withMembers,
} from '../jsonrpc/message.ts';
import { filterMeta, isReserved } from '../model/meta.ts';
import { UNSUPPORTED_VERSION } from '../model/names.ts';
import { Deadlines } from '../peer/deadlines.ts';
import type { Introduction } from '../revisions/contract.ts';
import { encodeClientCapabilities } from '../revisions/encode.ts';
import { type ClientConnection, closedError, type LiveConnection } from './connection.ts';
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
  /** On this connection or not at all. */
  readonly on?: LiveConnection;
  /** The session that the params belong to; in another one the request goes without them. */
  readonly session?: LiveConnection | undefined;
}

/** The methods that may take long, and whose results may ask for input. */
export const interactiveMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export class Requests implements OpenCalls {
  readonly connection: ClientConnection;
  readonly settings: ClientSettings;
  readonly deadlines: Deadlines<OutgoingCall>;
  /** Open requests that bring their own answers or capabilities. */
  readonly #special: Set<OutgoingCall> = new Set();
  /** How many requests are open, standing ones aside. */
  #openCount = 0;

  constructor(connection: ClientConnection, settings: ClientSettings) {
    this.connection = connection;
    this.settings = settings;
    this.deadlines = new Deadlines(settings.clock);
  }

  /** Cancels everything that is open. */
  close(): void {
    for (const call of this.deadlines.close()) call.abort(closedError());
  }

  /** What answers a question about this request; about the only one that is open, where the question does not say. */
  answersFor(of: Id | undefined): Pick<RawRequestOptions, 'ask' | 'capabilities'> {
    if (this.#special.size === 0) return {};
    const [only, ...others] = this.#special;
    if (of !== undefined) return [...this.#special].find((call) => call.of === of)?.answers ?? {};
    if (only !== undefined && others.length === 0 && this.#openCount === 1) return only.answers;
    const why = 'Several requests are open, and the question does not say which one it is about';
    throw new RpcError(INTERNAL_ERROR, why);
  }

  /** The result as it came, and the connection it came on. Where it is raw, progress is reported only to `onProgress`. */
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
    if (options.ask !== undefined || options.capabilities !== undefined) this.#special.add(call);
    try {
      if (call.aborted) throw call.reason;
      for (let last = options.on !== undefined; ; last = true) {
        const live = options.on ?? connection.live ?? (await call.race(connection.use()));
        const isForeign = options.session !== undefined && options.session !== live;
        const message = this.#toRequest(method, isForeign ? undefined : params, { live, options, isRaw });
        try {
          const response = await call.send(live.connection, live.inbound, message);
          connection.noteAnswer(live);
          if (last || !isUnsupportedVersion(response, live)) return [resultOf(response), live];
          // The server was exchanged for one that speaks another revision, and has not looked at the request.
          connection.abandon(live);
        } catch (error) {
          if (call.aborted) throw error;
          this.#throwUnlessRepeatable(error, method, live, last);
        }
      }
    } finally {
      if (options.standing !== true) this.#openCount--;
      if (this.#special.size > 0) this.#special.delete(call);
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
    const given = params?.['_meta'];
    const own = isObject(given) ? (filterMeta(given, isOwnKey) ?? {}) : undefined;
    const theirs = own === undefined || meta === undefined ? (own ?? meta) : { ...own, ...meta };
    // Each report restarts the timeout, so those requests that may take long ask for reports.
    const reports = onProgress !== undefined || (!isRaw && interactiveMethods.has(method));
    const _meta = reports ? { ...theirs, progressToken: id } : theirs;
    const sent = _meta === undefined ? params : withMembers(params, { _meta });
    return request(id, method, lifecycle.introduce(sent, introductionOf(live, options)));
  }

  /** Returns where another attempt is safe; otherwise throws what became of the request. */
  #throwUnlessRepeatable(error: unknown, method: string, live: LiveConnection, last: boolean): void {
    // A TypeError says that the request cannot be written as JSON.
    if (error instanceof RpcError || error instanceof TypeError || isAnswer(error)) throw error;
    const { hasSessions, methods } = live.revision;
    if (!last && (methods.requests.get(method)?.repeatable === true || isSessionLost(error))) return;
    if (!last && !hasSessions && isMisunderstood(error)) {
      // The server no longer understands requests without a handshake, and has not looked at this one.
      this.connection.abandon(live);
      return;
    }
    if (error instanceof McpError && conclusiveCodes.has(error.code)) throw error;
    throw new McpError('MCP_OUTCOME_UNKNOWN', { method }, { cause: error });
  }
}

/** What a request says of the client. After a handshake, which has said it, the capabilities can only be fewer. */
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

/** The path of the first capability that is wanted and was not declared. */
function findUndeclared(wanted: JsonObject, declared: JsonObject): string | undefined {
  for (const [name, value] of Object.entries(wanted)) {
    const known = declared[name];
    if (known === undefined) return name;
    const inside = isObject(value) && isObject(known) ? findUndeclared(value, known) : undefined;
    if (inside !== undefined) return `${name}.${inside}`;
  }
  return undefined;
}

/** The protocol's keys are set by the client; those of a trace belong to the caller. */
const isOwnKey = (key: string): boolean => traceKeys.has(key) || !isReserved(key);

/** The session that a result belongs to; undefined where requests belong to none. */
export const sessionOf = (live: LiveConnection): LiveConnection | undefined =>
  live.revision.hasSessions ? live : undefined;

export interface SendContext {
  readonly live: LiveConnection;
  readonly options: SendingOptions;
}

/** Without a handshake, a later request can be answered by a server of another revision. */
const isUnsupportedVersion = (response: RpcResponse, { revision }: LiveConnection): boolean =>
  !revision.hasSessions && isFailure(response) && response.error.code === UNSUPPORTED_VERSION;

/** The server did answer, if badly; or it wants credentials, which a second attempt would only ask for again. */
const isAnswer = (error: unknown): boolean =>
  hasCode(error, 'MCP_BAD_RESULT') ||
  hasCode(error, 'MCP_TOO_LARGE') ||
  (error instanceof McpError && error.kind === 'auth');

/** The server does not know the session, and has not looked at what it got. */
const isSessionLost = (error: unknown): boolean => hasCode(error, 'MCP_SESSION_LOST');

/** Failures that already say what became of the request. */
const conclusiveCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'MCP_DENIED',
  'MCP_HTTP_FAILED',
  'MCP_HTTP_REDIRECT',
  'MCP_HTTP_REFUSED',
  'MCP_HTTP_UNEXPECTED',
  'MCP_SESSION_LOST',
  'MCP_UNREACHABLE',
]);

/** How a server that expects a handshake, or another transport, rejects a request without. */
const isMisunderstood = (error: unknown): boolean =>
  error instanceof McpError &&
  error.code === 'MCP_HTTP_REFUSED' &&
  'status' in error.details &&
  [400, 404, 405].includes(Number(error.details['status']));

const hasCode = (error: unknown, code: ErrorCode): boolean => error instanceof McpError && error.code === code;
