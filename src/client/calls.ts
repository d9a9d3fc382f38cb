/** Implements `call`, `attempt`, `read`, `getPrompt`, `complete` and `list` of a client. */
import { badDefinition, McpError, RpcError, ToolError } from '../errors.ts';
import { INVALID_PARAMS, isObject, type JsonObject, METHOD_NOT_FOUND } from '../jsonrpc/message.ts';
import type { CompleteParams, Completion, Tool } from '../model/parts.ts';
import { nearestNames, suggest } from '../model/suggest.ts';
import { valueKind } from '../model/value-kind.ts';
import { cacheHintsOf, decodeCall, decodeCompletion, decodePrompt, decodeRead } from '../revisions/decode.ts';
import {
  decodePage,
  type ListItems,
  type ListKind,
  type ListName,
  type ListPage,
  lists,
} from '../revisions/decode-lists.ts';
import { pickKnown } from '../revisions/encode.ts';
import type { CacheHit, CacheView } from './cache.ts';
import { checkRequestOptions, requireText } from './check-request.ts';
import type { ClientConnection } from './connection.ts';
import { createListing, type Listing, type SessionPage } from './listing.ts';
import type { ClientSettings } from './options.ts';
import type { CallToolOptions, RequestOptions } from './outgoing-call.ts';
import { OutputChecker } from './output-checker.ts';
import { type Requests, type SendingOptions, sessionOf } from './requests.ts';
import type { CompletedRequest, Rounds } from './rounds.ts';
import type {
  AttemptResult,
  CachedRequestOptions,
  CallResult,
  CompleteOptions,
  PromptResult,
  ReadResult,
} from './types.ts';

/** Calls tools that the server may run as tasks. */
export interface TaskCaller {
  callTool(name: string, params: JsonObject, options: CallToolOptions): Promise<JsonObject>;
}
interface CallsContext {
  readonly cache: CacheView;
  /** Loads the code for tasks. Rejects unless the option `tasks` is on. */
  tasks(): Promise<TaskCaller>;
}

export class Calls {
  readonly #rounds: Rounds;
  readonly #connection: ClientConnection;
  readonly #cache: CacheView;
  readonly #tasks: CallsContext['tasks'];
  readonly #settings: ClientSettings;
  readonly outputs: OutputChecker;

  constructor(rounds: Rounds, { connection, settings }: Requests, { cache, tasks }: CallsContext) {
    this.#rounds = rounds;
    this.#connection = connection;
    this.#cache = cache;
    this.#tasks = tasks;
    this.#settings = settings;
    this.outputs = new OutputChecker(() => this.list('tools', {}).all(), settings.warnings.warn);
  }

  async call(name: string, args: unknown, options: CallToolOptions): Promise<CallResult<unknown>> {
    return this.toCallResult(name, await this.#callTool(name, args, options));
  }

  async attempt(name: string, args: unknown, options: CallToolOptions): Promise<AttemptResult> {
    return this.toAttemptResult(name, await this.#callTool(name, args, options));
  }

  async #callTool(name: string, args: unknown, options: CallToolOptions): Promise<JsonObject> {
    checkRequestOptions(options);
    const params = toCallParams(name, args);
    try {
      if (this.#settings.tasks) return await (await this.#tasks()).callTool(name, params, options);
      return (await this.#rounds.complete('tools/call', params, options)).result;
    } catch (error) {
      throw this.#withSuggestion(error, name);
    }
  }

  /** Suggests other names if the cached list of tools has none of this name. Sends no request. */
  #withSuggestion(error: unknown, name: string): unknown {
    if (!(error instanceof RpcError) || (error.code !== INVALID_PARAMS && error.code !== METHOD_NOT_FOUND))
      return error;
    const names = this.#cachedToolNames();
    const likely = names.includes(name) ? [] : nearestNames(name, names);
    if (likely.length === 0) return error;
    const message = `${error.message}; did you mean ${likely.join(' or ')}?`;
    return new RpcError(error.code, message, error.data, error.reason);
  }

  /** Empty unless all pages are cached. */
  #cachedToolNames(): readonly string[] {
    const { clock, limits } = this.#settings;
    const names: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < limits.maxPages; page++) {
      const hit = this.#cache.get('tools/list', cursor === undefined ? {} : { cursor }, clock.now());
      // A private list belongs to the credentials that it was issued to.
      const isOurs = hit?.credentials === undefined || hit.credentials === this.#connection.credentials?.last;
      if (hit === undefined || !isOurs) return [];
      const { items, nextCursor } = hit.value as ListPage<Tool>; // the same method, so the same type
      for (const { name } of items) names.push(name);
      if (nextCursor === undefined) return names;
      cursor = nextCursor;
    }
    return [];
  }

  async toCallResult(name: string, result: JsonObject): Promise<CallResult<unknown>> {
    const { data, text, content, meta, isError } = this.#outcome(result);
    if (isError) throw new ToolError(text === '' ? `Tool "${name}" failed` : text, { content });
    if (data !== undefined) await this.outputs.check(name, data);
    return { data, text, content, meta };
  }

  async toAttemptResult(name: string, result: JsonObject): Promise<AttemptResult> {
    const outcome = this.#outcome(result);
    if (!outcome.isError && outcome.data !== undefined) await this.outputs.check(name, outcome.data);
    return outcome;
  }

  #outcome(result: JsonObject): AttemptResult {
    const decoded = decodeCall(result, this.#settings.warnings.warn);
    const { content, isError = false, structuredContent: data, _meta: meta = {} } = decoded;
    return { data, text: textOf(content), content, meta, isError };
  }

  async read(uri: string, options: CachedRequestOptions): Promise<ReadResult> {
    requireText('client.read(uri)', 'uri', uri);
    checkRequestOptions(options);
    const params = { uri };
    const read = async (): Promise<FetchedResult<ReadResult>> => {
      const completed = await this.#rounds.complete('resources/read', params, options).catch((error: unknown) => {
        throw notFoundError(error, uri);
      });
      const { contents, _meta = {} } = decodeRead(completed.result, this.#settings.warnings.warn);
      return { value: { contents, text: textOf(contents), meta: _meta }, completed };
    };
    return this.#cached('resources/read', params, options, read);
  }

  async getPrompt(name: string, args: unknown, options: RequestOptions): Promise<PromptResult> {
    requireText(GET_PROMPT, 'name', name);
    checkRequestOptions(options);
    const params = { name, arguments: toPromptArguments(args, name) };
    const { result } = await this.#rounds.complete('prompts/get', params, options);
    const { messages, description, _meta = {} } = decodePrompt(result, this.#settings.warnings.warn);
    return { messages, description, meta: _meta };
  }

  async complete(params: CompleteParams, options: CompleteOptions): Promise<Completion> {
    checkRequestOptions(options);
    const { context } = options;
    const vocabulary = this.#connection.known?.revision.vocabulary;
    const known = { ...params, ...(context === undefined ? {} : { context: { arguments: context } }) };
    try {
      const sent = vocabulary === undefined ? known : pickKnown(vocabulary, 'CompleteParams', known);
      return decodeCompletion((await this.#rounds.complete('completion/complete', sent, options)).result);
    } catch (error) {
      // Revisions without a `completions` capability: servers without completion respond with −32601.
      if (!(error instanceof RpcError) || error.code !== METHOD_NOT_FOUND) throw error;
      throw new McpError('MCP_NOT_OFFERED', { what: 'completion', capability: 'completions' }, { cause: error });
    }
  }

  list<K extends ListName>(name: K, options: CachedRequestOptions): Listing<ListItems[K]> {
    const kind: ListKind<ListItems[K]> | undefined = Object.hasOwn(lists, name) ? lists[name] : undefined;
    if (kind === undefined)
      throw badDefinition(`The list "${name}"`, `unknown list; ${suggest(String(name), Object.keys(lists))}`);
    checkRequestOptions(options);
    const { limits, warnings } = this.#settings;
    return createListing({
      kind,
      limits,
      warn: warnings.warn,
      forget: () => this.#cache.forget(({ method }) => method === kind.method),
      page: (cursor, session) => this.#page(kind, cursor, { ...options, session }),
    });
  }

  #page<T>(
    kind: ListKind<T>,
    cursor: string | undefined,
    options: CachedRequestOptions & Pick<SendingOptions, 'session'>,
  ): Promise<SessionPage<T>> {
    const params = cursor === undefined ? {} : { cursor };
    const fetch = async (): Promise<FetchedResult<SessionPage<T>>> => {
      const sent = cursor === undefined ? undefined : params;
      const completed = await this.#rounds.complete(kind.method, sent, options);
      const page = decodePage(kind, completed.result, this.#settings.warnings.warn);
      return { value: { ...page, session: sessionOf(completed.live) }, completed };
    };
    return this.#cached(kind.method, params, options, fetch);
  }

  /** Returns the cached result or fetches it. Requests with `_meta` bypass the cache, because `_meta` can change the result. */
  async #cached<T>(
    method: string,
    params: JsonObject,
    options: CachedRequestOptions,
    fetch: () => Promise<FetchedResult<T>>,
  ): Promise<T> {
    const { clock } = this.#settings;
    const usable = options.fresh !== true && options.meta === undefined;
    const before = usable ? this.#cache.get(method, params, clock.now()) : undefined;
    const isHit = before !== undefined && (before.credentials === undefined || (await this.#isOurs(before, method)));
    if (isHit) return before.value as T; // the same method and params, so the same type
    const sentCredentials = this.#connection.credentials?.last;
    const forgotten = this.#cache.forgotten();
    const { value, completed } = await fetch();
    const { live, retried, result } = completed;
    const cacheable = live.revision.methods.requests.get(method)?.cacheable === true;
    const credentials = live.connection.credentials?.last;
    // If the credentials changed during the request, it is unknown which of them the result is for.
    const isSettled = credentials === sentCredentials && this.#cache.forgotten() === forgotten;
    if (cacheable && !retried && options.meta === undefined && isSettled)
      this.#cache.put({ method, params, value, result, hints: cacheHintsOf(result), now: clock.now(), credentials });
    return value;
  }

  /** Whether a private result was issued to the credentials that a request would send now. */
  async #isOurs({ credentials }: CacheHit, method: string): Promise<boolean> {
    try {
      return (await this.#connection.credentials?.now(method, this.#connection.closing)) === credentials;
    } catch {
      // A cache miss: the request itself will fail for the same reason, and reports it.
      return false;
    }
  }
}

interface FetchedResult<T> {
  readonly value: T;
  readonly completed: CompletedRequest;
}

const CALL = 'client.call(name, args)';
const GET_PROMPT = 'client.getPrompt(name, args)';

/** Always sends an `arguments` object: some servers whose arguments are all optional reject a call without it. */
export function toCallParams(name: string, args: unknown): JsonObject {
  requireText(CALL, 'name', name);
  return { name, arguments: toArguments(CALL, args) };
}

function toArguments(what: string, args: unknown): JsonObject {
  if (isObject(args ?? {})) return (args ?? {}) as JsonObject; // checked in this line
  throw badDefinition(what, `"args" must be an object, not ${valueKind(args)}`);
}

function textOf(blocks: readonly object[]): string {
  const texts: string[] = [];
  for (const block of blocks) if ('text' in block && typeof block.text === 'string') texts.push(block.text);
  return texts.join('\n');
}

/** Marks "resource not found", −32002, or −32602 if the error data names the URI, and adds the URI to its message. */
function notFoundError(error: unknown, uri: string): unknown {
  if (!(error instanceof RpcError)) return error;
  const named = error.code === INVALID_PARAMS && isObject(error.data) && error.data['uri'] === uri;
  if (error.code !== -32002 && !named) return error;
  const message = error.message.includes(uri) ? error.message : `${error.message}: ${uri}`;
  return new RpcError(error.code, message, error.data, 'resource-not-found');
}

/** Converts numbers and booleans: arguments of prompts are strings on the wire. */
function toPromptArguments(args: unknown, name: string): JsonObject {
  const all = Object.entries(toArguments(GET_PROMPT, args)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    all.map(([key, value]) => {
      if (typeof value === 'string') return [key, value];
      if (typeof value === 'number' || typeof value === 'boolean') return [key, String(value)];
      const what = `The argument "${key}" of prompt "${name}"`;
      throw badDefinition(what, 'arguments of prompts are strings');
    }),
  );
}
