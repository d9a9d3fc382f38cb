/** The public type `Client`: the connection to one server. */
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

/** A connected client. If `S` is the type of the server, the compiler checks names, arguments and results. */
export interface Client<S = unknown> extends AsyncDisposable {
  /** Calls a tool. Throws a `ToolError` if the tool reports an error. */
  call<N extends keyof ToolsOf<S> & string>(
    name: N,
    ...[args, options]: Arguments<ToolsOf<S>[N]['input'], CallToolOptions>
  ): Promise<CallResult<ToolsOf<S>[N]['output']>>;
  /** Calls a tool. If the tool reports an error, returns the result with `isError: true` instead of throwing. */
  attempt<N extends keyof ToolsOf<S> & string>(
    name: N,
    ...[args, options]: Arguments<ToolsOf<S>[N]['input'], CallToolOptions>
  ): Promise<AttemptResult<ToolsOf<S>[N]['output']>>;
  /**
   * Calls a tool as a task, and returns before the result is available. `options` apply to this first request only. Needs
   * `tasks: true`.
   */
  start<N extends keyof ToolsOf<S> & string>(
    name: N,
    ...[args, options]: Arguments<ToolsOf<S>[N]['input'], RequestOptions>
  ): Promise<ClientTask<ToolsOf<S>[N]['output']>>;
  /** Resumes a task from its ticket, in this or another process. Rejects a ticket of another server. Needs `tasks: true`. */
  attach(ticket: TaskTicket): Promise<ClientTask>;
  /** Lists tools, resources, templates or prompts, page by page on demand: iterate over it, or use `pages()` or `all()`. */
  list<K extends 'tools' | 'resources' | 'templates' | 'prompts'>(
    kind: K,
    options?: CachedRequestOptions,
  ): Listing<ListItems[K]>;
  /** Reads a resource. The URI is sent unchanged. */
  read(uri: ResourcesOf<S>, options?: CachedRequestOptions): Promise<ReadResult>;
  /** Gets the messages of a prompt. */
  getPrompt<N extends keyof PromptsOf<S> & string>(
    name: N,
    ...[args, options]: Arguments<PromptsOf<S>[N]['args'], RequestOptions>
  ): Promise<PromptResult>;
  /** Gets completions for an argument of a prompt or a variable of a resource template. */
  complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    options?: CompleteOptions,
  ): Promise<Completion>;
  /** Subscribes to changes of lists and resources until you stop reading. Resubscribes after a reconnect. */
  watch(filter: WatchFilter, options?: { readonly signal?: AbortSignal }): Watch;
  /**
   * Sends any request and returns its result unchecked and uncached. An `input_required` result is returned as well, unless
   * `options.ask` answers it. The client sets the protocol's keys in `_meta`, and sends your other keys unchanged. Progress is
   * requested only if you pass `onProgress`.
   */
  request(method: string, params?: JsonObject, options?: RawRequestOptions): Promise<JsonObject>;
  /** Name, capabilities, instructions and revision of the server, as the server declared them. */
  readonly server: ServerDescription;
  readonly state: ConnectionState;
  /** Calls `listener` on every change of `state`. Returns a function that removes the listener. */
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Resolves when the server responds. */
  ping(options?: RequestOptions): Promise<void>;
  /**
   * Sets the minimum severity of the log messages that the server sends.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Read the server's standard error, or use OpenTelemetry.
   */
  setLogLevel(level: LoggingLevel | 'warn'): Promise<void>;
  /**
   * Notifies the server that the roots have changed, in revisions with `notifications/roots/list_changed`.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Pass folders as tool arguments, as resources, or in the server's configuration.
   */
  rootsChanged(): Promise<void>;
  /** Cancels open requests, ends watches and closes the connection. A second call waits for the first. */
  close(): Promise<void>;
}
