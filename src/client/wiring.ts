/** The parts of a client, and how they are joined. */
import { McpError } from '../errors.ts';
import type { Change } from '../model/change.ts';
import { isLoggingLevel, type LoggingLevel } from '../model/logging.ts';
import { DISCOVER } from '../model/names.ts';
import { networkReason } from '../model/printable.ts';
import { DeadlinePause } from '../peer/deadline-pause.ts';
import { Deadlines } from '../peer/deadlines.ts';
import type { Transport } from '../peer/exchange.ts';
import type { Introduction, Revision } from '../revisions/contract.ts';
import { pickKnown } from '../revisions/encode.ts';
import { serverFacts } from '../revisions/negotiate.ts';
import { type CacheView, staleBy } from './cache.ts';
import { Calls } from './calls.ts';
import { ClientConnection, type ConnectionState, closedError, type LiveConnection } from './connection.ts';
import { HandshakeMemory } from './handshake-memory.ts';
import { createInbound, type InboundContext } from './inbound.ts';
import { type ClientSettings, type ConnectOptions, clientSettings } from './options.ts';
import type { CallContext } from './outgoing-call.ts';
import { PendingVisits } from './pending-visits.ts';
import { QuestionHandlers } from './question-handlers.ts';
import { Requests } from './requests.ts';
import { Watches } from './watches.ts';

/** What a client shares with others, or with whatever opens its lines. */
export interface ClientContext {
  /** Clients of the same origin share what a cache holds publicly, and whether the server needs a handshake. */
  readonly origin?: string | undefined;
  readonly pause?: DeadlinePause | undefined;
  /** The server was met with a handshake before: it is met with one again, and asked what it speaks where that fails. */
  readonly handshake?: boolean | undefined;
}

export class Wiring {
  declare readonly '~insides'?: never;
  readonly connection: ClientConnection;
  readonly requests: Requests;
  readonly calls: Calls;
  readonly watches: Watches;
  readonly listeners: Set<(state: ConnectionState) => void> = new Set();
  readonly #settings: ClientSettings;
  readonly #answers: QuestionHandlers;
  readonly #cache: CacheView;
  readonly #traffic: CallContext;
  #logLevel: LoggingLevel | undefined;

  constructor(transport: Transport, options: ConnectOptions, surroundings: ClientContext) {
    const { origin, pause = new DeadlinePause(), handshake = false } = surroundings;
    const settings = clientSettings(options);
    const { clock, timeouts, warnings } = settings;
    const guard: CallContext['guard'] = (what, run) => warnings.guard(what, run);
    this.#settings = settings;
    this.#logLevel = options.logLevel === undefined ? undefined : levelOf(options.logLevel);
    this.#answers = new QuestionHandlers(settings);
    this.#cache = settings.cache.open(origin);
    this.#traffic = { clock, deadlines: new Deadlines(clock), timeouts, pause, guard };
    const common = { settings, answers: this.#answers, traffic: this.#traffic, visits: new PendingVisits() };
    const ears: InboundContext = { ...common, onChange: (news) => this.watches.publish(news) };
    this.connection = new ClientConnection(transport, settings, {
      pause,
      handshake,
      handshakes: new HandshakeMemory(this.#cache, settings),
      introduce: (revision) => this.#introduce(revision),
      inbound: (peer) => createInbound(peer, ears),
      opened: (live) => this.#opened(live),
      credentialsChanged: (live) => void this.#credentialsChanged(live),
      stateChanged: (state) => {
        for (const listener of this.listeners) warnings.guard('A state listener', () => listener(state));
      },
    });
    this.requests = new Requests({ ...common, connection: this.connection });
    this.calls = new Calls({ requests: this.requests, cache: this.#cache, settings });
    const heard = (news: Change): void => this.#heard(news);
    this.watches = new Watches({ connection: this.connection, requests: this.requests, settings, onChange: heard });
  }

  /** From now on, and on every line to come. */
  async setLogLevel(wanted: LoggingLevel | 'warn'): Promise<void> {
    const level = levelOf(wanted);
    const live = await this.connection.use();
    if (live.server.capabilities.logging === undefined)
      throw new McpError('MCP_NOT_OFFERED', { what: 'log messages', capability: 'logging' });
    this.#logLevel = level;
    if (live.revision.lifecycle.handshake) await this.requests.send('logging/setLevel', { level }, { on: live });
    else live.me = this.#introduce(live.revision);
  }

  /** Everything that is open is settled before the line is. */
  close(): Promise<void> {
    this.watches.close();
    for (const outgoing of this.#traffic.deadlines.close()) outgoing.abort(closedError());
    return this.connection.close();
  }

  #introduce(revision: Revision): Introduction {
    const { info, onLog, warnings } = this.#settings;
    // Where every request has to say so, whoever listens has said so.
    const level = this.#logLevel ?? (onLog === undefined ? undefined : 'info');
    if (level !== undefined) warnings.deprecated('logging', revision);
    return {
      info: pickKnown(revision.vocabulary, 'Implementation', info) as Introduction['info'], // a part of itself
      capabilities: this.#answers.capabilities(revision),
      logLevel: level,
    };
  }

  #opened(live: LiveConnection): void {
    this.calls.outputs.forget();
    const level = this.#logLevel;
    const { lifecycle, methods } = live.revision;
    if (level === undefined || !lifecycle.handshake || live.server.capabilities.logging === undefined) return;
    if (!methods.requests.has('logging/setLevel')) return;
    this.requests.send('logging/setLevel', { level }, { on: live }).catch((error: unknown) => {
      if (this.connection.live === live) this.#settings.warnings.warn(`The log level was not set: ${String(error)}`);
    });
  }

  /** Everything that was said to the former credentials is asked for again: who the server is, what it offers, its news. */
  async #credentialsChanged(live: LiveConnection): Promise<void> {
    this.calls.outputs.forget();
    if (!live.revision.lifecycle.handshake) {
      this.connection.updateServer(live, { ...live.server, instructions: undefined });
      try {
        const [result] = await this.requests.send(DISCOVER, undefined, { on: live });
        this.connection.updateServer(live, serverFacts(result));
      } catch (error) {
        if (this.connection.live === live)
          this.#settings.warnings.warn(`The server was not asked again: ${networkReason(error)}`);
      }
      this.watches.restart();
    }
    for (const kind of ['tools', 'prompts', 'resources'] as const) this.watches.publish({ kind });
  }

  #heard(news: Change): void {
    this.#cache.forget(staleBy(news));
    if (news.kind === 'tools') this.calls.outputs.forget();
  }
}

/** `warn` is what most people say; on the wire it is `warning`. */
function levelOf(level: LoggingLevel | 'warn'): LoggingLevel {
  const name = level === 'warn' ? 'warning' : level;
  if (isLoggingLevel(name)) return name;
  throw new McpError('MCP_BAD_DEFINITION', {
    what: `The log level ${JSON.stringify(level)}`,
    why: 'there is none such',
  });
}
