/** The types of an audit log: one record when an act is decided, when it becomes a task, and when it ends. */
import type { Act } from '../act/act.ts';
import type { Decision } from '../act/rule.ts';

/** One record of the audit log: a decision, or the outcome of an act. */
export interface AuditRecord {
  /** The id of the act. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `working`: the act became a task, whose result is pending. */
  readonly phase: 'decided' | 'working' | 'done' | 'failed';
  /** The act, with secrets masked. */
  readonly act: Act;
  /** The decision of the rules. */
  readonly decision: Decision;
  /** Whether the act is permitted. If the rules said `ask`: whether the user agreed, now or earlier. */
  readonly allowed: boolean;
  /** The hash of definition, fingerprint, kind, server, name, arguments, `_meta` and view, computed before masking. */
  readonly binding: string;
  /** The user's answer; absent if the user was not asked. */
  readonly consent?: { readonly allow: boolean; readonly edited: boolean; readonly reason?: string } | undefined;
  /** The id of the stored approval that replaced the question. */
  readonly approval?: string | undefined;
  /** The counters of the budgets at that time. */
  readonly counts?: readonly RuleCount[] | undefined;
  /** The labels of servers whose text was searched for in the arguments. */
  readonly watched?: readonly string[] | undefined;
  /** The id of the task that the act became, or whose question it answers. */
  readonly task?: string | undefined;
  /** A short outcome without content. */
  readonly outcome?: string | undefined;
}

/** The counters of one rule at the time of a decision. */
export interface RuleCount {
  /** The text of the rule. */
  readonly rule: string;
  readonly calls: number;
  readonly tokens: number;
}

/** Stores records. If `write` rejects, the act is denied. */
export interface Audit {
  write(record: AuditRecord): Promise<void>;
  /** Returns the records of an act, oldest first. Optional: an audit can be write-only. */
  read?(id: string): Promise<readonly AuditRecord[]>;
  close?(): Promise<void>;
}
