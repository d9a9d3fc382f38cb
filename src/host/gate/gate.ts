/** The gate: the permission check of every act. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import type { Verdict } from '../act/rule.ts';

/** Permission for one act while it runs. */
export interface Permit {
  readonly id: string;
  /** The permitted arguments: as requested, or as edited by the user. */
  readonly arguments: JsonObject;
  /** Passes intermediate text of the server, such as a task's status, to the taint tracker. */
  learn(said: string): void;
  /**
   * Records that the act became this task. The call itself reports it, because the connection cannot tell apart the responses of two
   * acts with equal requests.
   */
  noteTask(taskId: string): void;
}

export interface PassOptions {
  /** Cancels the act. Default: a signal that aborts when the gate closes. */
  readonly signal?: AbortSignal | undefined;
  /** Warnings for the consent question. */
  readonly warnings?: readonly string[] | undefined;
  /** Whether the user can edit the arguments. */
  readonly editable?: boolean | undefined;
  /** Called with the rules' verdict, before the user is asked. */
  readonly onVerdict?: ((verdict: Verdict) => Promise<void>) | undefined;
  /**
   * Reads the current definition and server fingerprint; undefined if the server no longer offers the item. Compared after the user
   * answered, which can take hours.
   */
  readonly current?: (() => Promise<Pick<Act, 'definition' | 'fingerprint'> | undefined>) | undefined;
  /** The task that the server claims to ask for. Recorded only if an act became that task. */
  readonly task?: string | undefined;
  /** Describes the outcome for the audit log, without content. */
  readonly outcome?: ((result: unknown) => string) | undefined;
  /** Returns the actual cost, if known. Budgets then count it instead of the estimate in `tokens` of the act. */
  readonly tokens?: ((result: unknown) => number | undefined) | undefined;
}

export interface Gate {
  /** True if consent answers while the caller waits; false without consent, and with an inbox that is answered later. */
  readonly attended: boolean;
  /** Evaluates the rules, asks the user if they require it, writes the record, then calls `run`. Throws `MCP_DENIED` if denied. */
  pass<T>(act: Act, run: (permit: Permit) => Promise<T>, options?: PassOptions): Promise<T>;
  /** Dry run of the rules: asks, counts and records nothing, and grants no permission. */
  foresee(act: Act): Verdict;
}
