/** The type of a policy rule: plain data and a pure function, so that rules can be printed, tested, and rehearsed against an audit log. */
import type { Act } from './act.ts';

/** The decision of a rule. */
export type Verdict = 'allow' | 'ask' | 'deny';

/** The decision about an act, and its reason. */
export interface Decision {
  readonly verdict: Verdict;
  /** The text of the deciding rule, or a note that no rule matched. */
  readonly rule: string;
  readonly why: string;
  /** Ask every time: approvals are neither used nor stored. */
  readonly once?: true | undefined;
}

/** Earlier acts, for rules with a budget. Contains only acts that a rule declares in `counts`. */
export interface PolicyHistory {
  /** The number of allowed acts within the window of `counted`. */
  count(counted: CountedActs): number;
  /** The tokens that these acts cost. */
  tokens(counted: CountedActs): number;
}

/** The period that a budget covers: the session, or a sliding window. */
export type BudgetWindow = 'session' | { readonly ms: number };

/** The acts that a rule counts. */
export interface CountedActs {
  readonly of: (act: Act) => boolean;
  readonly within: BudgetWindow;
}

/** One rule of a policy: plain data around a function. */
export interface Rule {
  /** For display, such as `deny { server: files, name: /^delete_/ }`. */
  readonly text: string;
  /** Undefined if the rule does not match; then the next rule decides. */
  decide(act: Act, history: PolicyHistory): Omit<Decision, 'rule'> | undefined;
  /** Labels of servers whose annotations are trusted. */
  readonly trusts?: readonly string[];
  /** Declares what `decide` reads from the history. */
  readonly counts?: CountedActs;
  /** Labels of servers that the rule names, and patterns. The host warns of a label that no server has. */
  readonly servers?: readonly string[];
  /** Labels of servers whose text is tracked; `carries` of an act lists only these. */
  readonly watches?: readonly string[];
}
