/** The rule that a lock adds to a policy: the user is asked before a changed or suspicious definition is used. */
import type { Act, DefinitionStatus } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule } from '../act/rule.ts';
import { decidePolicy } from '../policy/decide-policy.ts';

const asked: readonly DefinitionStatus[] = ['changed', 'suspicious'];

/**
 * Comes first in the policy, and evaluates the rest of it: a denial stays, and so does the verdict of a rule that matches on `status`.
 * A frozen lock overrides both.
 */
export function lockRule(policy: readonly Rule[], { frozen }: { readonly frozen: boolean }): Rule {
  return frozen ? { text: 'lock: deny what is not approved', decide: denyUnapproved } : askForChanges(policy);
}

const denyUnapproved = ({ status }: Act): Omit<Decision, 'rule'> | undefined =>
  status === undefined || status === 'approved'
    ? undefined
    : { verdict: 'deny', why: `its definition is ${status}, and the lock file is frozen` };

const askForChanges = (policy: readonly Rule[]): Rule => ({
  text: `lock: ask { status: ${asked.join(' | ')} }`,
  decide(act: Act, history: PolicyHistory) {
    const { status } = act;
    if (status === undefined || !asked.includes(status)) return undefined;
    const decision = decidePolicy(policy, act, history);
    const withoutStatus = decidePolicy(policy, { ...act, status: undefined }, history);
    if (decision.verdict !== 'allow' || decision.rule !== withoutStatus.rule) return undefined;
    return { verdict: 'ask', why: `its definition is ${status}` };
  },
});
