/** A client as its user sees it: one server, used by name. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { LoggingLevel } from '../model/logging.ts';
import type { CompleteParams, Completion, CompletionReference } from '../model/parts.ts';
import type { ListItems } from '../revisions/decode-lists.ts';
import type { ConnectionState } from './connection.ts';
import type { Listing } from './listing.ts';
import type { CallToolOptions, RawRequestOptions, RequestOptions } from './outgoing-call.ts';
import type { ClientTask, TaskTicket } from './tasks/task.ts';
import type {
  Arguments,
  AttemptResult,
  CachedRequestOptions,
  CallResult,
  CompleteOptions,
  PromptResult,
  PromptsOf,
  ReadResult,
  ResourcesOf,
  ServerDescription,
  ToolsOf,
  WatchFilter,
} from './types.ts';
import type { Watch } from './watch.ts';

/** `S` is the type of the server, if it is known: then names, arguments and results are checked by the compiler. */
export interface Client<S = unknown> extends AsyncDisposable {
  /** Calls a tool. Throws a `ToolError` when the tool says that it failed. */
  call<N extends keyof ToolsOf<S> & string>(
    name: N,
    ...[args, options]: Arguments<ToolsOf<S>[N]['input'], CallToolOptions>
  ): Promise<CallResult<ToolsOf<S>[N]['output']>>;
  /** Calls a tool, and returns its result also when the tool says that it failed. */
  attempt(name: string, args?: JsonObject, options?: CallToolOptions): Promise<AttemptResult>;
  /**
   * Calls a tool, and waits only until it is known whether the server makes a task of it. Needs `tasks: true`. The options are for
   * that first request.
   */
  start<N extends keyof ToolsOf<S> & string>(
    name: N,
    ...[args, options]: Arguments<ToolsOf<S>[N]['input'], RequestOptions>
  ): Promise<ClientTask<ToolsOf<S>[N]['output']>>;
  /** Goes on with a task from its ticket, in this process or another one. Rejects the ticket of another server. Needs `tasks: true`. */
  attach(ticket: TaskTicket): Promise<ClientTask>;
  /** Everything of a kind: iterate over it, or ask for `pages()` or `all()`. */
  list<K extends 'tools' | 'resources' | 'templates' | 'prompts'>(
    kind: K,
    options?: CachedRequestOptions,
  ): Listing<ListItems[K]>;
  /** Reads a resource, under exactly this URI. */
  read(uri: ResourcesOf<S>, options?: CachedRequestOptions): Promise<ReadResult>;
  /** The messages of a prompt. */
  getPrompt<N extends keyof PromptsOf<S> & string>(
    name: N,
    ...[args, options]: Arguments<PromptsOf<S>[N]['args'], RequestOptions>
  ): Promise<PromptResult>;
  /** Suggestions for an argument of a prompt or a variable of a resource template. */
  complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    options?: CompleteOptions,
  ): Promise<Completion>;
  /** Changes as the server reports them, for as long as you read; also after the server was restarted. */
  watch(filter: WatchFilter, options?: { readonly signal?: AbortSignal }): Watch;
  /**
   * Sends any request, and returns its result as it came: nothing is checked or cached. A result that asks for input is returned
   * too, unless the request brings its own answers (`ask`). Keys of the protocol in `_meta` are set by the client; all others go
   * along. Progress is reported only to `onProgress`.
   */
  request(method: string, params?: JsonObject, options?: RawRequestOptions): Promise<JsonObject>;
  /** The server, as it introduced itself. */
  readonly server: ServerDescription;
  readonly state: ConnectionState;
  /** Calls back whenever the state changes, until the returned function is called. */
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Resolves when the server has given a sign of life. */
  ping(options?: RequestOptions): Promise<void>;
  /**
   * The least severe log message to send.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Read the server's standard error, or use OpenTelemetry.
   */
  setLogLevel(level: LoggingLevel | 'warn'): Promise<void>;
  /**
   * Tells the server that the roots have changed, in revisions that have a notification for it.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Pass folders as tool arguments, as resources, or in the server's configuration.
   */
  rootsChanged(): Promise<void>;
  /** Ends everything that is open. A second call waits for the first. */
  close(): Promise<void>;
}
