/** A server of a host as it lives: opened when it is first needed, watched, started again, given up, stopped. */
import { type Client, openClient } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { Masks } from '../../model/secrets.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { DeadlinePause } from '../../peer/deadline-pause.ts';
import { untilAborted, withTimeout } from '../../revisions/opening.ts';
import type { Act } from '../act/act.ts';
import { ConnectionMonitor } from './connection-monitor.ts';
import { HandshakeHint } from './handshake-hint.ts';
import { Maintenance } from './maintenance.ts';
import type { ManagedServer, ServerState } from './managed-server.ts';
import { OpenApproval } from './open-approval.ts';
import { checkSource, planServer } from './plan-server.ts';
import { Restarts } from './restarts.ts';
import type { ServerContext } from './server-context.ts';
import { ServerLog } from './server-log.ts';
import type { ServerPlan } from './server-plan.ts';
import type { ClassifiedSource, ServerSource } from './source.ts';
import { States } from './states.ts';

/** A child is asked to go, told to go, and made to go within this. */
const STOP_MS = 5_000;

export class SupervisedServer implements ManagedServer {
  readonly label: string;
  readonly #target: ClassifiedSource;
  readonly #surroundings: ServerContext;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #masks: Masks = new Masks();
  readonly #log: ServerLog = new ServerLog(this.#masks);
  readonly #watch: ConnectionMonitor;
  readonly #upkeep: Maintenance;
  readonly #era: HandshakeHint;
  readonly #restarts: Restarts = new Restarts();
  readonly #asked: DeadlinePause = new DeadlinePause();
  readonly #over: AbortController = new AbortController();
  readonly #states: States = new States((error) => this.#log.write('host', `a state listener threw ${String(error)}`));
  #failure: Error | undefined;
  #address = '';
  /** Of the command or URL that it was opened with. */
  #fingerprint: string | undefined;
  #opening: Promise<Client> | undefined;
  #current: Client | undefined;
  /** No line is opened before this. */
  #due = 0;
  #restart: (() => void) | undefined;
  /** One that was closed for a rest may not be gone yet. */
  #leaving: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(label: string, source: ServerSource, surroundings: ServerContext) {
    const { clock = systemClock, random = Math.random } = surroundings.connect;
    this.label = label;
    this.#target = checkSource(label, source);
    this.#surroundings = surroundings;
    this.#clock = clock;
    this.#random = random;
    this.#watch = new ConnectionMonitor(clock);
    this.#era = new HandshakeHint(label, surroundings.handshakes);
    this.#upkeep = new Maintenance(surroundings, {
      ...{ clock, watch: this.#watch, log: this.#log },
      ping: async (timeoutMs) => this.#current?.ping({ timeoutMs, signal: this.#over.signal }),
      retire: () => this.#retire(),
    });
  }

  get state(): ServerState {
    return this.#states.current;
  }

  get asking(): boolean {
    return this.#asked.isPaused && this.#surroundings.gate.attended;
  }

  get address(): string {
    return this.#address;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  get log(): readonly string[] {
    return this.#log.lines;
  }

  onLog(listener: (line: string) => void): () => void {
    return this.#log.onLine(listener);
  }

  facts(): Pick<Act, 'server' | 'fingerprint'> {
    const fingerprint = this.#fingerprint;
    return { server: this.label, ...(fingerprint === undefined ? {} : { fingerprint }) };
  }

  onState(listener: (state: ServerState) => void): () => void {
    return this.#states.listen(listener);
  }

  keep(): () => void {
    return this.#watch.activity.hold();
  }

  /** Whoever stops waiting stops nobody else: the server is opened all the same. */
  client(signal?: AbortSignal): Promise<Client> {
    if (this.#over.signal.aborted) return Promise.reject(this.#stopped());
    if (this.#opening === undefined) {
      this.#opening = this.#open();
      this.#opening.catch(() => undefined);
    }
    return signal === undefined ? this.#opening : untilAborted(this.#opening, signal);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const reason = this.#stopped();
    this.#states.become('stopped');
    this.#upkeep.stop();
    this.#restart?.();
    this.#over.abort(reason);
    const closing = this.#current?.close();
    this.#watch.dropAll(reason);
    this.#surroundings.revoke(this.label);
    await withTimeout(
      STOP_MS,
      this.#clock,
      Promise.allSettled([closing, this.#leaving, this.#opening]).then(() => this.#watch.closed()),
    );
  }

  async #open(): Promise<Client> {
    const { signal } = this.#over;
    this.#states.become('connecting');
    try {
      const opening = await planServer(this.#target, this.#openingOptions());
      this.#address = opening.act.name;
      this.#fingerprint = opening.act.definition;
      await this.#leaving;
      const doorway = new OpenApproval({
        gate: this.#surroundings.gate,
        plan: opening,
        signal,
        due: () => this.#pause(),
      });
      await this.#asked.during(untilAborted(doorway.request(), signal));
      const client = await this.#connect(opening, doorway);
      this.#adopt(client, doorway);
      await this.#era.connected(client);
      return client;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  async #connect(opening: ServerPlan, doorway: OpenApproval): Promise<Client> {
    const { guardTransport: guarded, handlers, connect } = this.#surroundings;
    try {
      const { transport, extensions, origin, pause = new DeadlinePause() } = await opening.resolve();
      const watched = this.#watch.wrap(guarded(transport, this.label));
      const client = await openClient(
        doorway.wrap(watched, pause),
        {
          ...connect,
          ...handlers(this),
          ...(extensions === undefined ? {} : { extensions }),
          onLog: ({ level, logger, data }) => this.#log.write(logger ?? level, textOf(data)),
          onWarning: (warning) => this.#log.write('host', warning),
          signal: this.#over.signal,
        },
        { origin, pause, handshake: await this.#era.expectsHandshake(this.#address) },
      );
      doorway.settle();
      return client;
    } catch (error) {
      doorway.settle(asError(error));
      await this.#era.failed(error);
      throw error;
    }
  }

  #openingOptions(): Parameters<typeof planServer>[1] {
    const { lookups, auth, sandbox, connect, fingerprintKey } = this.#surroundings;
    const onWarning = (warning: string): void => this.#log.write('host', warning);
    return {
      ...{ label: this.label, lookups, auth, sandbox, fingerprintKey, masks: this.#masks, log: this.#log },
      connect: { ...connect, onWarning },
    };
  }

  #adopt(client: Client, doorway: OpenApproval): void {
    this.#current = client;
    client.onState((state) => {
      if (this.#current !== client || (state !== 'ready' && state !== 'lost')) return;
      doorway.settle(state === 'ready' ? undefined : this.#lostReason());
      if (state === 'ready') this.#ready();
      else this.#lost(client);
    });
    if (client.state === 'ready') this.#ready();
    else this.#lost(client);
  }

  #ready(): void {
    this.#failure = undefined;
    this.#states.become('ready');
    this.#upkeep.start();
  }

  /** Nobody has used it for long: it is opened again, with leave, when somebody does. */
  #retire(): void {
    const client = this.#current;
    if (client === undefined || this.state !== 'ready') return;
    this.#opening = undefined;
    this.#current = undefined;
    this.#upkeep.stop();
    this.#leaving = client.close();
    this.#surroundings.revoke(this.label);
    this.#states.become('idle');
  }

  /** A line broke. While one is being opened again, that is no news. */
  #lost(client: Client): void {
    if (this.state !== 'ready' && this.#restart !== undefined) return;
    this.#upkeep.stop();
    this.#log.write('host', `lost: ${this.#lostReason().message}`);
    const pause = this.#restarts.next(this.#clock.now(), this.#random());
    if (pause === undefined) {
      this.#giveUp(client, this.#lostReason());
      return;
    }
    this.#due = this.#clock.now() + pause;
    this.#states.become('connecting');
    const again = (): void => {
      client.ping().catch((error: unknown) => {
        // Whoever is there and does not know the question is well.
        if (client.state !== 'ready') this.#giveUp(client, error);
      });
    };
    this.#restart?.();
    // Nobody waits for it: who does, opens the line by asking for something.
    this.#restart = this.#clock.after(pause, again, { idle: true });
  }

  #giveUp(client: Client, error: unknown): void {
    if (this.#current !== client || this.#over.signal.aborted) return;
    this.#fail(error);
    void client.close();
  }

  #fail(error: unknown): void {
    this.#opening = undefined;
    this.#current = undefined;
    this.#restart?.();
    this.#restart = undefined;
    this.#upkeep.stop();
    if (this.#over.signal.aborted) return;
    this.#surroundings.revoke(this.label);
    this.#failure = asError(error);
    this.#log.write('host', `failed: ${this.#failure.message}`);
    this.#states.become('failed');
  }

  #pause(): Promise<void> {
    const ms = this.#due - this.#clock.now();
    if (ms <= 0) return Promise.resolve();
    const slept = new Promise<void>((resolve) => void this.#clock.after(ms, resolve));
    return untilAborted(slept, this.#over.signal);
  }

  #lostReason(): Error {
    return this.#watch.lossReason ?? new McpError('MCP_CLOSED', { why: 'the server ended the conversation' });
  }

  #stopped(): McpError {
    return new McpError('MCP_CLOSED', { why: `the server "${this.label}" was stopped by its host` });
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const textOf = (data: unknown): string => (typeof data === 'string' ? data : (JSON.stringify(data) ?? String(data)));
