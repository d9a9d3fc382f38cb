/** The rule that skills add to a policy: a skill is a server's text, so the user is asked about what a model does because of it. */
import type { Act } from '../act/act.ts';
import type { Decision, Rule } from '../act/rule.ts';
import { decidePolicy } from './decide-policy.ts';

/**
 * Comes first in the policy, and evaluates the rest of it; a denial stays. While a skill is in use, a rule that matches on `under` can
 * allow tool calls, but not reading from another server.
 */
export const skillRule = (policy: readonly Rule[]): Rule => ({
  text: 'skills: ask { under: * }',
  decide(act, history) {
    if (act.kind !== 'skill' && act.under === undefined) return undefined;
    // Before skillQuestion, which reads arguments: they are unknown when a list is filtered.
    const { verdict, rule } = decidePolicy(policy, act, history);
    if (verdict === 'deny') return undefined;
    const asked = skillQuestion(act);
    if (asked === undefined) return undefined;
    if (asked.verdict === 'allow' || asked.reason === 'dynamic') return verdict === 'ask' ? asked : undefined;
    if (asked.once === true) return asked;
    const withoutSkills = decidePolicy(policy, { ...act, under: undefined }, history);
    return verdict === 'allow' && rule === withoutSkills.rule ? asked : undefined;
  },
});

type SkillDecision = Omit<Decision, 'rule'> & { readonly reason?: 'dynamic' };

function skillQuestion(act: Act): SkillDecision | undefined {
  const { kind, server, arguments: args, under = [], effects } = act;
  if (kind === 'skill' && args['file'] !== undefined)
    return { verdict: 'allow', why: 'the user approved the skill with this file' };
  if (kind === 'skill' && args['files'] === 'dynamic')
    return { verdict: 'ask', why: 'its files cannot be verified', once: true, reason: 'dynamic' };
  const others = under.filter((one) => one.server !== server);
  if ((kind === 'resource' || kind === 'skill') && others.length > 0)
    return { verdict: 'ask', why: `${skillNames(others)} is in use, and this reads from ${server}`, once: true };
  if (kind !== 'tool' || under.length === 0 || effects === 'read') return undefined;
  return { verdict: 'ask', why: `${skillNames(under)} is in use` };
}

const skillNames = (skills: NonNullable<Act['under']>): string =>
  skills.map(({ server, uri }) => `the skill ${uri} of ${server}`).join(' and ');
