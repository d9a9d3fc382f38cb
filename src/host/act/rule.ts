/** A rule: plain data and a function, so that it can be printed, tested without a host, and rehearsed against what happened. */
import type { Act } from './act.ts';

/** What a rule says of an act. */
export type Verdict = 'allow' | 'ask' | 'deny';

/** What was decided, by which rule, and why. */
export interface Decision {
  readonly verdict: Verdict;
  /** The rule that decided, in words; or that none did. */
  readonly rule: string;
  readonly why: string;
  /** The user is asked each time: no approval is used or remembered. */
  readonly once?: true | undefined;
}

/** What rules may know besides the act: what was done before. Only what a rule says that it counts is counted. */
export interface PolicyHistory {
  /** How many acts like this one were allowed within the last so many milliseconds, or in this session. */
  count(counted: CountedActs): number;
  /** The tokens that they cost. */
  tokens(counted: CountedActs): number;
}
/** For how long a rule counts. */
export type BudgetWindow = 'session' | { readonly ms: number };

/** What a rule wants to have counted from the start. */
export interface CountedActs {
  readonly of: (act: Act) => boolean;
  readonly within: BudgetWindow;
}

/** One rule of a policy: plain data around a function. */
export interface Rule {
  /** As it is shown: `deny { server: files, name: /^delete_/ }`. */
  readonly text: string;
  /** Undefined where it does not apply: the next rule is asked. */
  decide(act: Act, history: PolicyHistory): Omit<Decision, 'rule'> | undefined;
  /** Servers whose word about their own tools is believed. */
  readonly trusts?: readonly string[];
  /** What `decide` will ask the history for. */
  readonly counts?: CountedActs;
  /** Servers whose text is to be recognised where it goes: `carries` of an act names no others. */
  readonly watches?: readonly string[];
}
