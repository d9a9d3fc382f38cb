/** The `Host` interface and its options: many servers, one policy, the user's consent. */
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

/** Options of `createHost`. */
export interface HostOptions extends ServerRequestOptions {
  /** Asks the user for permission. Without it, everything that needs the user's permission is denied. */
  readonly consent?: Consent | ConsentFunction | undefined;
  /** Stores approvals that expire at a certain time. Default: in memory. */
  readonly approvals?: ApprovalStore | undefined;
  /** Servers by label. The label identifies a server to rules and users; the name that a server claims does not. */
  readonly servers: Readonly<Record<string, ServerSource>>;
  /** The first matching rule decides; without a match, the user is asked. */
  readonly policy?: readonly Rule[];
  readonly audit?: Audit;
  /** Lets servers turn tool calls into tasks, which continue without an open request. Default: false. */
  readonly tasks?: boolean;
  /** Stores the tickets of tasks, such as `fileTickets(folder)`. Default: in memory. */
  readonly tickets?: TicketStore;
  /**
   * The file that pins definitions, usually `mcp.lock`. The user is asked before a changed or suspicious definition is used. With
   * `frozen`, the file is never written, and definitions that are not approved are denied. Without a file, pins are kept in memory.
   */
  readonly lockfile?: string | { readonly path: string; readonly frozen?: boolean };
  /** Enables views of servers (MCP Apps), and declares them to servers. See `session.openView`. */
  readonly apps?: true | AppsOptions;
  /**
   * Enables skills of servers: `session.skills()`, `session.skill(…)`, and tools for models to list and load them. While a skill is in
   * use, the user is asked before tool calls that do more than read, unless a rule with `under` decides. Verified files are cached in
   * memory, or in `cache`.
   */
  readonly skills?: boolean | { readonly cache?: SkillCache };
  /** Looks up the secrets that server definitions refer to by name. */
  readonly secrets?: SecretSource;
  /** Asks the user for the inputs that configurations declare. */
  readonly inputs?: InputSource;
  /** Credentials for URLs without their own `auth`, such as those from a configuration file. */
  readonly auth?: ClientAuth;
  /** Runs commands in a sandbox, such as `bubblewrap()`. Without it, they have all rights of this process. */
  readonly sandbox?: Sandbox;
  /** Health checks: silent servers are pinged. `false` turns this off. */
  readonly health?: HealthOptions | false;
  /**
   * Closes servers after this time without use; the next use opens them again, through the gate. An open call, a subscription or a
   * running model counts as use. Default: servers stay open.
   */
  readonly idleMs?: number;
  readonly timeouts?: Partial<Timeouts>;
  /** Protocol revisions to offer to servers. Default: all that this package supports. */
  readonly revisions?: readonly string[];
  /** Environment variables, home folder and working directory for configurations. Default: those of this process. */
  readonly environment?: HostEnvironment;
  /** The client name that servers see. Default: `mooring-host`. */
  readonly name?: string;
  readonly version?: string;
  /** Receives warnings about problems that are not failures. Default: `process.emitWarning`. */
  readonly onWarning?: (warning: string) => void;
  /** Middleware for every message to a server that the gate has let pass, outermost first: telemetry, logging. */
  readonly layers?: readonly Layer[];
  readonly clock?: Clock;
  /** Returns a number between 0 and 1, for the jitter of delays between restarts of a server. */
  readonly random?: () => number;
}

/** The environment that definitions of servers are resolved against. */
export interface HostEnvironment {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly userHome?: string;
  readonly cwd?: string;
}

/** Many servers under one policy. Created by `createHost`. */
export interface Host extends AsyncDisposable {
  /** Servers by label. Each is opened on first use. */
  readonly servers: HostServers;
  /** Lists and revokes remembered approvals. */
  readonly approvals: RememberedApprovals;
  /** Opens a session: one user's work with all servers. */
  session(options?: SessionOptions): Session;
  /**
   * Approves a definition that the user was shown, by its name in the catalogue and its hash; throws if it has changed since. The name
   * of a server's instructions is the server's label.
   */
  accept(kind: 'tool' | 'prompt' | 'template' | 'instructions', name: string, hash: string): Promise<void>;
  /** Reads and replaces the folders (roots) that a server is shown. */
  roots(label: string): ShownRoots;
  /** Tickets of a user's tasks that are still running, or whose result has not been taken. */
  tasks(principal?: string): Promise<readonly HostTicket[]>;
  /**
   * Resumes a task, also after a restart of the host. The gate decides on it as a separate action, in a new session of the same user
   * that closes when the task ends.
   */
  resume(ticket: HostTicket): Promise<StartedTask>;
  /** The audit records of an action, by its id: the deciding rule, the facts, the user's answer, and the outcome. */
  explain(act: string): Promise<readonly AuditRecord[]>;
  /** Closes all sessions and servers in parallel. Waits for the slowest server, at most 5 s. */
  close(): Promise<void>;
}
