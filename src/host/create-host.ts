/** Creates a host from its parts: gate, servers, lock, catalogue, and the handlers for requests of servers. */
import { homedir } from 'node:os';
import process from 'node:process';
import type { ConnectOptions } from '../client/index.ts';
import { APP_MIME_TYPE, UI_EXTENSION } from '../extensions/apps/apps-names.ts';
import { defined } from '../jsonrpc/message.ts';
import { systemClock } from '../peer/clock.ts';
import { layerTransport } from '../peer/layer-transport.ts';
import { Warnings } from '../peer/warnings.ts';
import type { AuditRecord } from './audit/audit.ts';
import { HostCatalogue } from './catalogue/catalogue.ts';
import { SharedViews } from './catalogue/session-catalogue.ts';
import { visibility } from './catalogue/visibility.ts';
import { checkHostOptions, checkSessionOptions } from './check-host-options.ts';
import type { RememberedApprovals } from './consent/approvals.ts';
import { GateKeeper } from './gate/gate-keeper.ts';
import type { Host, HostOptions } from './host.ts';
import { HostSession } from './host-session.ts';
import type { HostSessionContext } from './host-session-context.ts';
import { leaseTransport } from './lease/lease-layer.ts';
import { Lock } from './lock/lock.ts';
import { lockRule } from './lock/lock-rule.ts';
import { appRule } from './policy/app-rule.ts';
import { skillRule } from './policy/skill-rule.ts';
import { visitRule } from './policy/visit-rule.ts';
import { warnOfUnknownServers } from './policy/warn-of-unknown-servers.ts';
import { ServerRequests } from './questions/server-requests.ts';
import type { ShownRoots } from './questions/server-roots.ts';
import { type FingerprintKey, processKey } from './servers/fingerprint.ts';
import { ServerCollection } from './servers/server-collection.ts';
import type { ConnectionHooks, ServerContext } from './servers/server-context.ts';
import type { Session, SessionOptions } from './session.ts';
import type { HostSkills } from './skills/host-skills.ts';
import type { StartedTask } from './tasks/host-task.ts';
import { type HostTicket, memoryTickets, type TicketStore } from './tasks/tickets.ts';

/** Creates a host. Servers are opened on first use. */
export function createHost(options: HostOptions): Host {
  checkHostOptions(options);
  return new PolicyHost(options);
}

export interface WatchedHost extends Host {
  /** Requests the same permission as opening the server, and then calls `run` instead of opening it. */
  passOpening<T>(label: string, run: () => Promise<T>): Promise<T>;
}

/** Creates a host with hooks into its connections, for the workbench. */
export function createWatchedHost(options: HostOptions, hooks: ConnectionHooks): WatchedHost {
  return new PolicyHost(options, hooks);
}

const HOST_NAME = 'mooring-host';
const appsExtension = { [UI_EXTENSION]: { settings: { mimeTypes: [APP_MIME_TYPE] } } } as const;

class PolicyHost implements WatchedHost {
  readonly servers: ServerCollection;
  readonly #gate: GateKeeper;
  readonly #serverRequests: ServerRequests;
  readonly #sessionContext: HostSessionContext;
  readonly #sessions: Set<Session> = new Set();
  readonly #tickets: TicketStore;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions, hooks?: ConnectionHooks) {
    const { clock = systemClock, policy: userPolicy = [], lockfile, apps, skills, tasks } = options;
    const { warn } = new Warnings(options.onWarning);
    const lock = new Lock({
      ...(typeof lockfile === 'string' ? { path: lockfile } : lockfile),
      clock,
      onWarning: warn,
    });
    const hasSkills = skills !== undefined && skills !== false;
    const policy = [
      lockRule(userPolicy, lock),
      visitRule(userPolicy),
      ...(apps === undefined ? [] : [appRule(userPolicy)]),
      ...(hasSkills ? [skillRule(userPolicy)] : []),
      ...userPolicy,
    ];
    this.#gate = new GateKeeper({ ...options, policy });
    this.#tickets = options.tickets ?? memoryTickets();
    this.#serverRequests = new ServerRequests(options, this.#gate, clock);
    this.servers = new ServerCollection(options.servers, this.#serverContext(options, lock, hooks), warn);
    warnOfUnknownServers(userPolicy, Object.keys(options.servers), warn);
    for (const server of this.servers.values()) this.#serverRequests.addServer(server);
    const cache = typeof skills === 'object' ? skills.cache : undefined;
    this.servers.onChange(({ kind, label }) => {
      const server = this.servers.get(label);
      if (kind === 'added' && server !== undefined) this.#serverRequests.addServer(server);
      if (kind === 'removed') this.#serverRequests.removeServer(label);
      if (kind === 'removed') void cache?.remove(label).catch((error: unknown) => warn(String(error)));
    });
    const catalogue = new HostCatalogue({ servers: this.servers, lock, clock, onWarning: warn });
    let loading: Promise<HostSkills> | undefined;
    const load = async (): Promise<HostSkills> =>
      new (await import('./skills/host-skills.ts')).HostSkills({ lock, catalogue, cache, onWarning: warn });
    this.#sessionContext = {
      gate: this.#gate,
      catalogue,
      activeCalls: this.#serverRequests.activeCalls,
      visibilityOf: visibility(policy, { canAsk: options.consent !== undefined }),
      views: new SharedViews(),
      model: options.model,
      apps: apps === true ? {} : apps,
      questions: options.questions,
      hostName: options.name ?? HOST_NAME,
      onWarning: warn,
      clock,
      skills: hasSkills ? () => (loading ??= load()) : undefined,
      tickets: tasks === true ? this.#tickets : undefined,
      keepServersOpen: () => this.#keepServersOpen(),
      endSession: (session) => this.#endSession(session),
    };
  }

  get approvals(): RememberedApprovals {
    return this.#gate.approvals;
  }

  session(options: SessionOptions = {}): Session {
    checkSessionOptions(options);
    return this.#openSession(options);
  }

  #openSession(options: SessionOptions): HostSession {
    const session = new HostSession(this.#sessionContext, options);
    this.#sessions.add(session);
    return session;
  }

  accept(kind: 'tool' | 'prompt' | 'template' | 'instructions', name: string, hash: string): Promise<void> {
    return this.#sessionContext.catalogue.accept(kind, name, hash);
  }

  roots(label: string): ShownRoots {
    return this.#serverRequests.rootsOf(label);
  }

  async tasks(principal = ''): Promise<readonly HostTicket[]> {
    return (await this.#tickets.list()).filter((one) => one.principal === principal);
  }

  async resume(ticket: HostTicket): Promise<StartedTask> {
    const session = this.#openSession({ principal: ticket.principal });
    try {
      return await session.resume(ticket, () => void session.close());
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async passOpening<T>(label: string, run: () => Promise<T>): Promise<T> {
    return this.servers.find(label).passOpening(run);
  }

  explain(act: string): Promise<readonly AuditRecord[]> {
    return this.#gate.explain(act);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#serverRequests.close();
    this.#sessionContext.catalogue.close();
    const sessions = [...this.#sessions].map((session) => session.close());
    await Promise.allSettled([...sessions, this.servers.close()]);
    await this.#gate.close();
  }

  /** Prevents the idle timeout of all servers until the returned function is called. */
  #keepServersOpen(): () => void {
    const releases = [...this.servers.values()].map((server) => server.keep());
    return () => {
      for (const release of releases) release();
    };
  }

  #endSession(session: Session): void {
    this.#sessions.delete(session);
    this.#gate.endSession(session.id);
    this.#serverRequests.activeCalls.endSession(session.id);
  }

  #serverContext(options: HostOptions, handshakes: Lock, hooks: ConnectionHooks | undefined): ServerContext {
    const { name = HOST_NAME, version, timeouts, clock, random, secrets, inputs, auth, sandbox } = options;
    const { health = {}, idleMs, revisions, environment, tasks, apps } = options;
    const extensions = apps === undefined ? undefined : appsExtension;
    return {
      gate: this.#gate,
      handshakes,
      lookups: { env: process.env, userHome: homedir(), cwd: process.cwd(), ...environment, secrets, inputs },
      auth,
      sandbox,
      fingerprintKey: fingerprintKeyOf(options),
      health,
      idleMs,
      connect: {
        ...timeouts,
        ...defined<ConnectOptions>({ name, version, revisions, clock, random, extensions }),
        ...(tasks === true ? { tasks } : {}),
      },
      handlers: (server) => this.#serverRequests.handlers(server),
      guardTransport: (transport, label, masks) => {
        const wrapped = hooks?.wrapTransport(transport, label, masks) ?? transport;
        return leaseTransport(layerTransport(wrapped, options.layers ?? []), label, this.#gate.leases);
      },
      hooks,
      revoke: (label) => this.#gate.leases.endServer(label),
    };
  }
}

/** The persistent key of the approval store or inbox, so that stored approvals match after a restart; otherwise a random one. */
function fingerprintKeyOf({ approvals, consent }: HostOptions): FingerprintKey {
  const store = [approvals, consent].find((one) => typeof one === 'object' && one.key !== undefined);
  const fallback = processKey();
  return () => (typeof store === 'object' ? store.key?.() : undefined) ?? fallback();
}
