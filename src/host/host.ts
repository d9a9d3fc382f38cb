/** A host as its user sees it: many servers, one policy, the user's consent. */
import type { Timeouts } from '../client/index.ts';
import type { SkillCache } from '../extensions/skills/skill-cache.ts';
import type { ClientAuth } from '../model/auth.ts';
import type { Clock } from '../peer/clock.ts';
import type { Layer } from '../peer/exchange.ts';
import type { Rule } from './act/rule.ts';
import type { AppsOptions } from './apps/app-types.ts';
import type { Audit, AuditRecord } from './audit/audit.ts';
import type { ServerSource } from './config/source.ts';
import type { ApprovalStore, RememberedApprovals } from './consent/approvals.ts';
import type { Consent, ConsentFunction } from './consent/consent.ts';
import type { ServerRequestOptions } from './questions/server-requests.ts';
import type { ShownRoots } from './questions/server-roots.ts';
import type { HostServers } from './servers/host-servers.ts';
import type { HealthOptions } from './servers/maintenance.ts';
import type { Sandbox } from './servers/sandbox.ts';
import type { InputSource, SecretSource } from './servers/text-resolver.ts';
import type { Session, SessionOptions } from './session.ts';
import type { StartedTask } from './tasks/host-task.ts';
import type { HostTicket, TicketStore } from './tasks/tickets.ts';

/** The servers, the policy, and who is asked. */
export interface HostOptions extends ServerRequestOptions {
  /** Asks the user. Without it, what would be asked is denied. */
  readonly consent?: Consent | ConsentFunction | undefined;
  /** Keeps approvals that end at a time. In memory. */
  readonly approvals?: ApprovalStore | undefined;
  /** By label. The label identifies a server to rules and users; what a server calls itself does not. */
  readonly servers: Readonly<Record<string, ServerSource>>;
  /** The first rule that matches decides. Where none does, the user is asked. */
  readonly policy?: readonly Rule[];
  readonly audit?: Audit;
  /** Servers may make tasks of calls, which work on by themselves. Off. */
  readonly tasks?: boolean;
  /** Keeps the tickets of tasks, such as `fileTickets(folder)`. In memory. */
  readonly tickets?: TicketStore;
  /**
   * Where definitions are pinned, `mcp.lock` as a rule: what changes for the worse is asked about. Frozen, nothing is written, and
   * what is not pinned is denied. Without a file, definitions are pinned as long as the host lives.
   */
  readonly lockfile?: string | { readonly path: string; readonly frozen?: boolean };
  /** Shows views of servers, and tells servers so. See `session.openView`. */
  readonly apps?: true | AppsOptions;
  /**
   * Skills of servers: `session.skills()`, `session.skill(…)`, and tools for models that list and load them. While one is in use, calls of
   * tools are asked about, unless a rule with `under` decides. Verified files are kept in memory, or in the cache.
   */
  readonly skills?: boolean | { readonly cache?: SkillCache };
  /** Finds the secrets that definitions of servers name. */
  readonly secrets?: SecretSource;
  /** Asks the user for what configurations leave open. */
  readonly inputs?: InputSource;
  /** Credentials for URLs that bring none of their own, such as those from a file. */
  readonly auth?: ClientAuth;
  /** What commands run in, such as `bubblewrap()`. Without it, they run with all the rights that this program has. */
  readonly sandbox?: Sandbox;
  /** How silent servers are pinged; `false` for not at all. */
  readonly health?: HealthOptions | false;
  /**
   * Servers are closed after so long without use, and opened again through the gate when they are next needed. An open call, a
   * subscription or a running model counts as use. Without it, they stay open.
   */
  readonly idleMs?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** The revisions of the protocol to speak with every server; all that this package knows. */
  readonly revisions?: readonly string[];
  /** Where configurations look up variables, `~` and relative paths; this process. */
  readonly environment?: HostEnvironment;
  /** How the host introduces itself. */
  readonly name?: string;
  readonly version?: string;
  /** Gets what is odd but no failure; without it, the runtime's own warnings do. */
  readonly onWarning?: (warning: string) => void;
  /** See every message to every server that the gate has let pass, outermost first: telemetry, logging. */
  readonly layers?: readonly Layer[];
  readonly clock?: Clock;
  /** Between 0 and 1, for the time between two attempts to start a server. */
  readonly random?: () => number;
}

/** What definitions of servers are resolved against. */
export interface HostEnvironment {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly userHome?: string;
  readonly cwd?: string;
}

/** Many servers, one policy. What `createHost` makes. */
export interface Host extends AsyncDisposable {
  /** By label. Each is opened when it is first needed. */
  readonly servers: HostServers;
  /** The approvals that are remembered, and revoking them. */
  readonly approvals: RememberedApprovals;
  /** A conversation with one user. */
  session(options?: SessionOptions): Session;
  /**
   * Pins a definition that the user was shown, by its name in the catalogue and its hash; throws if it has changed since. The
   * instructions of a server have its label for a name.
   */
  accept(kind: 'tool' | 'prompt' | 'template' | 'instructions', name: string, hash: string): Promise<void>;
  /** The folders that a server is shown, and showing it others. */
  roots(label: string): ShownRoots;
  /** The tasks of a user that have not ended as far as this host knows. */
  tasks(principal?: string): Promise<readonly HostTicket[]>;
  /** Goes on with a task, after a restart as well: an act of its own, in a session of the same user that ends with the task. */
  resume(ticket: HostTicket): Promise<StartedTask>;
  /** Which rule decided an act, on which facts, whether the user agreed, and the outcome. */
  explain(act: string): Promise<readonly AuditRecord[]>;
  /** Ends every session and every server, all at once. Takes no longer than the slowest server: at most 5 s. */
  close(): Promise<void>;
}
