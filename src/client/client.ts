/** A client: one server, used by name. What it does is in the files beside this one. */
import { type JsonObject, notification } from '../jsonrpc/message.ts';
import type { ChangeFilter } from '../model/change.ts';
import type { LoggingLevel } from '../model/logging.ts';
import { DISCOVER, ROOTS_CHANGED } from '../model/names.ts';
import type { CompleteParams, Completion, CompletionReference } from '../model/prompt.ts';
import type { Transport } from '../peer/exchange.ts';
import type { ListItems, ListName } from '../revisions/decode-lists.ts';
import { OpeningLink } from '../revisions/opening.ts';
import { type ConnectionState, closedError } from './connection.ts';
import type { Listing } from './listing.ts';
import type { ConnectOptions } from './options.ts';
import type { SendOptions } from './requests.ts';
import type {
  Arguments,
  AttemptResult,
  CachedRequestOptions,
  CallOptions,
  CallResult,
  CompleteOptions,
  Insides,
  PromptResult,
  PromptsOf,
  ReadResult,
  ResourcesOf,
  ServerDescription,
  ToolsOf,
  WatchFilter,
} from './types.ts';
import type { Watch } from './watch.ts';
import { type ClientContext, Wiring } from './wiring.ts';

/** Opens a line with this transport and agrees on a revision. */
export async function openClient<S>(
  transport: Transport,
  options: ConnectOptions,
  surroundings: ClientContext = {},
): Promise<Client<S>> {
  const wiring = new Wiring(transport, options, surroundings);
  await wiring.connection.connect(options.signal);
  return new Client<S>(wiring);
}

/** `S` is the type of the server, if it is known: then names, arguments and results are checked by the compiler. */
export class Client<S = unknown> implements AsyncDisposable {
  readonly #wiring: Wiring;

  /** Use `connect`. */
  constructor(insides: Insides) {
    this.#wiring = insides as Wiring; // nobody but openClient makes one
  }

  /** Calls a tool. Throws a `ToolError` when the tool says that it failed. */
  call<N extends keyof ToolsOf<S> & string>(
    name: N,
    ...[args, options = {}]: Arguments<ToolsOf<S>[N]['input'], CallOptions>
  ): Promise<CallResult<ToolsOf<S>[N]['output']>> {
    // Checked against the schema that the server published, which is where the type comes from.
    return this.#wiring.calls.call(name, args, options) as Promise<CallResult<ToolsOf<S>[N]['output']>>;
  }

  /** Calls a tool, and returns its answer also when the tool says that it failed. */
  attempt(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<AttemptResult> {
    return this.#wiring.calls.attempt(name, args, options);
  }

  /** Everything of a kind: iterate over it, or ask for `pages()` or `all()`. */
  list<K extends ListName>(kind: K, options: CachedRequestOptions = {}): Listing<ListItems[K]> {
    return this.#wiring.calls.list(kind, options);
  }

  /** Reads a resource, under exactly this URI. */
  read(uri: ResourcesOf<S>, options: CachedRequestOptions = {}): Promise<ReadResult> {
    return this.#wiring.calls.read(uri, options);
  }

  /** The messages of a prompt. */
  getPrompt<N extends keyof PromptsOf<S> & string>(
    name: N,
    ...[args, options = {}]: Arguments<PromptsOf<S>[N]['args'], SendOptions>
  ): Promise<PromptResult> {
    return this.#wiring.calls.get(name, args, options);
  }

  /** Suggestions for an argument of a prompt or a variable of a resource template. */
  complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    options: CompleteOptions = {},
  ): Promise<Completion> {
    const words = this.#wiring.connection.known?.revision.words;
    return this.#wiring.calls.complete({ ref, argument }, options, words);
  }

  /** News of what changed, for as long as somebody reads; also after the server was restarted. */
  watch(filter: WatchFilter, options: { readonly signal?: AbortSignal } = {}): Watch {
    const { tools, prompts, resources } = filter;
    const wanted: ChangeFilter = {
      ...(tools === true ? { toolsListChanged: true } : {}),
      ...(prompts === true ? { promptsListChanged: true } : {}),
      ...(resources === true ? { resourcesListChanged: true } : {}),
      ...(Array.isArray(resources) ? { resourceSubscriptions: resources } : {}),
    };
    return this.#wiring.watches.start(wanted, options.signal);
  }

  /** Any request, and its result as it came: nothing is checked, kept, or asked in between. */
  async request(method: string, params?: JsonObject, options: SendOptions = {}): Promise<JsonObject> {
    const [result] = await this.#wiring.requests.send(method, params, options);
    return result;
  }

  /** The server, as it introduced itself. */
  get server(): ServerDescription {
    const { known } = this.#wiring.connection;
    if (known === undefined) throw closedError();
    const { info, capabilities, instructions } = known.server;
    return { info, capabilities, instructions, revision: known.revision.id };
  }

  get state(): ConnectionState {
    return this.#wiring.connection.state;
  }

  /** Calls back whenever the state changes, until the returned function is called. */
  onState(listener: (state: ConnectionState) => void): () => void {
    const { listeners } = this.#wiring;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Resolves when the server has given a sign of life. */
  async ping(options: SendOptions = {}): Promise<void> {
    const { connection, requests } = this.#wiring;
    const { methods } = (await connection.use()).revision;
    await requests.send(methods.requests.has('ping') ? 'ping' : DISCOVER, undefined, options);
  }

  /**
   * The least severe log message to send.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Read the server's standard error, or use OpenTelemetry.
   */
  setLogLevel(level: LoggingLevel | 'warn'): Promise<void> {
    return this.#wiring.setLogLevel(level);
  }

  /**
   * Tells the server that the roots have changed, in revisions that have a word for it.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Pass folders as tool arguments, as resources, or in the server's configuration.
   */
  async rootsChanged(): Promise<void> {
    const { connection: line, me, revision } = await this.#wiring.connection.use();
    const declared = me.capabilities['roots'] !== undefined && revision.methods.notifications.has(ROOTS_CHANGED);
    if (declared) await line.exchange(notification(ROOTS_CHANGED), new OpeningLink());
  }

  /** Ends everything that is open. A second call waits for the first. */
  close(): Promise<void> {
    return this.#wiring.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
