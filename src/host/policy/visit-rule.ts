/** What stands before every policy: a page that a server names is opened only if the user agrees to it, whatever the rules allow. */
import type { Rule } from '../act/rule.ts';
import { decidePolicy } from './decide-policy.ts';

/** Consults the policy, and what that denies stays denied. A rule can keep a page shut, and cannot agree in place of the user. */
export const visitRule = (policy: readonly Rule[]): Rule => ({
  text: 'visits: ask { kind: visit }',
  decide(act, history) {
    if (act.kind !== 'visit' || decidePolicy(policy, act, history).verdict !== 'allow') return undefined;
    return { verdict: 'ask', why: 'a page is opened only if you agree' };
  },
});
