/**
 * The lifecycle of one server: opened on first use, pinged, restarted when its connection breaks, closed when it is idle, disabled or
 * stopped.
 *
 *     idle ─► connecting ─► ready ─► restarting ─► ready        any state ─► idle, disabled or stopped
 *                  └──────────┴───► failed ◄─┘                  failed, idle ─► connecting at the next use
 */
import { setMaxListeners } from 'node:events';
import { type Client, openClient } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { defined } from '../../jsonrpc/message.ts';
import type { LogMessage } from '../../model/logging.ts';
import { Masks } from '../../model/secrets.ts';
import { textOfValue } from '../../model/text-of-value.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { DeadlinePause } from '../../peer/deadlines.ts';
import { untilAborted, withTimeout } from '../../peer/wait.ts';
import { Warnings } from '../../peer/warnings.ts';
import type { Act } from '../act/act.ts';
import type { ClassifiedSource, ServerSource } from '../config/source.ts';
import { connectedServer } from './connected-server.ts';
import { ConnectionMonitor } from './connection-monitor.ts';
import { HandshakeHint } from './handshake-hint.ts';
import { Maintenance } from './maintenance.ts';
import type { ConnectedServer, HostedServer, ServerState } from './managed-server.ts';
import { OpenApproval } from './open-approval.ts';
import { checkSource, planServer } from './plan-server.ts';
import { RestartSchedule } from './restart-schedule.ts';
import type { ServerContext } from './server-context.ts';
import { ServerLog } from './server-log.ts';
import type { ComparedServerPlan, ServerPlan } from './server-plan.ts';

/** Maximum time to close a connection. Within it, a child process is asked to exit, terminated, and finally killed. */
const STOP_MS = 5_000;

export class SupervisedServer implements HostedServer {
  readonly label: string;
  readonly source: ServerSource;
  state: ServerState = 'idle';
  address = '';
  failure: Error | undefined;
  unavailable: Error | undefined;
  readonly #target: ClassifiedSource;
  readonly #context: ServerContext;
  readonly #clock: Clock;
  readonly #masks: Masks = new Masks();
  readonly #log: ServerLog = new ServerLog(this.#masks);
  /** Shared by all connections to the server, so that each warning is reported once. */
  readonly #warnings: Warnings = new Warnings((warning) => this.#log.write('host', warning));
  readonly #warn = this.#warnings.warn;
  readonly #monitor: ConnectionMonitor;
  readonly #maintenance: Maintenance;
  readonly #restarts: RestartSchedule;
  readonly #handshake: HandshakeHint;
  /** Pauses deadlines while the user is asked for permission to open the server. */
  readonly #approvalPause: DeadlinePause = new DeadlinePause();
  readonly #listeners: Set<(state: ServerState) => void> = new Set();
  /** The fingerprint when the server was last opened. */
  #fingerprint: string | undefined;
  /** The scope of one opening. Aborted with the reason when the server is closed. */
  #life: AbortController = createLife();
  #opening: Promise<Client> | undefined;
  #approval: OpenApproval | undefined;
  #current: Client | undefined;
  /** Settles when the previous connection has closed. */
  #closing: Promise<void> = Promise.resolve();

  constructor(label: string, source: ServerSource, context: ServerContext) {
    const { clock = systemClock } = context.connect;
    this.label = label;
    this.source = source;
    this.#target = checkSource(label, source);
    this.#context = context;
    this.#clock = clock;
    this.#monitor = new ConnectionMonitor(clock);
    this.#restarts = new RestartSchedule(clock, context.connect.random);
    this.#handshake = new HandshakeHint(label, context.handshakes);
    this.#maintenance = new Maintenance(context, {
      clock,
      monitor: this.#monitor,
      ping: async (timeoutMs) => this.#current?.ping({ timeoutMs, signal: this.#life.signal }),
      onMissedPing: (failures, why) => this.#warn(`missed a ping (${failures} in a row): ${why}`),
      onUnhealthy: (failures) => this.#monitor.drop(closedError(`the server missed ${failures} pings in a row`)),
      onIdle: () => {
        this.#warn(`closed: not used for ${context.idleMs} ms`);
        void this.#close('idle', 'was closed because it was idle');
      },
    });
  }

  get asking(): boolean {
    return this.#approvalPause.isPaused && this.#context.gate.attended;
  }

  get log(): readonly string[] {
    return this.#log.lines;
  }

  onLog(listener: (line: string) => void): () => void {
    return this.#log.onLine(listener);
  }

  identity(): Pick<Act, 'server' | 'fingerprint'> {
    return defined<Pick<Act, 'server' | 'fingerprint'>>({ server: this.label, fingerprint: this.#fingerprint });
  }

  onState(listener: (state: ServerState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  keep(): () => void {
    return this.#monitor.hold();
  }

  get closeSignal(): AbortSignal {
    return this.#life.signal;
  }

  async connect(signal?: AbortSignal): Promise<ConnectedServer> {
    return connectedServer(await this.client(signal));
  }

  /** `signal` cancels only the waiting of this caller, not the opening, which others can be waiting for. */
  client(signal?: AbortSignal): Promise<Client> {
    if (this.unavailable !== undefined) return Promise.reject(this.unavailable);
    if (this.#opening === undefined) {
      this.#opening = this.#open(this.#life);
      this.#opening.catch(() => undefined);
    }
    return untilAborted(this.#opening, signal);
  }

  stop(why = 'was stopped by its host'): Promise<void> {
    return this.#close('stopped', why);
  }

  disable(): Promise<void> {
    return this.#close('disabled', 'is disabled; enable it first');
  }

  enable(): void {
    if (this.state !== 'disabled') return;
    this.unavailable = undefined;
    this.#become('idle');
  }

  /** Resolves when the server is ready again. Needs permission, as every opening does. */
  async restart(): Promise<void> {
    if (this.unavailable !== undefined) throw this.unavailable;
    void this.#close('idle', 'was restarted by its host');
    await this.client();
  }

  /** Requests the same permission as opening the server, and then calls `run` instead of opening it. */
  async passOpening<T>(run: () => Promise<T>): Promise<T> {
    const { act, warnings, current } = await this.#plan();
    const { gate } = this.#context;
    return this.#approvalPause.during(gate.pass(act, run, { signal: this.#life.signal, warnings, current }));
  }

  #plan(): Promise<ComparedServerPlan> {
    const own = { label: this.label, masks: this.#masks, log: this.#log };
    const connect = { ...this.#context.connect, onWarning: this.#warn };
    return planServer(this.#target, { ...this.#context, ...own, connect });
  }

  async #open(life: AbortController): Promise<Client> {
    const { signal } = life;
    const closing = this.#closing;
    this.#become('connecting');
    try {
      const { gate } = this.#context;
      const plan = await this.#plan();
      await closing;
      signal.throwIfAborted();
      this.address = plan.act.name;
      this.#fingerprint = plan.act.definition;
      const approval = new OpenApproval({ gate, plan, signal, due: () => this.#restarts.waitUntilDue(signal) });
      this.#approval = approval;
      await this.#approvalPause.during(untilAborted(approval.request(), signal));
      const client = await this.#connect(plan, approval, signal);
      signal.throwIfAborted();
      this.#adopt(client, approval);
      await this.#handshake.connected(client);
      return client;
    } catch (error) {
      if (this.#life === life) this.#openingFailed(asError(error));
      await this.#handshake.failed(error);
      throw error;
    }
  }

  async #connect(plan: ServerPlan, approval: OpenApproval, signal: AbortSignal): Promise<Client> {
    const { guardTransport, handlers, connect } = this.#context;
    const revisions = this.#context.hooks?.revisionsOf(this.label) ?? connect.revisions;
    const { transport, extensions, origin, pause = new DeadlinePause() } = await plan.resolve();
    // Another server can have the label by now, and handlers are kept by label.
    signal.throwIfAborted();
    const monitored = this.#monitor.wrap(guardTransport(transport, this.label, this.#masks), signal);
    const options = {
      ...connect,
      ...(revisions === undefined ? {} : { revisions }),
      ...handlers(this),
      extensions: { ...connect.extensions, ...extensions },
      onLog: ({ level, logger, data }: LogMessage) => this.#log.write(logger ?? level, textOfValue(data)),
      signal,
    };
    const handshake = await this.#handshake.expectsHandshake(plan.act.name, revisions);
    return openClient(approval.wrap(monitored, pause), options, { origin, pause, handshake, warnings: this.#warnings });
  }

  #openingFailed(failure: Error): void {
    const approval = this.#approval;
    // The act ends only after the failure has been examined.
    const examines = approval?.isGranted === true && this.#context.hooks !== undefined;
    if (examines) this.#approval = undefined;
    void this.#close('failed', failure);
    if (examines) void this.#context.hooks?.examineFailure(this.label, failure).finally(() => approval.settle(failure));
  }

  #adopt(client: Client, approval: OpenApproval): void {
    const follow = (state: Client['state']): void => {
      if (this.#current !== client || (state !== 'ready' && state !== 'lost')) return;
      approval.settle(state === 'ready' ? undefined : this.#lossReason());
      if (state === 'lost') this.#restartLost(client);
      else {
        this.#become('ready');
        this.#maintenance.start();
      }
    };
    this.#current = client;
    client.onState(follow);
    follow(client.state === 'ready' ? 'ready' : 'lost');
  }

  /** The client reconnects with its next request: the ping below, or an earlier call. */
  #restartLost(client: Client): void {
    if (this.state === 'restarting') return;
    this.#maintenance.stop();
    this.#warn(`lost: ${this.#lossReason().message}`);
    const isPlanned = this.#restarts.plan(() => {
      client.ping().catch((error: unknown) => {
        // An error response shows that the server works.
        if (this.#current === client && client.state !== 'ready') void this.#close('failed', asError(error));
      });
    });
    if (isPlanned) this.#become('restarting');
    else void this.#close('failed', this.#lossReason());
  }

  /** Closes from any state but `stopped`: open calls fail with the reason, and the connection closes within `STOP_MS`. */
  #close(state: 'idle' | 'failed' | 'disabled' | 'stopped', why: string | Error): Promise<void> {
    if (this.state === 'stopped') return this.#closing;
    const reason = typeof why === 'string' ? closedError(`the server "${this.label}" ${why}`) : why;
    // Before closing the client, so that callers get this reason instead of the client's.
    this.#life.abort(reason);
    this.#life = createLife();
    this.#maintenance.stop();
    this.#restarts.cancel();
    this.#approval?.settle(reason);
    const gone = Promise.allSettled([this.#current?.close(), this.#opening, this.#closing]);
    this.#opening = undefined;
    this.#current = undefined;
    this.#approval = undefined;
    this.#monitor.drop(reason);
    this.#context.revoke(this.label);
    const closed = gone.then(() => this.#monitor.closed());
    this.#closing = withTimeout(STOP_MS, this.#clock, closed);
    if (state === 'failed') this.#warn(`failed: ${reason.message}`);
    this.failure = state === 'failed' ? reason : undefined;
    this.unavailable = state === 'disabled' || state === 'stopped' ? reason : undefined;
    this.#become(state);
    return this.#closing;
  }

  #become(state: ServerState): void {
    if (this.state === state) return;
    this.state = state;
    if (state === 'ready') this.failure = undefined;
    for (const listener of this.#listeners) this.#warnings.guard('A state listener', () => listener(state));
  }

  #lossReason(): Error {
    return this.#monitor.lossReason ?? closedError('the server ended the conversation');
  }
}

/** Every open call listens to the signal; avoids MaxListenersExceededWarning. */
function createLife(): AbortController {
  const life = new AbortController();
  setMaxListeners(0, life.signal);
  return life;
}

const closedError = (why: string): McpError => new McpError('MCP_CLOSED', { why });

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
