/** What skills add to a policy: their text is a server's, and what a model does because of it is asked about. */
import type { Act } from '../act/act.ts';
import type { Decision, Rule } from '../act/rule.ts';
import { decidePolicy } from './decide-policy.ts';

/**
 * Stands before the policy and consults it: what the policy denies stays denied. While a skill is in use, a policy that matches on
 * `under` has the last word about tools, and none about reading from another server.
 */
export const skillRule = (policy: readonly Rule[]): Rule => ({
  text: 'skills: ask { under: * }',
  decide(act, history) {
    if (act.kind !== 'skill' && act.under === undefined) return undefined;
    // First, because whether a skill is shown is decided before its arguments are known.
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
