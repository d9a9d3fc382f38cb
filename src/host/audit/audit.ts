/** What is written down about each act: when it is decided, when it becomes a task, and when it is over. */
import type { Act } from '../act/act.ts';
import type { Decision } from '../act/rule.ts';

/** One line of the audit: what was decided, or what became of it. */
export interface AuditRecord {
  /** The id of the act. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `working` where the act has become a task, and its result is yet to come. */
  readonly phase: 'decided' | 'working' | 'done' | 'failed';
  /** Secrets masked. */
  readonly act: Act;
  /** What the rules said of it. */
  readonly decision: Decision;
  /** Whether it may happen. Where the rules say ask, the user agreed, now or earlier. */
  readonly allowed: boolean;
  /** The hash of definition, server, kind, name and arguments, before anything was masked. */
  readonly binding: string;
  /** What the user answered; absent where the user was not asked. */
  readonly consent?: { readonly allow: boolean; readonly edited: boolean; readonly reason?: string } | undefined;
  /** The remembered approval that was used instead of asking. */
  readonly approval?: string | undefined;
  /** What the rules that count had counted by then. */
  readonly counts?: readonly RuleCount[] | undefined;
  /** The labels whose text was looked for in the arguments. */
  readonly watched?: readonly string[] | undefined;
  /** The id of the task that the act has become, or that the answer is for. */
  readonly task?: string | undefined;
  /** What came of it, in short and without its content. */
  readonly outcome?: string | undefined;
}

/** What a rule had counted when it decided. */
export interface RuleCount {
  /** The text of the rule. */
  readonly rule: string;
  readonly calls: number;
  readonly tokens: number;
}

/** An act whose record cannot be written does not happen. */
export interface Audit {
  write(record: AuditRecord): Promise<void>;
  /** What was written about an act, oldest first, where it can be read again. */
  read?(id: string): Promise<readonly AuditRecord[]>;
  close?(): Promise<void>;
}
