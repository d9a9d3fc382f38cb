/** What every part of a workbench can use, and what its command passes in. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { CredentialStore } from '../auth/index.ts';
import type { WatchedHost } from '../host/create-host.ts';
import type { Audit, HostOptions, Model, Rule, ServerSource, Session } from '../host/index.ts';
import type { Implementation } from '../model/caller.ts';
import type { Prompt, ResourceTemplate, Tool } from '../model/parts.ts';
import type { Clock } from '../peer/clock.ts';
import type { Servable } from '../peer/exchange.ts';
import type { Recording } from '../recording/recording.ts';
import type { DecisionLog } from './decisions.ts';
import type { EventFeed } from './event-feed.ts';
import type { History } from './history.ts';
import type { PageQuestions } from './page-questions.ts';
import type { DoctorRow, LintRow } from './protocol-rows.ts';

export interface LintedServer {
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly templates: readonly ResourceTemplate[];
  /** The tools of other servers, and those whose calls returned no data in this session though they declare some. */
  readonly others: readonly Tool[];
  readonly withoutData: readonly string[];
}

export interface WorkbenchOptions {
  /** By label. */
  readonly servers: Readonly<Record<string, ServerSource>>;
  /** Of the host: timeouts, lock file, environment, approvals, tickets. */
  readonly host: Omit<
    HostOptions,
    'servers' | 'policy' | 'audit' | 'consent' | 'questions' | 'inputs' | 'model' | 'clock' | 'auth'
  >;
  readonly policy: readonly Rule[];
  readonly policyName: string;
  readonly audit?:
    | (Audit & { readonly path: string; verify(): Promise<{ ok: boolean; why?: string; records: number }> })
    | undefined;
  readonly principal: string;
  readonly clock?: Clock;
  /** A model that is configured, and its name. */
  readonly model?: { readonly name: string; readonly model?: Model; readonly script?: string } | undefined;
  /** Where sign-ins are stored; in memory without it. */
  readonly credentials?: CredentialStore;
  /** Runs what the user typed, which the rules know it as. */
  runTyped<T>(tool: { readonly server: string; readonly name: string }, run: () => Promise<T>): Promise<T>;
  note(text: string): void;
  /** Asks in the terminal whether a command can be started. */
  confirmCommand(command: TypedCommand): Promise<boolean>;
  /** Asks in the terminal whether a page can be shown a masked value. */
  confirmReveal(what: string): Promise<boolean>;
  examine(label: string, source: ServerSource): Promise<readonly DoctorRow[]>;
  lint(subject: LintedServer): readonly Omit<LintRow, 'server' | 'name'>[];
  replay(recording: Recording): Servable;
}

/** What the user typed into a page. */
export interface TypedCommand {
  readonly label: string;
  readonly commandLine: string;
  /** Undefined for the folder of the workbench. */
  readonly cwd?: string | undefined;
  /** The names of its environment variables. */
  readonly variables: readonly string[];
}

export interface WorkbenchCore {
  readonly options: WorkbenchOptions;
  readonly clock: Clock;
  readonly feed: EventFeed;
  readonly history: History;
  readonly questions: PageQuestions;
  readonly decisions: DecisionLog;
  readonly host: WatchedHost;
  readonly session: Session;
  /** What a page asked for runs under its id, so that messages and decisions are known to belong to it. */
  readonly refs: AsyncLocalStorage<string>;
  /** A value of a server, without its secrets. */
  scrub<T>(label: string, value: T): T;
  /** A line of the log of a server, for pages. */
  tellLog(label: string, line: string): void;
  /** A source whose HTTP is heard too. */
  tapped(label: string, source: ServerSource): ServerSource;
}
