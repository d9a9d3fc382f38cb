/** The permission check that every act of a host goes through. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import type { Verdict } from '../act/rule.ts';

/** Permission for one act, for as long as it runs. */
export interface Permit {
  readonly id: string;
  /** What may leave: as requested, or as the user changed it. */
  readonly arguments: JsonObject;
  /** The server said this before the act has its result, such as the state of a task. */
  learn(said: string): void;
  /** The act has become this task, as its own call was told: which response is for which of two acts that send the same cannot be seen on the way. */
  noteTask(taskId: string): void;
}

export interface PassOptions {
  /** Cancels the act. Without it, closing the gate does. */
  readonly signal?: AbortSignal | undefined;
  /** What the user should look at twice. */
  readonly warnings?: readonly string[] | undefined;
  readonly editable?: boolean | undefined;
  /** Gets what the rules say, before the user is asked. */
  readonly onVerdict?: ((verdict: Verdict) => Promise<void>) | undefined;
  /** The definition and the server as they are now, undefined where the server no longer offers it. Compared once the user has answered, which can take long. */
  readonly current?: (() => Promise<Pick<Act, 'definition' | 'fingerprint'> | undefined>) | undefined;
  /** The task whose question is answered, as the server says. It is believed where an act has become that task. */
  readonly task?: string | undefined;
  /** The outcome for the audit: a few words without content. */
  readonly outcome?: ((result: unknown) => string) | undefined;
  /** What it cost in the end, where that is known; budgets count it instead of `tokens` of the act. */
  readonly tokens?: ((result: unknown) => number | undefined) | undefined;
}

export interface Gate {
  /** The user answers while the caller waits, not hours later. */
  readonly attended: boolean;
  /** Decides, asks the user if a rule says so, writes the record, and only then runs. Throws `MCP_DENIED` where nothing was run. */
  pass<T>(act: Act, run: (permit: Permit) => Promise<T>, options?: PassOptions): Promise<T>;
  /** What the rules would decide. The user is not asked, nothing is counted or recorded, and it permits nothing. */
  foresee(act: Act): Verdict;
}
