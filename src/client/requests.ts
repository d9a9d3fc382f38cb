/** Sending requests: introduced, timed, repeated where that is safe, and answered round by round when they ask for input. */
import { type ErrorCode, McpError, RpcError } from '../errors.ts';
import {
  isFailure,
  isObject,
  type JsonObject,
  type RpcRequest,
  type RpcResponse,
  request,
  resultOf,
  withMembers,
} from '../jsonrpc/message.ts';
import { UNSUPPORTED_VERSION } from '../model/names.ts';
import type { CredentialsInUse } from '../peer/exchange.ts';
import type { InputRequests } from '../revisions/contract.ts';
import { checkResultType, malformedResult } from '../revisions/decode.ts';
import { untilAborted } from '../revisions/opening.ts';
import { type ClientConnection, closedError, type LiveConnection } from './connection.ts';
import { checkMeta } from './meta.ts';
import type { ClientSettings } from './options.ts';
import {
  type CallContext,
  cancelledError,
  OutgoingCall,
  type OutgoingCallOptions,
  type RequestOptions,
} from './outgoing-call.ts';
import type { PendingVisits } from './pending-visits.ts';
import { type QuestionHandlers, unansweredError } from './question-handlers.ts';

/** Settings of one request, and what its `_meta` carries. */
export interface SendOptions extends RequestOptions {
  /** Goes along as `_meta`. Keys of your own have a prefix; the protocol's are not yours to set. */
  readonly meta?: JsonObject | undefined;
}
export interface SendingOptions extends SendOptions, OutgoingCallOptions {
  /** On this line or not at all. */
  readonly on?: LiveConnection;
  /** The session that the params belong to; in another one the request goes without them. */
  readonly session?: LiveConnection | undefined;
}

/** An answer that needs nothing more, and the line it came on. */
export interface CompletedRequest {
  readonly result: JsonObject;
  readonly live: LiveConnection;
  /** It answers a request that brought input along, so it holds for nobody else. */
  readonly retried: boolean;
}

/** The methods that may take a while: they report progress, and their results may ask for input. */
const interactiveMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
export interface RequestsContext {
  readonly connection: ClientConnection;
  readonly settings: ClientSettings;
  readonly traffic: CallContext;
  readonly answers: QuestionHandlers;
  readonly visits: PendingVisits;
}

export class Requests {
  readonly #context: RequestsContext;

  constructor(context: RequestsContext) {
    this.#context = context;
  }

  /** Those that requests go out with, on the line that there is or was last. */
  get credentials(): CredentialsInUse | undefined {
    return this.#context.connection.credentials;
  }

  /** Aborts when the client is closed. */
  get closing(): AbortSignal {
    return this.#context.connection.closing;
  }

  /** The result as it came, and the line it came on. */
  async send(
    method: string,
    params?: JsonObject,
    options: SendingOptions = {},
  ): Promise<readonly [JsonObject, LiveConnection]> {
    const { connection, traffic } = this.#context;
    if (options.signal?.aborted === true) throw cancelledError(method, options.signal);
    if (connection.state === 'closed') throw closedError();
    if (options.meta !== undefined) checkMeta(options.meta);
    const outgoing = new OutgoingCall(traffic, method, options);
    try {
      for (let last = options.on !== undefined; ; last = true) {
        const live = options.on ?? connection.live ?? (await outgoing.race(connection.use()));
        const isForeign = options.session !== undefined && options.session !== live;
        const message = this.#introduced(method, isForeign ? undefined : params, { live, options });
        try {
          const response = await outgoing.send(live, message);
          connection.noteAnswer(live);
          if (last || !isUnsupportedVersion(response, live)) return [resultOf(response), live];
          // The server was exchanged for one that speaks another revision, and has not looked at the request.
          connection.abandon(live);
        } catch (error) {
          if (outgoing.aborted) throw error;
          this.#failed(error, method, { live, last });
        }
      }
    } finally {
      outgoing.finish();
    }
  }

  /** The request as it goes out on this line. */
  #introduced(method: string, params: JsonObject | undefined, { live, options }: SendContext): RpcRequest {
    const { lifecycle, methods } = live.revision;
    const needs = methods.requests.get(method)?.needs;
    if (needs !== undefined && live.server.capabilities[needs] === undefined)
      throw new McpError('MCP_NOT_OFFERED', { what: method, capability: needs });
    const id = this.#context.connection.nextId();
    const { meta, onProgress } = options;
    const given = params?.['_meta'];
    const theirs = isObject(given) ? { ...given, ...meta } : meta;
    // Keys of ours go last: nobody else's token may take the place of ours.
    const reports = onProgress !== undefined || interactiveMethods.has(method);
    const _meta = reports ? { ...theirs, progressToken: id } : theirs;
    const sent = _meta === undefined ? params : withMembers(params, { _meta });
    return request(id, method, lifecycle.introduce(sent, live.me));
  }

  /** Returns where another attempt may be made; otherwise it says what became of the request. */
  #failed(
    error: unknown,
    method: string,
    { live, last }: { readonly live: LiveConnection; readonly last: boolean },
  ): void {
    // A TypeError says that the request cannot be written as JSON.
    if (error instanceof RpcError || error instanceof TypeError || isAnswer(error)) throw error;
    const { lifecycle, methods } = live.revision;
    if (!last && (methods.requests.get(method)?.repeatable === true || isSessionLost(error))) return;
    if (!last && !lifecycle.handshake && isMisunderstood(error)) {
      // Whoever answers now does not understand requests without a handshake, and has not looked at this one.
      this.#context.connection.abandon(live);
      return;
    }
    if (error instanceof McpError && conclusiveCodes.has(error.code)) throw error;
    throw new McpError('MCP_OUTCOME_UNKNOWN', { method }, { cause: error });
  }

  /** The result that needs no more input, after as many rounds of questions as it takes. */
  async complete(method: string, params: JsonObject | undefined, options: SendingOptions): Promise<CompletedRequest> {
    const { maxRounds: rounds } = this.#context.settings.limits;
    let input: JsonObject | undefined;
    for (let round = 0; ; round++) {
      const asked = input === undefined ? params : { ...params, ...input };
      let sent: readonly [JsonObject, LiveConnection];
      try {
        sent = await this.send(method, asked, options);
      } catch (error) {
        if (round >= rounds || !(await this.#visitedFor(error, method, options))) throw error;
        continue;
      }
      const [result, live] = sent;
      const wanted = live.revision.asks.inputRequests(result);
      if (wanted === undefined) {
        checkResultType(live.revision, method, { result, extra: this.#context.settings.resultTypes });
        return { result, live, retried: round > 0 };
      }
      if (!interactiveMethods.has(method)) throw malformedResult(method, `its results may not ask for input`);
      if (round >= rounds) throw new McpError('MCP_TOO_MANY_ROUNDS', { method, rounds, setting: 'limits.maxRounds' });
      input = await this.#inputFor(method, wanted, { live, options });
    }
  }

  /** Whether the user has done what the request failed for want of. The server has not begun with it, and nothing is done twice. */
  async #visitedFor(error: unknown, method: string, { signal: given }: SendOptions): Promise<boolean> {
    const { answers, connection, visits } = this.#context;
    const { live } = connection;
    const pages = error instanceof RpcError && live !== undefined ? live.revision.visitsFirst(error) : [];
    if (live === undefined || pages.length === 0) return false;
    const signal = AbortSignal.any([connection.closing, ...(given === undefined ? [] : [given])]);
    const context = { signal, server: live.server };
    try {
      return await untilAborted(answers.visitPages(pages, { revision: live.revision, context, visits }), signal);
    } catch (thrown) {
      if (given?.aborted === true) throw cancelledError(method, given);
      throw thrown instanceof RpcError ? error : thrown;
    }
  }

  /** What the retry brings along: answers under the keys of the questions, and the state as it came, if any came. */
  async #inputFor(
    method: string,
    { requests, state }: InputRequests,
    { live, options }: { readonly live: LiveConnection; readonly options: SendOptions },
  ): Promise<JsonObject> {
    const { answers, connection, visits } = this.#context;
    const failed = new AbortController();
    const signals = [failed.signal, connection.closing, ...(options.signal === undefined ? [] : [options.signal])];
    const context = { signal: AbortSignal.any(signals), server: live.server };
    const all = [...requests].map(async ([key, question]): Promise<[string, JsonObject]> => {
      const asked = { ...question, revision: live.revision, context, visits };
      const answer = await answers.answer(asked).catch((error: unknown) => {
        throw unansweredError(method, question.method, error);
      });
      return [key, answer];
    });
    try {
      const inputResponses = Object.fromEntries(await untilAborted(Promise.all(all), context.signal));
      return {
        ...(requests.size === 0 ? {} : { inputResponses }),
        ...(state === undefined ? {} : { requestState: state }),
      };
    } catch (error) {
      failed.abort(error);
      throw options.signal?.aborted === true ? cancelledError(method, options.signal) : error;
    }
  }
}

/** The session that a result belongs to; undefined where requests belong to none. */
export const sessionOf = (live: LiveConnection): LiveConnection | undefined =>
  live.revision.lifecycle.handshake ? live : undefined;

interface SendContext {
  readonly live: LiveConnection;
  readonly options: SendingOptions;
}

/** Where there is no handshake, whoever answers may speak another revision than the one that was asked first. */
const isUnsupportedVersion = (response: RpcResponse, { revision }: LiveConnection): boolean =>
  !revision.lifecycle.handshake && isFailure(response) && response.error.code === UNSUPPORTED_VERSION;

/** The server did answer, if badly; or it let nobody in, and whoever could have changed that would only be asked again. */
const isAnswer = (error: unknown): boolean =>
  hasCode(error, 'MCP_BAD_RESULT') ||
  hasCode(error, 'MCP_TOO_LARGE') ||
  (error instanceof McpError && error.kind === 'auth');

/** The server does not know the session, and has not looked at what it got. */
const isSessionLost = (error: unknown): boolean => hasCode(error, 'MCP_SESSION_LOST');

/** Failures that say by themselves what became of the request. */
const conclusiveCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'MCP_DENIED',
  'MCP_HTTP_FAILED',
  'MCP_HTTP_REDIRECT',
  'MCP_HTTP_REFUSED',
  'MCP_HTTP_UNEXPECTED',
  'MCP_SESSION_LOST',
  'MCP_UNREACHABLE',
]);

/** How a server that expects a handshake, or another transport, refuses what comes without. */
const isMisunderstood = (error: unknown): boolean =>
  error instanceof McpError &&
  error.code === 'MCP_HTTP_REFUSED' &&
  'status' in error.details &&
  [400, 404, 405].includes(Number(error.details['status']));

const hasCode = (error: unknown, code: ErrorCode): boolean => error instanceof McpError && error.code === code;
