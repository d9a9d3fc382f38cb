/** The client behind the `Client` interface: every method is one line to the part that does it. */
import { type JsonObject, notification } from '../jsonrpc/message.ts';
import type { ChangeFilter } from '../model/change.ts';
import type { LoggingLevel } from '../model/logging.ts';
import { DISCOVER, ROOTS_CHANGED } from '../model/names.ts';
import type { CompleteParams, Completion, CompletionReference } from '../model/parts.ts';
import { detachedLink } from '../peer/call-link.ts';
import type { Transport } from '../peer/exchange.ts';
import type { ListItems, ListName } from '../revisions/decode-lists.ts';
import type { Client } from './client.ts';
import { type ClientContext, ClientCore } from './client-core.ts';
import { type ConnectionState, closedError } from './connection.ts';
import type { Listing } from './listing.ts';
import type { ConnectOptions } from './options.ts';
import type { RawRequestOptions, SendOptions } from './requests.ts';
import type {
  Arguments,
  AttemptResult,
  CachedRequestOptions,
  CallOptions,
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

/** Opens a connection with this transport and agrees on a revision. */
export async function openClient<S>(
  transport: Transport,
  options: ConnectOptions,
  context: ClientContext = {},
): Promise<Client<S>> {
  const core = new ClientCore(transport, options, context);
  await core.connection.connect(options.signal);
  return new ConnectedClient<S>(core);
}

/** The client that `connect` makes. */
export class ConnectedClient<S> implements Client<S> {
  readonly #core: ClientCore;

  constructor(core: ClientCore) {
    this.#core = core;
  }

  call<N extends keyof ToolsOf<S> & string>(
    name: N,
    ...[args, options = {}]: Arguments<ToolsOf<S>[N]['input'], CallOptions>
  ): Promise<CallResult<ToolsOf<S>[N]['output']>> {
    // Checked against the schema that the server published, which is where the type comes from.
    return this.#core.calls.call(name, args, options) as Promise<CallResult<ToolsOf<S>[N]['output']>>;
  }

  attempt(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<AttemptResult> {
    return this.#core.calls.attempt(name, args, options);
  }

  list<K extends ListName>(kind: K, options: CachedRequestOptions = {}): Listing<ListItems[K]> {
    return this.#core.calls.list(kind, options);
  }

  read(uri: ResourcesOf<S>, options: CachedRequestOptions = {}): Promise<ReadResult> {
    return this.#core.calls.read(uri, options);
  }

  getPrompt<N extends keyof PromptsOf<S> & string>(
    name: N,
    ...[args, options = {}]: Arguments<PromptsOf<S>[N]['args'], SendOptions>
  ): Promise<PromptResult> {
    return this.#core.calls.get(name, args, options);
  }

  complete(
    ref: CompletionReference,
    argument: CompleteParams['argument'],
    options: CompleteOptions = {},
  ): Promise<Completion> {
    const vocabulary = this.#core.connection.known?.revision.vocabulary;
    return this.#core.calls.complete({ ref, argument }, options, vocabulary);
  }

  watch(filter: WatchFilter, options: { readonly signal?: AbortSignal } = {}): Watch {
    const { tools, prompts, resources } = filter;
    const wanted: ChangeFilter = {
      ...(tools === true ? { toolsListChanged: true } : {}),
      ...(prompts === true ? { promptsListChanged: true } : {}),
      ...(resources === true ? { resourcesListChanged: true } : {}),
      ...(Array.isArray(resources) ? { resourceSubscriptions: resources } : {}),
    };
    return this.#core.watches.start(wanted, options.signal);
  }

  request(method: string, params?: JsonObject, options: RawRequestOptions = {}): Promise<JsonObject> {
    return this.#core.rounds.request(method, params, options);
  }

  get server(): ServerDescription {
    const { known } = this.#core.connection;
    if (known === undefined) throw closedError();
    const { info, capabilities, instructions } = known.server;
    return { info, capabilities, instructions, revision: known.revision.id };
  }

  get state(): ConnectionState {
    return this.#core.connection.state;
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    const { stateListeners } = this.#core;
    stateListeners.add(listener);
    return () => stateListeners.delete(listener);
  }

  async ping(options: SendOptions = {}): Promise<void> {
    const { connection, requests } = this.#core;
    const { methods } = (await connection.use()).revision;
    await requests.send(methods.requests.has('ping') ? 'ping' : DISCOVER, undefined, options);
  }

  setLogLevel(level: LoggingLevel | 'warn'): Promise<void> {
    return this.#core.setLogLevel(level);
  }

  async rootsChanged(): Promise<void> {
    const { connection, me, revision } = await this.#core.connection.use();
    const declared = me.capabilities['roots'] !== undefined && revision.methods.notifications.has(ROOTS_CHANGED);
    if (declared) await connection.exchange(notification(ROOTS_CHANGED), detachedLink);
  }

  close(): Promise<void> {
    return this.#core.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
