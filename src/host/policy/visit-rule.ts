/** The rule before every policy: a page that a server names is opened only if the user agrees, even if a rule allows it. */
import type { Rule } from '../act/rule.ts';
import { decidePolicy } from './decide-policy.ts';

/** Evaluates the policy; a denial stays. A rule can deny a visit, but cannot agree in place of the user. */
export const visitRule = (policy: readonly Rule[]): Rule => ({
  text: 'visits: ask { kind: visit }',
  decide(act, history) {
    if (act.kind !== 'visit' || decidePolicy(policy, act, history).verdict !== 'allow') return undefined;
    return { verdict: 'ask', why: 'a page is opened only if you agree' };
  },
});
