/** The options of a workbench, and the interface that its parts use of it. */
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
import type { LargeResults } from './large-results.ts';
import type { PageQuestions } from './page-questions.ts';
import type { EventName, WorkbenchEvents } from './protocol-events.ts';
import type { DoctorRow, LintRow } from './protocol-rows.ts';

export interface LintedServer {
  readonly server: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly templates: readonly ResourceTemplate[];
  /** The tools of other servers. */
  readonly others: readonly Tool[];
  /** Tools that were called in this session without returning structured content. */
  readonly withoutData: readonly string[];
}

export interface WorkbenchOptions {
  /** Keyed by label. */
  readonly servers: Readonly<Record<string, ServerSource>>;
  /** Options of the host, such as timeouts, lock file, environment, approvals and tickets. */
  readonly host: Omit<
    HostOptions,
    'servers' | 'policy' | 'audit' | 'consent' | 'questions' | 'inputs' | 'model' | 'clock' | 'auth' | 'onWarning'
  >;
  readonly policy: readonly Rule[];
  readonly policyName: string;
  readonly audit?:
    | (Audit & { readonly path: string; verify(): Promise<{ ok: boolean; why?: string; records: number }> })
    | undefined;
  readonly principal: string;
  readonly clock?: Clock;
  /** The configured model and its name, or a script. Without a model, the user replies to sampling requests. */
  readonly model?: { readonly name: string; readonly model?: Model; readonly script?: string } | undefined;
  /** Stores sign-ins. Default: in memory. */
  readonly credentials?: CredentialStore;
  /** Runs a tool call that the user typed, so that rules can recognize it. */
  runTyped<T>(tool: { readonly server: string; readonly name: string }, run: () => Promise<T>): Promise<T>;
  /** Prints a note in the terminal. Warnings of the host are notes, with secrets masked. */
  note(text: string): void;
  /** Asks in the terminal for permission to start a command. */
  confirmCommand(command: TypedCommand): Promise<boolean>;
  /** Asks in the terminal for permission to show a masked value in a page. */
  confirmReveal(what: string): Promise<boolean>;
  examine(label: string, source: ServerSource): Promise<readonly DoctorRow[]>;
  lint(subject: LintedServer): readonly Omit<LintRow, 'server' | 'name'>[];
  replay(recording: Recording): Servable;
}

/** A command that the user typed into a page. */
export interface TypedCommand {
  readonly label: string;
  readonly commandLine: string;
  /** Default: the working directory of the workbench. */
  readonly cwd?: string | undefined;
  /** Names of the environment variables. */
  readonly variables: readonly string[];
}

export interface WorkbenchCore {
  readonly options: WorkbenchOptions;
  readonly clock: Clock;
  readonly feed: EventFeed;
  readonly large: LargeResults;
  readonly history: History;
  readonly questions: PageQuestions;
  readonly decisions: DecisionLog;
  readonly host: WatchedHost;
  readonly session: Session;
  /** Holds the id of the page's action that is running, to associate messages and decisions with it. */
  readonly refs: AsyncLocalStorage<string>;
  /** Masks the secrets of a server in a value; for an unknown server, those of all. */
  scrub<T>(label: string, value: T): T;
  /** Sends a line of a server's log to pages, with the next batch. */
  queueLog(label: string, line: string): void;
  /** Sends an event to pages with the next batch; of several with one name and key, the newest. A server can cause a flood of them. */
  queueNewest<E extends EventName>(key: string, name: E, params: WorkbenchEvents[E]): void;
  /** The source with a `fetch` that records HTTP exchanges in the history; sources without a URL are returned unchanged. */
  withHttpTap(label: string, source: ServerSource): ServerSource;
}
