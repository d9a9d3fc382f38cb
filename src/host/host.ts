/** A host: many servers, one policy, the user's consent. What it does is in the files beside this one. */
import { homedir } from 'node:os';
import process from 'node:process';
import type { ConnectOptions, Timeouts } from '../client/index.ts';
import type { ClientAuth } from '../model/auth.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { ListedTools } from './agent/listed-tools.ts';
import type { Audit, AuditRecord } from './audit.ts';
import { checkLabel } from './config/labels.ts';
import { LabelDirectory } from './directory.ts';
import { GateKeeper, type GateOptions } from './gate-keeper.ts';
import type { ManagedServer } from './managed-server.ts';
import type { Model } from './model.ts';
import { guarded } from './permits-dialer.ts';
import { type DeskOptions, QuestionDesk } from './questions/desk.ts';
import type { Rule } from './rule.ts';
import type { HealthOptions } from './servers/health.ts';
import type { ServerSource } from './servers/source.ts';
import { SupervisedServer, type Surroundings } from './servers/supervised-server.ts';
import type { InputSource, SecretSource } from './servers/texts.ts';
import { Session, type SessionOptions } from './session.ts';

export interface HostOptions extends Pick<GateOptions, 'consent' | 'approvals'>, DeskOptions {
  /** By label. The label identifies a server to rules and users; what a server calls itself identifies nobody. */
  readonly servers: Readonly<Record<string, ServerSource>>;
  /** The first rule that applies decides. Where none does, somebody is asked. */
  readonly policy?: readonly Rule[];
  readonly audit?: Audit;
  /** Finds the secrets that definitions of servers name. */
  readonly secrets?: SecretSource;
  /** Asks the user for what configurations leave open. */
  readonly inputs?: InputSource;
  /** Credentials for addresses that bring none of their own, such as those from a file. */
  readonly auth?: ClientAuth;
  /** How servers are asked whether they are still there; `false` if they are not. */
  readonly health?: HealthOptions | false;
  readonly timeouts?: Partial<Timeouts>;
  /** How the host introduces itself. */
  readonly name?: string;
  readonly version?: string;
  /** Gets what is odd but no failure; without it, the runtime's own warnings do. */
  readonly onWarning?: (warning: string) => void;
  readonly clock?: Clock;
  /** Between 0 and 1, for the time between two attempts to start a server. */
  readonly random?: () => number;
}

export function createHost(options: HostOptions): Host {
  return new Host(options);
}

export class Host implements AsyncDisposable {
  /** By label. None is opened before it is needed. */
  readonly servers: ReadonlyMap<string, ManagedServer>;
  readonly #gate: GateKeeper;
  readonly #desk: QuestionDesk;
  readonly #clock: Clock;
  readonly #model: Model | undefined;
  readonly #sessions: Set<Session> = new Set();
  #closing: Promise<void> | undefined;

  /** Use `createHost`. */
  constructor(options: HostOptions) {
    const { policy = [], consent, approvals, audit, clock, onWarning } = options;
    this.#gate = new GateKeeper({ policy, consent, approvals, audit, clock, onWarning });
    this.#clock = clock ?? systemClock;
    this.#model = options.model;
    this.#desk = new QuestionDesk(options, this.#gate, clock);
    const surroundings = this.#surroundings(options);
    this.servers = new Map(
      Object.entries(options.servers).map(([label, source]) => {
        checkLabel(label);
        return [label, new SupervisedServer(label, source, surroundings)];
      }),
    );
    for (const server of this.servers.values()) this.#desk.know(server);
  }

  /** What is remembered of what the user agreed to, and taking it back. */
  get approvals(): GateKeeper['approvals'] {
    return this.#gate.approvals;
  }

  /** A conversation with one user. */
  session(options: SessionOptions = {}): Session {
    const session = new Session(
      {
        gate: this.#gate,
        directory: new LabelDirectory(this.servers),
        engagements: this.#desk.engagements,
        toolbox: new ListedTools(this.servers, this.#clock),
        model: this.#model,
        clock: this.#clock,
        ended: (one) => this.#ended(one),
      },
      options,
    );
    this.#sessions.add(session);
    return session;
  }

  /** The folders that a server is shown, and showing it others. */
  roots(label: string): ReturnType<QuestionDesk['rootsOf']> {
    return this.#desk.rootsOf(label);
  }

  /** Which rule decided an act, on which facts, who agreed, and what came of it. */
  explain(act: string): Promise<readonly AuditRecord[]> {
    return this.#gate.explain(act);
  }

  /** Ends every session and every server, all at once. Takes no longer than the slowest server may: 5 s. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#desk.close();
    const sessions = [...this.#sessions].map((session) => session.close());
    const servers = [...this.servers.values()].map((server) => server.stop());
    await Promise.allSettled([...sessions, ...servers]);
    await this.#gate.close();
  }

  #ended(session: Session): void {
    this.#sessions.delete(session);
    this.#gate.end(session.id);
    this.#desk.engagements.end(session.id);
  }

  #surroundings(options: HostOptions): Surroundings {
    const { name = 'mooring-host', version, timeouts, clock, random, secrets, inputs, auth, health = {} } = options;
    const connect: ConnectOptions = {
      name,
      ...(version === undefined ? {} : { version }),
      ...(timeouts === undefined ? {} : { timeouts }),
      ...(clock === undefined ? {} : { clock }),
      ...(random === undefined ? {} : { random }),
    };
    return {
      gate: this.#gate,
      lookups: { env: process.env, userHome: homedir(), cwd: process.cwd(), secrets, inputs },
      auth,
      health,
      connect,
      handlers: (server) => this.#desk.handlers(server),
      guarded: (dialer, label) => guarded(dialer, label, this.#gate.permits),
      ended: (label) => this.#gate.permits.end(label),
    };
  }
}
