/** Evaluates a policy: the first matching rule decides; without a match, the user is asked. */
import { checkList, checkObject } from '../../model/check-argument.ts';
import type { Act } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule, Verdict } from '../act/rule.ts';
import { isThenable, promiseFault, RuleFault } from './check-match.ts';

const verdicts: readonly Verdict[] = ['allow', 'ask', 'deny'];

/** Thrown in a rehearsal if a rule reads a fact that is not on record. For an act that is about to happen, all facts are known. */
export class MissingFact extends Error {
  override readonly name = 'MissingFact';
}

/** Returns the decision of a policy about an act. A pure function, which the gate uses. */
export function decidePolicy(policy: readonly Rule[], act: Act, history: PolicyHistory): Decision {
  checkList(policy, 'decidePolicy(policy, act, history)', 'a list of rules');
  checkObject(act, 'decidePolicy(policy, act, history)', 'an act');
  const trusted = withTrustedEffects(policy, act);
  for (const rule of policy) {
    const decision = outcomeOf(rule, trusted, history);
    if (decision !== undefined) return { ...decision, rule: rule.text };
  }
  return { verdict: 'ask', rule: 'none', why: 'no rule matches' };
}

/** Uses the effects that a server claims if a rule of the policy, at any position, trusts the server's annotations. */
function withTrustedEffects(policy: readonly Rule[], act: Act): Act {
  const { server, effects, claimed } = act;
  if (effects !== 'unknown') return act;
  return policy.some(({ trusts }) => trusts?.includes(server) === true) ? withEffects(act, claimed) : act;
}

/** Copies property descriptors, because reading a member can throw in a rehearsal. */
const withEffects = (act: Act, value: Act['effects']): Act =>
  // The same act, except one member of the same type.
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(act), effects: { value, enumerable: true } },
  ) as Act;

/** A rule that throws denies, because it may be the one that should stop this act. */
function outcomeOf(rule: Rule, act: Act, history: PolicyHistory): Omit<Decision, 'rule'> | undefined {
  try {
    const said: unknown = rule.decide(act, history);
    if (isThenable(said)) throw promiseFault('the rule', said);
    if (said === undefined) return undefined;
    const { verdict, why, once } = said as Omit<Decision, 'rule'>; // the declared type; checked below
    if (verdicts.includes(verdict)) return { verdict, why, ...(once === true ? { once } : {}) };
  } catch (error) {
    if (error instanceof MissingFact) throw error;
    return { verdict: 'deny', why: error instanceof RuleFault ? error.message : 'the rule failed' };
  }
  return { verdict: 'deny', why: 'the rule returned no verdict' };
}
