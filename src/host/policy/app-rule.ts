/** What stands before a policy where views are shown: rules that say nothing of apps were not written for them. */
import type { Act } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule } from '../act/rule.ts';
import { decidePolicy } from './decide-policy.ts';

/**
 * Consults the policy, and what that denies stays denied. A message in the user's name and a file are always asked about. So is a call that does
 * more than read, unless a rule that matches on `by` allows it. What a view tells a model is allowed where no rule matches.
 */
export const appRule = (policy: readonly Rule[]): Rule => ({
  text: 'apps: ask { by: app }',
  decide(act: Act, history: PolicyHistory): Omit<Decision, 'rule'> | undefined {
    if (act.by !== 'app') return undefined;
    const { kind, effects } = act;
    const { verdict, rule } = decidePolicy(policy, act, history);
    if (kind === 'context' && rule === 'none')
      return { verdict: 'allow', why: 'it reaches no server, and a model gets it as text of the server' };
    if (verdict !== 'allow') return undefined;
    if (kind === 'message') return { verdict: 'ask', why: 'an app would say it in your name' };
    if (kind === 'download') return { verdict: 'ask', why: 'an app would save a file' };
    if (kind !== 'tool' || effects === 'read') return undefined;
    const withoutApp = decidePolicy(policy, { ...act, by: undefined }, history);
    return withoutApp.rule === rule
      ? { verdict: 'ask', why: 'an app calls a tool that may do more than read' }
      : undefined;
  },
});
