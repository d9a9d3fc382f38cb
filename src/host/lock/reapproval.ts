/** What a lock adds to a policy: a definition that got wider, or looks like an attack, is asked about before it is used again. */
import type { Act, DefinitionStatus } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule } from '../act/rule.ts';
import { decidePolicy } from '../policy/decide-policy.ts';

const asked: readonly DefinitionStatus[] = ['wider', 'suspicious'];

/**
 * Goes before the policy, and asks it first: what it denies stays denied. Where the policy itself looks at how a definition
 * stands, it has the last word; frozen, nobody has.
 */
export function reapproval(policy: readonly Rule[], { frozen }: { readonly frozen: boolean }): Rule {
  return frozen ? { text: 'lock: deny what is not pinned', decide: frozenOut } : thawed(policy);
}

const frozenOut = ({ status }: Act): Omit<Decision, 'rule'> | undefined =>
  status === undefined || status === 'pinned'
    ? undefined
    : { verdict: 'deny', why: `its definition is ${status}, and the lock file is frozen` };

const thawed = (policy: readonly Rule[]): Rule => ({
  text: `lock: ask { status: ${asked.join(' | ')} }`,
  decide(act: Act, history: PolicyHistory) {
    const { status } = act;
    if (status === undefined || !asked.includes(status)) return undefined;
    const said = decidePolicy(policy, act, history);
    const anyway = decidePolicy(policy, { ...act, status: undefined }, history);
    if (said.verdict !== 'allow' || said.rule !== anyway.rule) return undefined;
    return { verdict: 'ask', why: `its definition is ${status}` };
  },
});
