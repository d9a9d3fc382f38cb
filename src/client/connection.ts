/** Manages the client's connection: opens it, reopens it on the next request after a loss, and closes it. */
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
import { HANDSHAKE_TTL_MS, type HandshakeMemory } from './handshake-memory.ts';
import type { LiveConnection, Peer } from './live-connection.ts';
import type { ClientSettings } from './options.ts';
import { cancelledError } from './outgoing-call.ts';

/** The state of a client's connection. After `lost`, the next request reconnects. */
export type ConnectionState = 'connecting' | 'ready' | 'lost' | 'closed';

/** The client that owns the connection: provides its introduction, and is called on events. */
export interface ConnectionOwner {
  readonly handshakes: HandshakeMemory;
  /** The client info and capabilities to declare in a revision. */
  introduce(revision: Revision): Introduction;
  /** Makes the handler of the server's messages on a connection. */
  inbound(peer: Peer): Exchange;
  /** Called when a revision is negotiated, before any other request is sent. */
  onOpened(live: LiveConnection): void;
  onStateChanged(state: ConnectionState): void;
  /** Called when requests use other credentials, so that everything the server reported before is stale. */
  onCredentialsChanged(live: LiveConnection): void;
}

interface OpenedConnection extends OpenConnection {
  readonly peer: Peer;
  readonly inbound: Exchange;
}

export class ClientConnection {
  readonly #transport: Transport;
  readonly #settings: ClientSettings;
  readonly #owner: ConnectionOwner;
  readonly #abort: AbortController = new AbortController();
  #state: ConnectionState = 'connecting';
  #live: LiveConnection | undefined;
  /** The connection that was opened last. `close` waits for it, also before it is ready. */
  #opened: Connection | undefined;
  /** The connection that was lost last. `close` waits for it too, because its process can still be exiting. */
  #lost: Connection | undefined;
  #opening: Promise<LiveConnection> | undefined;
  /** The negotiated revision, which the next connection reuses without probing. */
  #remembered: NegotiatedRevision | undefined;
  /** When the revision was negotiated by probing. */
  #probedAt = 0;
  /** When another client found that the server needs a handshake. Used for the first connection only. */
  #handshakeSince: number | undefined;
  #known: NegotiatedRevision | undefined;
  #closing: Promise<void> | undefined;
  /** Consecutive connections on which the server responded to no request. */
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

  /** The current connection; undefined while there is none. */
  get live(): LiveConnection | undefined {
    return this.#live;
  }

  /** The server and revision of the latest negotiation, kept after the connection is lost. */
  get known(): NegotiatedRevision | undefined {
    return this.#known;
  }

  nextId(): Id {
    return ++this.#lastId;
  }

  /** Opens the first connection. Does not retry, so that an unreachable server is reported at once. */
  async connect(signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#open(signal);
    } catch (error) {
      await this.close();
      throw signal?.aborted === true ? cancelledError('connect', signal) : error;
    }
  }

  /** Returns the connection; reconnects if it was lost. */
  use(): Promise<LiveConnection> {
    if (this.#live !== undefined) return Promise.resolve(this.#live);
    if (this.#closing !== undefined) return Promise.reject(closedError());
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** The credentials that requests are sent with; undefined if the transport has none. */
  get credentials(): CredentialsInUse | undefined {
    return this.#credentials.inUse;
  }

  /** Called for each response: resets the count of failed attempts, and detects changed credentials. */
  noteResponse(live: LiveConnection): void {
    this.#attempts = 0;
    if (this.#credentials.isChangedBy(live.connection.credentials?.last)) this.#owner.onCredentialsChanged(live);
  }

  /** Stores a new description of the server. */
  updateServer(live: LiveConnection, server: ServerFacts): void {
    live.server = server;
    if (this.#live === live) this.#remember({ revision: live.revision, server });
  }

  /** The server no longer speaks the revision of this connection, so the next one negotiates again. Its open requests can still end. */
  abandon(live: LiveConnection): void {
    this.#remembered = undefined;
    live.isAbandoned = true;
    this.#markLost(live);
    if (live.openRequests === 0) live.connection.close().catch(() => undefined);
  }

  get closing(): AbortSignal {
    return this.#abort.signal;
  }

  /** Closes for good. Waits for the server at most `closeTimeoutMs`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { clock, timeouts } = this.#settings;
    const connections = [this.#opened, this.#lost];
    this.#live = undefined;
    this.#setState('closed');
    this.#abort.abort(closedError());
    const closing = Promise.allSettled(connections.map(async (one) => one?.close()));
    await withTimeout(timeouts.closeTimeoutMs, clock, closing);
  }

  async #reopen(): Promise<LiveConnection> {
    const { clock, random } = this.#settings;
    if (this.#attempts >= MAX_ATTEMPTS) {
      this.#attempts = 0;
      throw new McpError('MCP_CLOSED', { why: `the server ended ${MAX_ATTEMPTS} times before its first response` });
    }
    for (;;) {
      if (this.#attempts > 0) await sleep(clock, backoffMs(this.#attempts, random()), this.closing);
      this.#attempts++;
      try {
        return await this.#open();
      } catch (error) {
        if (this.#attempts < MAX_ATTEMPTS && !this.closing.aborted && !isPermanent(error)) continue;
        this.#attempts = 0;
        throw error;
      }
    }
  }

  async #open(wanted?: AbortSignal): Promise<LiveConnection> {
    const { allowed, clock, pause, timeouts } = this.#settings;
    const { connectTimeoutMs, probeTimeoutMs } = timeouts;
    const timeout = new AbortController();
    let connection: Connection | undefined;
    // The timeout is paused while the user signs in.
    const stop = pause.after(clock, connectTimeoutMs, () => {
      const details = { method: 'connect', ms: connectTimeoutMs, setting: 'connectTimeoutMs' };
      timeout.abort(new McpError('MCP_TIMEOUT', details, { cause: connection?.silence?.() }));
    });
    this.#setState('connecting');
    const remembered = this.#usableMemory();
    const handshakeSince = this.#handshakeSince;
    this.#handshakeSince = undefined;
    const handshake = handshakeSince !== undefined;
    if (remembered === undefined) this.#probedAt = handshakeSince ?? clock.now();
    try {
      const agreement = await negotiate<OpenedConnection>({
        allowed,
        clock,
        probeMs: probeTimeoutMs,
        signal: joinSignals(this.closing, timeout.signal, wanted),
        remembered,
        handshake,
        introduce: (revision) => this.#owner.introduce(revision),
        connect: async () => {
          const opened = await this.#connect();
          connection = opened.connection;
          return opened;
        },
        nextId: () => this.nextId(),
      });
      if (this.closing.aborted) {
        // The client was closed in the same turn, so `close` does not know this connection.
        agreement.connection.close().catch(() => undefined);
        throw closedError();
      }
      if (!agreement.revision.hasSessions) this.#owner.handshakes.forget();
      // Only a probe renews the memory: a handshake that was assumed does not extend its lifetime.
      else if (remembered === undefined && !handshake) this.#owner.handshakes.remember();
      return this.#adopt(agreement, agreement.server === remembered?.server);
    } catch (error) {
      if (handshake) this.#owner.handshakes.forget();
      this.#setState('lost');
      throw error;
    } finally {
      stop();
    }
  }

  async #connect(): Promise<OpenedConnection> {
    // The revision is unknown yet. If one with server requests is allowed, the client must respond to an early ping.
    const canBeAsked = this.#settings.allowed.some((revision) => revision.hasServerRequests);
    const session: PeerSession = canBeAsked ? {} : { mustNotRespond: true };
    const peer: Peer = { session };
    const inbound = this.#owner.inbound(peer);
    const connection = await this.#transport(inbound, session);
    this.#opened = connection;
    return { connection, session, peer, inbound };
  }

  #adopt(
    { connection, peer, inbound, revision, server }: Agreement<OpenedConnection>,
    isRemembered: boolean,
  ): LiveConnection {
    const me = this.#owner.introduce(revision);
    const live: LiveConnection = { connection, inbound, revision, server, me, openRequests: 0, isAbandoned: false };
    peer.live = live;
    if (!revision.hasServerRequests) peer.session.mustNotRespond = true;
    this.#live = live;
    this.#credentials.adopt(connection.credentials, isRemembered);
    this.#remember({ revision, server });
    this.#owner.onOpened(live);
    this.#setState('ready');
    void connection.closed.then(() => this.#markLost(live));
    return live;
  }

  #remember(negotiated: NegotiatedRevision): void {
    this.#remembered = negotiated;
    this.#known = negotiated;
  }

  /** The remembered revision. One with a handshake expires after an hour, because the server may have been upgraded since the probe. */
  #usableMemory(): NegotiatedRevision | undefined {
    const stale = this.#settings.clock.now() - this.#probedAt > HANDSHAKE_TTL_MS;
    return stale && this.#remembered?.revision.hasSessions === true ? undefined : this.#remembered;
  }

  #markLost(live: LiveConnection): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#lost = live.connection;
    // The server responded to nothing on this connection, so the remembered revision may be wrong.
    if (this.#attempts > 0) this.#remembered = undefined;
    this.#setState('lost');
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state || this.#state === 'closed') return;
    this.#state = state;
    this.#owner.onStateChanged(state);
  }
}

/** Whether a retry would fail in the same way. */
const isPermanent = (error: unknown): boolean =>
  error instanceof McpError &&
  (permanentKinds.has(error.kind) || error.code === 'MCP_SPAWN_FAILED' || error.code === 'MCP_NO_COMMON_REVISION');

const permanentKinds: ReadonlySet<string> = new Set(['auth', 'http', 'usage']);

export const closedError = (): McpError => new McpError('MCP_CLOSED', { why: 'the client was closed' });
