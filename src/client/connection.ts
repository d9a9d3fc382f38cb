/** The connection to the server: opened, lost, opened again when it is next needed, and closed for good. */
import { McpError } from '../errors.ts';
import type { Id } from '../jsonrpc/message.ts';
import type { ServerFacts } from '../model/caller.ts';
import { backoffMs, MAX_ATTEMPTS } from '../peer/backoff.ts';
import type { Connection, CredentialsInUse, Exchange, Transport } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import { joinSignals, sleep, withTimeout } from '../peer/wait.ts';
import type { Introduction, Revision } from '../revisions/contract.ts';
import { type Agreement, type NegotiatedRevision, negotiate, type OpenConnection } from '../revisions/negotiate.ts';
import { CredentialsWatch } from './credentials-watch.ts';
import { HANDSHAKE_VERDICT_MS, type HandshakeMemory } from './handshake-memory.ts';
import type { ClientSettings } from './options.ts';
import { cancelledError } from './outgoing-call.ts';

/** Whether a client has a connection. When it is `lost`, the next request opens another. */
export type ConnectionState = 'connecting' | 'ready' | 'lost' | 'closed';

/** The other end of one connection, from its beginning. */
export interface Peer {
  readonly session: PeerSession;
  /** Undefined until the two sides agreed. */
  live?: LiveConnection;
}

/** A connection on which a revision was agreed on. */
export interface LiveConnection {
  readonly connection: Connection;
  readonly revision: Revision;
  server: ServerFacts;
  /** How the server reaches us on it. */
  readonly inbound: Exchange;
  /** What we say of ourselves on it. */
  me: Introduction;
}

/** The client that a connection belongs to. */
export interface ConnectionOwner {
  readonly handshakes: HandshakeMemory;
  /** What we say of ourselves in a revision. */
  introduce(revision: Revision): Introduction;
  /** How the server reaches us on a connection. */
  inbound(peer: Peer): Exchange;
  /** A connection is ready; called before anything else is sent on it. */
  opened(live: LiveConnection): void;
  stateChanged(state: ConnectionState): void;
  /** What the server said so far was for the former credentials. */
  credentialsChanged(live: LiveConnection): void;
}

interface OpenedConnection extends OpenConnection {
  readonly peer: Peer;
  readonly inbound: Exchange;
}

export class ClientConnection {
  readonly #transport: Transport;
  readonly #settings: ClientSettings;
  readonly #owner: ConnectionOwner;
  readonly #over: AbortController = new AbortController();
  #state: ConnectionState = 'connecting';
  #live: LiveConnection | undefined;
  /** The last one that was lost: its process can still be ending. */
  #lost: Connection | undefined;
  #opening: Promise<LiveConnection> | undefined;
  /** What the next connection starts from. */
  #verdict: NegotiatedRevision | undefined;
  #foundAt = 0;
  /** For the first connection only: from then on there is a verdict of our own. */
  #handshakeSince: number | undefined;
  #known: NegotiatedRevision | undefined;
  #closing: Promise<void> | undefined;
  /** Connections in a row on which nothing was answered. */
  #attempts = 0;
  #lastId = 0;
  readonly #credentials: CredentialsWatch = new CredentialsWatch();

  constructor(transport: Transport, settings: ClientSettings, owner: ConnectionOwner) {
    this.#transport = transport;
    this.#settings = settings;
    this.#owner = owner;
    this.#handshakeSince = owner.handshakes.since;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The connection, if there is one right now. */
  get live(): LiveConnection | undefined {
    return this.#live;
  }

  /** What was last found out about the server. */
  get known(): NegotiatedRevision | undefined {
    return this.#known;
  }

  nextId(): Id {
    return ++this.#lastId;
  }

  /** The first connection. One attempt: a server that cannot be reached is reported at once. */
  async connect(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#open(signal);
    } catch (error) {
      await this.close();
      throw signal?.aborted === true ? cancelledError('connect', signal) : error;
    }
  }

  /** The connection; another one if the last was lost. */
  use(): Promise<LiveConnection> {
    if (this.#live !== undefined) return Promise.resolve(this.#live);
    if (this.#closing !== undefined) return Promise.reject(closedError());
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Those that requests go out with, where the transport shows any. */
  get credentials(): CredentialsInUse | undefined {
    return this.#credentials.inUse;
  }

  /** Something was answered: the next loss is not held against the server. */
  noteAnswer(live: LiveConnection): void {
    this.#attempts = 0;
    if (this.#credentials.notices(live.connection.credentials?.last)) this.#owner.credentialsChanged(live);
  }

  /** The server has introduced itself again. */
  updateServer(live: LiveConnection, server: ServerFacts): void {
    live.server = server;
    if (this.#live !== live) return;
    this.#verdict = { revision: live.revision, server };
    this.#known = this.#verdict;
  }

  /** What was agreed on no longer holds on this connection. */
  abandon(live: LiveConnection): void {
    this.#verdict = undefined;
    this.#lose(live);
    live.connection.close().catch(() => undefined);
  }

  get closing(): AbortSignal {
    return this.#over.signal;
  }

  /** Ends everything, and waits for the other side only so long. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { clock, timeouts } = this.#settings;
    const connections = [this.#live?.connection, this.#lost];
    this.#live = undefined;
    this.#become('closed');
    this.#over.abort(closedError());
    const closing = Promise.allSettled(connections.map(async (one) => one?.close()));
    await withTimeout(timeouts.closeTimeoutMs, clock, closing);
  }

  async #reopen(): Promise<LiveConnection> {
    const { clock, random } = this.#settings;
    if (this.#attempts >= MAX_ATTEMPTS) {
      this.#attempts = 0;
      throw new McpError('MCP_CLOSED', { why: `the server ended ${MAX_ATTEMPTS} times before it answered anything` });
    }
    for (;;) {
      if (this.#attempts > 0) await sleep(clock, backoffMs(this.#attempts, random()), this.closing);
      this.#attempts++;
      try {
        return await this.#open();
      } catch (error) {
        if (this.#attempts < MAX_ATTEMPTS && !this.closing.aborted && mayPass(error)) continue;
        this.#attempts = 0;
        throw error;
      }
    }
  }

  async #open(wanted?: AbortSignal): Promise<LiveConnection> {
    const { allowed, clock, pause, timeouts } = this.#settings;
    const { connectTimeoutMs, probeTimeoutMs } = timeouts;
    const late = new AbortController();
    let connection: Connection | undefined;
    // The time in which a user signs in does not count.
    const stop = pause.after(clock, connectTimeoutMs, () => {
      const details = { method: 'connect', ms: connectTimeoutMs, setting: 'connectTimeoutMs' };
      late.abort(new McpError('MCP_TIMEOUT', details, { cause: connection?.silence?.() }));
    });
    this.#become('connecting');
    const verdict = this.#remembered();
    const handshakeSince = this.#handshakeSince;
    this.#handshakeSince = undefined;
    const handshake = handshakeSince !== undefined;
    if (verdict === undefined) this.#foundAt = handshakeSince ?? clock.now();
    try {
      const agreement = await negotiate<OpenedConnection>({
        allowed,
        clock,
        probeMs: probeTimeoutMs,
        signal: joinSignals(this.closing, late.signal, wanted),
        verdict,
        handshake,
        introduce: (revision) => this.#owner.introduce(revision),
        dial: async () => {
          const opened = await this.#connect();
          connection = opened.connection;
          return opened;
        },
        nextId: () => this.nextId(),
      });
      if (!agreement.revision.hasSessions) this.#owner.handshakes.forget();
      // A verdict that was only assumed does not last longer for it.
      else if (verdict === undefined && !handshake) this.#owner.handshakes.remember();
      return this.#adopt(agreement, agreement.server === verdict?.server);
    } catch (error) {
      if (handshake) this.#owner.handshakes.forget();
      this.#become('lost');
      throw error;
    } finally {
      stop();
    }
  }

  async #connect(): Promise<OpenedConnection> {
    // Not known yet where both are allowed: a server with a handshake gets an answer when it pings early.
    const canBeAsked = this.#settings.allowed.some((revision) => revision.hasServerRequests);
    const session: PeerSession = canBeAsked ? {} : { mustNotRespond: true };
    const peer: Peer = { session };
    const inbound = this.#owner.inbound(peer);
    return { connection: await this.#transport(inbound, session), session, peer, inbound };
  }

  #adopt(
    { connection, peer, inbound, revision, server }: Agreement<OpenedConnection>,
    isRemembered: boolean,
  ): LiveConnection {
    const live: LiveConnection = { connection, inbound, revision, server, me: this.#owner.introduce(revision) };
    peer.live = live;
    if (!revision.hasServerRequests) peer.session.mustNotRespond = true;
    this.#live = live;
    this.#credentials.adopt(connection.credentials, isRemembered);
    this.#verdict = { revision, server };
    this.#known = this.#verdict;
    this.#owner.opened(live);
    this.#become('ready');
    void connection.closed.then(() => this.#lose(live));
    return live;
  }

  /** A server that needed a handshake may be another one by now; only asking again shows it. */
  #remembered(): NegotiatedRevision | undefined {
    const stale = this.#settings.clock.now() - this.#foundAt > HANDSHAKE_VERDICT_MS;
    return stale && this.#verdict?.revision.hasSessions === true ? undefined : this.#verdict;
  }

  #lose(live: LiveConnection): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#lost = live.connection;
    // Nothing was ever answered: what we remember of the server may no longer be true.
    if (this.#attempts > 0) this.#verdict = undefined;
    this.#become('lost');
  }

  #become(state: ConnectionState): void {
    if (this.#state === state || this.#state === 'closed') return;
    this.#state = state;
    this.#owner.stateChanged(state);
  }
}

/** Whether trying again may help. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof McpError) ||
  !(hopeless.has(error.kind) || error.code === 'MCP_SPAWN_FAILED' || error.code === 'MCP_NO_COMMON_REVISION');

/** What the other side has rejected it will reject again. */
const hopeless: ReadonlySet<string> = new Set(['auth', 'http', 'usage']);

export const closedError = (): McpError => new McpError('MCP_CLOSED', { why: 'the client was closed' });
