/** The rule before a policy if the host shows views (MCP Apps): rules without `by` were not written for apps, so the user is asked. */
import type { Act } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule } from '../act/rule.ts';
import { decidePolicy } from './decide-policy.ts';

/**
 * Evaluates the policy; a denial stays. The user is always asked before a view sends a message in their name, or saves a file. Before a
 * tool call that does more than read, the user is asked unless a rule that matches on `by` allows it. Context for the model needs no rule.
 */
export const appRule = (policy: readonly Rule[]): Rule => ({
  text: 'apps: ask { by: app }',
  decide(act: Act, history: PolicyHistory): Omit<Decision, 'rule'> | undefined {
    if (act.by !== 'app') return undefined;
    const { kind, effects } = act;
    const { verdict, rule } = decidePolicy(policy, act, history);
    if (kind === 'context' && rule === 'none')
      return { verdict: 'allow', why: 'it is sent to no server, and a model reads it as text from the server' };
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
