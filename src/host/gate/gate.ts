/** The one way out: nothing leaves a host but through here. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import type { Verdict } from '../act/rule.ts';
import type { AuditRecord } from '../audit/audit.ts';

/** Leave to act, for as long as the act runs. */
export interface Permit {
  readonly id: string;
  /** What may leave: as asked for, or as the user changed it. */
  readonly arguments: JsonObject;
}

export interface PassOptions {
  readonly signal?: AbortSignal | undefined;
  /** What the user should look at twice. */
  readonly warnings?: readonly string[] | undefined;
  readonly editable?: boolean | undefined;
  /** The definition and the server as they are now, undefined where the thing is gone. Compared after somebody was asked, who may have taken long. */
  readonly current?: (() => Promise<Pick<Act, 'definition' | 'fingerprint'> | undefined>) | undefined;
  /** What came of it, for the audit: a few words without content. */
  readonly outcome?: ((result: unknown) => string) | undefined;
  /** What it cost in the end, where that is known; budgets count it instead of `tokens` of the act. */
  readonly tokens?: ((result: unknown) => number | undefined) | undefined;
}

export interface Gate {
  /** Whether somebody is there who answers while others wait. */
  readonly attended: boolean;
  /** Decides, asks if need be, writes it down, and only then runs it. Throws `MCP_DENIED`, and then nothing has happened. */
  pass<T>(act: Act, run: (permit: Permit) => Promise<T>, options?: PassOptions): Promise<T>;
  /** What the rules would say, so that nobody is bothered in vain. Nobody is asked, nothing is counted, and it is no leave. */
  foresee(act: Act): Verdict;
  /** Which rule decided an act, on which facts, and who agreed. */
  explain(id: string): Promise<readonly AuditRecord[]>;
}
