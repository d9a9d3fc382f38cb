/** What a policy decides about an act: the first rule that matches decides, and where none does, the user is asked. */
import { checkList, checkObject } from '../../model/check-argument.ts';
import type { Act } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule, Verdict } from '../act/rule.ts';
import { isThenable, promiseFault, RuleFault } from './check-match.ts';

const verdicts: readonly Verdict[] = ['allow', 'ask', 'deny'];

/** A rule looked at something that is not known. Only a rehearsal throws it: of an act that is about to happen all is known. */
export class MissingFact extends Error {
  override readonly name = 'MissingFact';
}

/** What a policy decides about an act: the pure part of the gate. */
export function decidePolicy(policy: readonly Rule[], act: Act, history: PolicyHistory): Decision {
  checkList(policy, 'decidePolicy(policy, act, history)', 'a list of rules');
  checkObject(act, 'decidePolicy(policy, act, history)', 'an act');
  const believed = believe(policy, act);
  for (const rule of policy) {
    const said = outcomeOf(rule, believed, history);
    if (said !== undefined) return { ...said, rule: rule.text };
  }
  return { verdict: 'ask', rule: 'none', why: 'no rule matches' };
}

/** What a server says of its own tools is a fact where a rule trusts it, wherever that rule stands. */
function believe(policy: readonly Rule[], act: Act): Act {
  const { server, effects, claimed } = act;
  if (effects !== 'unknown') return act;
  return policy.some(({ trusts }) => trusts?.includes(server) === true) ? withEffects(act, claimed) : act;
}

/** Members are taken over as they are: in a rehearsal, looking at one may be too much. */
const withEffects = (act: Act, value: Act['effects']): Act =>
  // The act, but for one member of the same type.
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(act), effects: { value, enumerable: true } },
  ) as Act;

/** A rule that fails denies: it may be the one that stops this act. */
function outcomeOf(rule: Rule, act: Act, history: PolicyHistory): Omit<Decision, 'rule'> | undefined {
  try {
    const said: unknown = rule.decide(act, history);
    if (isThenable(said)) throw promiseFault('the rule', said);
    if (said === undefined) return undefined;
    const { verdict, why, once } = said as Omit<Decision, 'rule'>; // as far as the compiler had a say; looked at below
    if (verdicts.includes(verdict)) return { verdict, why, ...(once === true ? { once } : {}) };
  } catch (error) {
    if (error instanceof MissingFact) throw error;
    return { verdict: 'deny', why: error instanceof RuleFault ? error.message : 'the rule failed' };
  }
  return { verdict: 'deny', why: 'the rule gave no verdict' };
}
