/** A host: many servers, one policy, the user's consent. What it does is in the files beside this one. */
import { homedir } from 'node:os';
import process from 'node:process';
import type { ConnectOptions, Timeouts } from '../client/index.ts';
import type { ClientAuth } from '../model/auth.ts';
import { type Clock, systemClock } from '../peer/clock.ts';
import { Warnings } from '../peer/warnings.ts';
import type { Rule } from './act/rule.ts';
import type { Audit, AuditRecord } from './audit/audit.ts';
import { HostCatalogue } from './catalogue/catalogue.ts';
import { CatalogueDirectory } from './catalogue/catalogue-directory.ts';
import { CatalogueView } from './catalogue/view.ts';
import { visibility } from './catalogue/visibility.ts';
import { checkLabel } from './config/labels.ts';
import { GateKeeper, type GateOptions } from './gate/gate-keeper.ts';
import { Lock } from './lock/lock.ts';
import { reapproval } from './lock/reapproval.ts';
import type { Model } from './models/model.ts';
import { guardTransport } from './permits/permits-transport.ts';
import { type ServerRequestOptions, ServerRequests } from './questions/server-requests.ts';
import { type FingerprintKey, processKey } from './servers/fingerprint.ts';
import type { HealthOptions } from './servers/health-check.ts';
import type { ManagedServer } from './servers/managed-server.ts';
import type { Sandbox } from './servers/sandbox.ts';
import type { ServerContext } from './servers/server-context.ts';
import type { ServerSource } from './servers/source.ts';
import { SupervisedServer } from './servers/supervised-server.ts';
import type { InputSource, SecretSource } from './servers/text-resolver.ts';
import { Session, type SessionOptions } from './session.ts';

/** The servers, the policy, and who is asked. */
export interface HostOptions extends Pick<GateOptions, 'consent' | 'approvals'>, ServerRequestOptions {
  /** By label. The label identifies a server to rules and users; what a server calls itself identifies nobody. */
  readonly servers: Readonly<Record<string, ServerSource>>;
  /** The first rule that applies decides. Where none does, somebody is asked. */
  readonly policy?: readonly Rule[];
  readonly audit?: Audit;
  /**
   * Where definitions are pinned, `mcp.lock` as a rule: what changes for the worse is asked about. Frozen, nothing is written, and
   * what is not pinned is denied. Without a file, definitions are pinned as long as the host lives.
   */
  readonly lockfile?: string | { readonly path: string; readonly frozen?: boolean };
  /** Finds the secrets that definitions of servers name. */
  readonly secrets?: SecretSource;
  /** Asks the user for what configurations leave open. */
  readonly inputs?: InputSource;
  /** Credentials for addresses that bring none of their own, such as those from a file. */
  readonly auth?: ClientAuth;
  /** What commands run in, such as `bubblewrap()`. Without it, they run with all the rights that this program has. */
  readonly sandbox?: Sandbox;
  /** How servers are asked whether they are still there; `false` if they are not. */
  readonly health?: HealthOptions | false;
  /**
   * Servers that nobody has used for so long are closed, and opened again, with leave, when they are next needed; never while
   * something is open or a model is at work. Without it, they stay open.
   */
  readonly idleMs?: number;
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

/** Makes a host. Nothing is started before it is needed. */
export function createHost(options: HostOptions): Host {
  return new Host(options);
}

/** Many servers, one policy. What `createHost` makes. */
export class Host implements AsyncDisposable {
  /** By label. None is opened before it is needed. */
  readonly servers: ReadonlyMap<string, ManagedServer>;
  readonly #gate: GateKeeper;
  readonly #serverRequests: ServerRequests;
  readonly #catalogue: HostCatalogue;
  readonly #directory: CatalogueDirectory;
  readonly #visible: ReturnType<typeof visibility>;
  readonly #clock: Clock;
  readonly #model: Model | undefined;
  readonly #sessions: Set<Session> = new Set();
  #closing: Promise<void> | undefined;

  /** Use `createHost`. */
  constructor(options: HostOptions) {
    const { consent, approvals, audit, clock, onWarning } = options;
    const { warn } = new Warnings(onWarning);
    const lock = lockOf(options, warn);
    const policy = [reapproval(options.policy ?? [], lock), ...(options.policy ?? [])];
    this.#gate = new GateKeeper({ policy, consent, approvals, audit, clock, onWarning });
    this.#visible = visibility(policy, { canAsk: consent !== undefined });
    this.#clock = clock ?? systemClock;
    this.#model = options.model;
    this.#serverRequests = new ServerRequests(options, this.#gate, clock);
    const surroundings = this.#surroundings(options, lock);
    this.servers = new Map(
      Object.entries(options.servers).map(([label, source]) => {
        checkLabel(label);
        return [label, new SupervisedServer(label, source, surroundings)];
      }),
    );
    for (const server of this.servers.values()) this.#serverRequests.addServer(server);
    this.#catalogue = new HostCatalogue({ servers: this.servers, lock, clock: this.#clock });
    this.#directory = new CatalogueDirectory({ catalogue: this.#catalogue, servers: this.servers, onWarning: warn });
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
        directory: this.#directory,
        activeCalls: this.#serverRequests.activeCalls,
        view: ({ id, principal }) => this.#view(id, principal),
        model: this.#model,
        clock: this.#clock,
        keep: () => this.#keep(),
        ended: (one) => this.#ended(one),
      },
      options,
    );
    this.#sessions.add(session);
    return session;
  }

  /**
   * Pins a definition that somebody was shown, by its name in the catalogue and its hash; throws if it is another by now. The
   * instructions of a server have its label for a name.
   */
  accept(kind: 'tool' | 'prompt' | 'template' | 'instructions', name: string, hash: string): Promise<void> {
    return this.#directory.accept(kind, name, hash);
  }

  /** The folders that a server is shown, and showing it others. */
  roots(label: string): ReturnType<ServerRequests['rootsOf']> {
    return this.#serverRequests.rootsOf(label);
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
    this.#serverRequests.close();
    this.#catalogue.close();
    const sessions = [...this.#sessions].map((session) => session.close());
    const servers = [...this.servers.values()].map((server) => server.stop());
    await Promise.allSettled([...sessions, ...servers]);
    await this.#gate.close();
  }

  /** No server is closed for want of use until the returned function is called. */
  #keep(): () => void {
    const kept = [...this.servers.values()].map((server) => server.keep());
    return () => {
      for (const release of kept) release();
    };
  }

  #ended(session: Session): void {
    this.#sessions.delete(session);
    this.#gate.end(session.id);
    this.#serverRequests.activeCalls.endSession(session.id);
  }

  #view(session: string, principal: string): CatalogueView {
    const labels = [...this.servers.keys()];
    return new CatalogueView({ catalogue: this.#catalogue, labels, visible: this.#visible, principal, session });
  }

  #surroundings(options: HostOptions, eras: Lock): ServerContext {
    const { name = 'mooring-host', version, timeouts, clock, random, secrets, inputs, auth, sandbox } = options;
    const { health = {}, idleMs } = options;
    const connect: ConnectOptions = {
      name,
      ...(version === undefined ? {} : { version }),
      ...timeouts,
      ...(clock === undefined ? {} : { clock }),
      ...(random === undefined ? {} : { random }),
    };
    return {
      gate: this.#gate,
      handshakes: eras,
      lookups: { env: process.env, userHome: homedir(), cwd: process.cwd(), secrets, inputs },
      auth,
      sandbox,
      fingerprintKey: fingerprintKeyOf(options),
      health,
      idleMs,
      connect,
      handlers: (server) => this.#serverRequests.handlers(server),
      guardTransport: (transport, label) => guardTransport(transport, label, this.#gate.permits),
      revoke: (label) => this.#gate.permits.end(label),
    };
  }
}

/** One that outlives the process, where approvals or questions do. */
function fingerprintKeyOf({ approvals, consent }: HostOptions): FingerprintKey {
  const keeper = [approvals, consent].find((one) => typeof one === 'object' && one.key !== undefined);
  const other = processKey();
  return () => (typeof keeper === 'object' ? keeper.key?.() : undefined) ?? other();
}

function lockOf({ lockfile, clock = systemClock }: HostOptions, onWarning: (warning: string) => void): Lock {
  return new Lock({ ...(typeof lockfile === 'string' ? { path: lockfile } : lockfile), clock, onWarning });
}
