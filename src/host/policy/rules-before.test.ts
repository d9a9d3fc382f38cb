/** Tests the rules before a policy: for which acts of apps, skills and pages the user is asked, even if the policy allows them. */
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import type { Act } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule } from '../act/rule.ts';
import { appRule } from './app-rule.ts';
import { decidePolicy } from './decide-policy.ts';
import { rules } from './rules.ts';
import { skillRule } from './skill-rule.ts';
import { visitRule } from './visit-rule.ts';

const nothing: PolicyHistory = { count: () => 0, tokens: () => 0 };
const decide = (before: (policy: readonly Rule[]) => Rule, policy: readonly Rule[], facts: Partial<Act>): Decision =>
  decidePolicy([before(policy), ...policy], act(facts), nothing);
const verdictOf = (...args: Parameters<typeof decide>): string => {
  const { verdict, rule, once } = decide(...args);
  return `${verdict} by ${rule}${once === true ? ', each time' : ''}`;
};

const [allow, ask, deny] = [rules.allow({}), rules.ask({}), rules.deny({})];

describe('what a view asks for', () => {
  const own = 'apps: ask { by: app }';
  const app = { by: 'app', view: 'ui://a' } as const;
  const ofApps = rules.allow({ by: 'app' });

  test.each<[readonly Rule[], Partial<Act>, string]>([
    [[allow], { kind: 'tool', effects: 'write' }, 'allow by allow everything'],
    [[allow], { ...app, kind: 'tool', effects: 'write' }, `ask by ${own}`],
    [[rules.allow({ server: 'files' })], { ...app, kind: 'tool', effects: 'write' }, `ask by ${own}`],
    [[allow], { ...app, kind: 'tool', effects: 'unknown' }, `ask by ${own}`],
    [[allow], { ...app, kind: 'tool', effects: 'read' }, 'allow by allow everything'],
    [[ofApps], { ...app, kind: 'tool', effects: 'write' }, 'allow by allow { by: app }'],
    [[ask], { ...app, kind: 'tool', effects: 'write' }, 'ask by ask everything'],
    [[deny], { ...app, kind: 'tool', effects: 'write' }, 'deny by deny everything'],
    [[allow], { ...app, kind: 'resource', effects: 'write' }, 'allow by allow everything'],
    [[ofApps], { ...app, kind: 'message' }, `ask by ${own}`],
    [[ofApps], { ...app, kind: 'download' }, `ask by ${own}`],
    [[deny], { ...app, kind: 'message' }, 'deny by deny everything'],
    [[deny], { ...app, kind: 'download' }, 'deny by deny everything'],
    [[], { ...app, kind: 'context' }, `allow by ${own}`],
    [[], { kind: 'context' }, 'ask by none'],
    [[], { ...app, kind: 'tool' }, 'ask by none'],
    [[ask], { ...app, kind: 'context' }, 'ask by ask everything'],
    [[deny], { ...app, kind: 'context' }, 'deny by deny everything'],
  ])('is decided: %# %j %s', (policy, facts, expected) => {
    expect(verdictOf(appRule, policy, facts)).toBe(expected);
  });

  test.each<[Partial<Act>, string]>([
    [{ kind: 'message' }, 'an app would say it in your name'],
    [{ kind: 'download' }, 'an app would save a file'],
    [{ kind: 'tool', effects: 'write' }, 'an app calls a tool that may do more than read'],
  ])('is asked about with a reason: %j', (facts, why) => {
    expect(decide(appRule, [allow], { ...app, ...facts }).why).toBe(why);
  });
});

describe('a page that a server names', () => {
  test.each<[readonly Rule[], Act['kind'], string]>([
    [[allow], 'visit', 'ask by visits: ask { kind: visit }'],
    [[allow], 'tool', 'allow by allow everything'],
    [[ask], 'visit', 'ask by ask everything'],
    [[deny], 'visit', 'deny by deny everything'],
  ])('is opened only if the user agrees: %# %s %s', (policy, kind, expected) => {
    expect(verdictOf(visitRule, policy, { kind })).toBe(expected);
  });
});

describe('what is done while a skill is in use', () => {
  const own = 'skills: ask { under: * }';
  const skill = (server: string) => ({ server, uri: 'skill://a', definition: 'd' });
  const [mine, other] = [[skill('files')], [skill('mail')]];
  const ofSkills = rules.allow({ under: 'mail' });

  test.each<[readonly Rule[], Partial<Act>, string]>([
    [[allow], { kind: 'tool', effects: 'write' }, 'allow by allow everything'],
    [[allow], { kind: 'tool', effects: 'write', under: mine }, `ask by ${own}`],
    [[rules.allow({ server: 'files' })], { kind: 'tool', effects: 'write', under: mine }, `ask by ${own}`],
    [[allow], { kind: 'tool', effects: 'read', under: other }, 'allow by allow everything'],
    [[allow], { kind: 'tool', effects: 'write', under: [] }, 'allow by allow everything'],
    [[ofSkills], { kind: 'tool', effects: 'write', under: other }, 'allow by allow { under: mail }'],
    [[ask], { kind: 'tool', effects: 'write', under: mine }, 'ask by ask everything'],
    [[deny], { kind: 'tool', effects: 'write', under: mine }, 'deny by deny everything'],
    [[allow], { kind: 'prompt', under: other }, 'allow by allow everything'],
    [[allow], { kind: 'resource', under: mine }, 'allow by allow everything'],
    [[ofSkills], { kind: 'resource', under: other }, `ask by ${own}, each time`],
    [[ofSkills], { kind: 'resource', under: [...mine, ...other] }, `ask by ${own}, each time`],
    [[allow], { kind: 'skill', under: other }, `ask by ${own}, each time`],
    [[allow], { kind: 'skill' }, 'allow by allow everything'],
    [[deny], { kind: 'resource', under: other }, 'deny by deny everything'],
    [[], { kind: 'skill', arguments: { file: 'a.md' } }, `allow by ${own}`],
    [[deny], { kind: 'skill', arguments: { file: 'a.md' } }, 'deny by deny everything'],
    [[allow], { kind: 'skill', arguments: { file: 'a.md' } }, 'allow by allow everything'],
    [[], { kind: 'tool', arguments: { file: 'a.md' }, under: mine }, 'ask by none'],
    [[], { kind: 'skill', arguments: { files: 'dynamic' } }, `ask by ${own}, each time`],
    [[allow], { kind: 'skill', arguments: { files: 'dynamic' } }, 'allow by allow everything'],
    [[], { kind: 'skill', arguments: { files: 'listed' } }, 'ask by none'],
    [[], { kind: 'tool', arguments: { files: 'dynamic' }, under: mine }, 'ask by none'],
  ])('is decided: %# %j %s', (policy, facts, expected) => {
    expect(verdictOf(skillRule, policy, facts)).toBe(expected);
  });

  test.each<[Partial<Act>, string]>([
    [{ kind: 'tool', effects: 'write', under: mine }, 'the skill skill://a of files is in use'],
    [
      { kind: 'resource', under: [...mine, ...other] },
      'the skill skill://a of mail is in use, and this reads from files',
    ],
    [
      { kind: 'tool', effects: 'write', under: [...mine, ...other] },
      'the skill skill://a of files and the skill skill://a of mail is in use',
    ],
  ])('is asked about with a reason: %j', (facts, why) => {
    expect(decide(skillRule, [allow], facts).why).toBe(why);
  });
});
