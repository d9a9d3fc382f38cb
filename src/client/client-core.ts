/** Builds the parts of a client, connects them, and does the work that involves several of them. */
import { badDefinition, McpError } from '../errors.ts';
import { notification } from '../jsonrpc/message.ts';
import type { Change } from '../model/change.ts';
import { isLoggingLevel, type LoggingLevel, loggingLevels } from '../model/logging.ts';
import { DISCOVER, ROOTS_CHANGED } from '../model/names.ts';
import type { Tool } from '../model/parts.ts';
import { networkReason } from '../model/printable.ts';
import { suggest } from '../model/suggest.ts';
import { detachedLink } from '../peer/call-link.ts';
import { DeadlinePause } from '../peer/deadlines.ts';
import type { Exchange, Transport } from '../peer/exchange.ts';
import type { Warnings } from '../peer/warnings.ts';
import type { Introduction, Revision } from '../revisions/contract.ts';
import { pickKnown } from '../revisions/encode.ts';
import { readDiscoveredServer } from '../revisions/negotiate.ts';
import { type CacheView, staleAfter } from './cache.ts';
import { Calls } from './calls.ts';
import { ClientConnection, type ConnectionOwner, type ConnectionState } from './connection.ts';
import { HandshakeMemory } from './handshake-memory.ts';
import { createInbound } from './inbound.ts';
import type { LiveConnection, Peer } from './live-connection.ts';
import { type ClientSettings, type ConnectOptions, clientSettings } from './options.ts';
import type { RequestOptions } from './outgoing-call.ts';
import { QuestionHandlers } from './question-handlers.ts';
import { Requests } from './requests.ts';
import { Rounds } from './rounds.ts';
import type { ClientTasks } from './tasks/client-tasks.ts';
import { Watches } from './watches.ts';

/** State that a client shares with other clients of the same server, or with its transport. */
export interface ClientContext {
  /** Clients of the same origin share public cached results, and whether the server needs a handshake. */
  readonly origin?: string | undefined;
  readonly pause?: DeadlinePause | undefined;
  /** The server needed a handshake before: the client starts with one, and probes only if it fails. */
  readonly handshake?: boolean | undefined;
  /** Shared, so that each warning is reported once per server, not once per client. */
  readonly warnings?: Warnings | undefined;
  /** Called when the server reports a completed visit of a page; for gateways, which forward the notification. */
  readonly onVisitCompleted?: ((id: string) => void) | undefined;
}

export class ClientCore implements ConnectionOwner {
  readonly connection: ClientConnection;
  readonly requests: Requests;
  readonly rounds: Rounds;
  readonly calls: Calls;
  readonly watches: Watches;
  readonly handshakes: HandshakeMemory;
  readonly stateListeners: Set<(state: ConnectionState) => void> = new Set();
  readonly #settings: ClientSettings;
  readonly #questions: QuestionHandlers;
  readonly #cache: CacheView;
  readonly #origin: string | undefined;
  #tasks: Promise<ClientTasks> | undefined;
  #logLevel: LoggingLevel | undefined;

  constructor(transport: Transport, options: ConnectOptions, context: ClientContext) {
    const { origin, pause = new DeadlinePause(), handshake = false, warnings, onVisitCompleted } = context;
    this.#settings = clientSettings(options, pause, warnings);
    this.#logLevel = options.logLevel === undefined ? undefined : toLoggingLevel(options.logLevel);
    this.#questions = new QuestionHandlers(this.#settings, onVisitCompleted);
    this.#cache = this.#settings.cache.open(origin);
    this.handshakes = new HandshakeMemory(this.#cache, this.#settings, handshake);
    this.connection = new ClientConnection(transport, this.#settings, this);
    this.requests = new Requests(this.connection, this.#settings);
    this.rounds = new Rounds(this.requests, this.#questions);
    this.calls = new Calls(this.rounds, this.requests, { cache: this.#cache, tasks: () => this.tasks() });
    this.#origin = origin;
    this.watches = new Watches(this.requests, (change) => this.#invalidate(change));
  }

  tasks(): Promise<ClientTasks> {
    if (!this.#settings.tasks) throw badDefinition('The option "tasks"', 'it is off; pass tasks: true to connect()');
    this.#tasks ??= import('./tasks/client-tasks.ts').then(({ ClientTasks }) => {
      const { rounds, requests, calls } = this;
      const findTool = (name: string): Promise<Tool | undefined> => calls.outputs.findTool(name);
      return new ClientTasks({
        rounds,
        requests,
        findTool,
        results: calls,
        handlers: this.#questions,
        origin: this.#origin,
      });
    });
    return this.#tasks;
  }

  async ping(options: RequestOptions): Promise<void> {
    const { methods } = (await this.requests.connect('ping', options)).revision;
    await this.requests.send(methods.requests.has('ping') ? 'ping' : DISCOVER, undefined, options);
  }

  async rootsChanged(): Promise<void> {
    const { connection, me, revision } = await this.connection.use();
    const isDeclared = me.capabilities['roots'] !== undefined && revision.methods.notifications.has(ROOTS_CHANGED);
    if (isDeclared) await connection.exchange(notification(ROOTS_CHANGED), detachedLink);
  }

  /** Applies to the current connection and to every later one. */
  async setLogLevel(wanted: LoggingLevel | 'warn'): Promise<void> {
    const level = toLoggingLevel(wanted);
    const live = await this.connection.use();
    if (live.server.capabilities.logging === undefined)
      throw new McpError('MCP_NOT_OFFERED', { what: 'log messages', capability: 'logging' });
    this.#logLevel = level;
    if (live.revision.hasSessions) await this.requests.send('logging/setLevel', { level }, { on: live });
    else live.me = this.introduce(live.revision);
  }

  /** Ends watches and cancels open requests first, then closes the connection. */
  close(): Promise<void> {
    this.watches.close();
    this.requests.close();
    return this.connection.close();
  }

  introduce(revision: Revision): Introduction {
    const { info, onLog, warnings } = this.#settings;
    // In revisions where each request names a log level, a client with `onLog` must name one to get log messages.
    const level = this.#logLevel ?? (onLog === undefined ? undefined : 'info');
    if (level !== undefined) warnings.deprecated('logging', revision);
    return {
      info: pickKnown(revision.vocabulary, 'Implementation', info) as Introduction['info'], // a subset of its own members
      capabilities: this.#questions.capabilities(revision),
      logLevel: level,
    };
  }

  inbound(peer: Peer): Exchange {
    const onChange = (change: Change): void => this.watches.publish(change);
    return createInbound(peer, {
      settings: this.#settings,
      questions: this.#questions,
      requests: this.requests,
      onChange,
    });
  }

  onStateChanged(state: ConnectionState): void {
    for (const listener of this.stateListeners)
      this.#settings.warnings.guard('A state listener', () => listener(state));
  }

  onOpened(live: LiveConnection): void {
    this.calls.outputs.forget();
    const level = this.#logLevel;
    const { hasSessions, methods } = live.revision;
    if (level === undefined || !hasSessions || live.server.capabilities.logging === undefined) return;
    if (!methods.requests.has('logging/setLevel')) return;
    this.requests.send('logging/setLevel', { level }, { on: live }).catch((error: unknown) => {
      if (this.connection.live === live) this.#settings.warnings.warn(`The log level was not set: ${String(error)}`);
    });
  }

  onCredentialsChanged(live: LiveConnection): void {
    void this.#refresh(live);
  }

  /** Discovers the server again and restarts watches, because what it reported so far was for the former credentials. */
  async #refresh(live: LiveConnection): Promise<void> {
    this.calls.outputs.forget();
    if (!live.revision.hasSessions) {
      this.connection.updateServer(live, { ...live.server, instructions: undefined });
      try {
        const [result] = await this.requests.send(DISCOVER, undefined, { on: live });
        this.connection.updateServer(live, readDiscoveredServer(result));
      } catch (error) {
        if (this.connection.live === live)
          this.#settings.warnings.warn(`The server's description could not be refreshed: ${networkReason(error)}`);
      }
      this.watches.restart();
    }
    for (const kind of ['tools', 'prompts', 'resources'] as const) this.watches.publish({ kind });
  }

  #invalidate(change: Change): void {
    this.#cache.forget(staleAfter(change));
    if (change.kind === 'tools') this.calls.outputs.forget();
  }
}

/** Accepts the common name `warn` for the protocol's `warning`. */
function toLoggingLevel(level: LoggingLevel | 'warn'): LoggingLevel {
  const name = level === 'warn' ? 'warning' : level;
  if (isLoggingLevel(name)) return name;
  throw badDefinition(`The log level ${JSON.stringify(level)}`, `unknown level; ${suggest(name, loggingLevels)}`);
}
