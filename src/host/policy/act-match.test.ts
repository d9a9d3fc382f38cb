/** Tests which acts a rule matches: completions, views, skills, and acts with unknown members. */
import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Act } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule } from '../act/rule.ts';
import { maskAct } from '../audit/mask-act.ts';
import { type ActMatch, compileGlob } from './act-match.ts';
import { decidePolicy } from './decide-policy.ts';
import { rehearse } from './rehearse.ts';
import { rules } from './rules.ts';

const nothing: PolicyHistory = { count: () => 0, tokens: () => 0 };
const decide = (rule: Rule, facts: Partial<Act>): Decision => decidePolicy([rule], act(facts), nothing);
/** Whether the match applies in a rule that allows, and in one that denies. */
const applies = (match: ActMatch, facts: Partial<Act>): boolean[] =>
  [rules.allow(match), rules.deny(match)].map((rule) => decide(rule, facts).rule !== 'none');

describe('a completion of a template', () => {
  const template = 'file:///{folder}/{name}';
  const typed = (name: string, known: Readonly<Record<string, string>> = {}): Partial<Act> => ({
    ...{ kind: 'completion', name },
    arguments: { argument: { name: 'name', value: 'a' }, context: { arguments: known } },
  });

  test.each<[string, Record<string, string>]>([
    [template, { folder: 'secret' }],
    [template, { folder: 'x/../secret' }],
    [template, { folder: '%73ecret' }],
    ['FILE:///{folder}/{name}', { folder: 'secret' }],
    ['file:///docs/{+path}', { path: '../secret/a' }],
    ['{+any}', { any: 'file:///secret/a' }],
    ['file:///secret/{name}', {}],
  ])('a completion is denied by a rule about the URI that its values expand to: %s with %j', (name, known) => {
    expect(applies({ name: 'file:///secret/*' }, typed(name, known))).toEqual([expect.any(Boolean), true]);
    expect(applies({ name: 'file:///docs/*' }, typed(name, known))[0]).toBe(false);
  });

  test('a completion is allowed by the URI that its values expand to, and not by the template', () => {
    expect(applies({ name: 'file:///docs/*' }, typed(template, { folder: 'docs' }))).toEqual([true, true]);
    expect(applies({ name: 'file:///docs/*' }, typed(template, { folder: 'other' }))).toEqual([false, false]);
    expect(applies({ name: template }, typed(template, { folder: 'docs' }))).toEqual([false, true]);
    expect(applies({ name: 'file:///docs/a' }, typed('file:///docs/{name}'))).toEqual([true, true]);
  });

  test('the explanation of a completion has the URI that was matched', () => {
    const { why } = decide(rules.deny({ name: 'file:///secret/*' }), typed(template, { folder: 'secret' }));
    expect(why).toBe('name is file:///secret/a');
  });

  test('a completion of an invalid template is decided by the template', () => {
    expect(applies({ name: 'file:///{folder' }, typed('file:///{folder', { folder: 'secret' }))).toEqual([true, true]);
    expect(applies({ name: 'file:///secret*' }, typed('file:///{folder', { folder: 'secret' }))).toEqual([
      ...[false, false],
    ]);
  });

  test('a completion whose values are not on record is undecidable in a rehearsal', async () => {
    const asked = act({ ...typed(template), arguments: { argument: { name: 'name', value: 'password=hunter2' } } });
    const decision = { verdict: 'allow', rule: 'allow everything', why: '' } as const;
    const record = { id: 'a', at: 0, phase: 'decided', act: maskAct(asked), decision, allowed: true, binding: '' };
    const { undecidable } = await rehearse([rules.deny({ name: 'file:///secret/*' })], [record as never]);
    expect(undecidable).toMatchObject([{ why: 'an argument is masked or cut in the record' }]);
  });

  test('a completion of a prompt is decided by the name of the prompt, and only completions have values', () => {
    expect(applies({ name: 'greet{name}' }, typed('greet{name}'))).toEqual([true, true]);
    const { arguments: args = {} } = typed(template, { folder: 'secret' });
    expect(applies({ name: 'file:///secret/*' }, { kind: 'resource', name: template, arguments: args })).toEqual([
      ...[false, false],
    ]);
  });

  test.each<[JsonObject]>([
    [{}],
    [{ argument: 'name' }],
    [{ context: { arguments: 'x' } }],
    [{ argument: { value: 1 } }],
  ])('a completion without values is decided by the rest of its template: %j', (args) => {
    expect(
      applies({ name: 'file:///docs/' }, { kind: 'completion', name: 'file:///docs/{name}', arguments: args }),
    ).toEqual([true, true]);
  });
});

describe('a rule', () => {
  const shop = { server: 'shop', uri: 'skill://a', definition: 'd' };
  const web = { ...shop, server: 'web' };

  test.each<[ActMatch, Partial<Act>, boolean, boolean]>([
    [{ under: 'shop' }, { under: [shop] }, true, true],
    [{ under: 'shop' }, { under: [shop, web] }, false, true],
    [{ under: ['shop', 'w*'] }, { under: [shop, web] }, true, true],
    [{ under: 'shop' }, { under: [web] }, false, false],
    [{ under: 'shop' }, { under: [] }, false, false],
    [{ under: '*' }, {}, false, false],
    [{ by: 'app' }, { by: 'app' }, true, true],
    [{ by: 'app' }, {}, false, false],
    [{ session: '*' }, {}, false, false],
    [{ status: ['new', 'approved'] }, {}, false, false],
    [{ principal: '*' }, { principal: '' }, true, true],
  ])('with %j about an act with %j', (match, facts, allows, denies) => {
    expect(applies(match, facts)).toEqual([allows, denies]);
  });

  test('a rule that asks or counts is as strict as one that denies', () => {
    const facts = { under: [shop, web] };
    expect(decide(rules.ask({ under: 'shop' }), facts).verdict).toBe('ask');
    const spent = { count: () => 1, tokens: () => 0 };
    const budget = rules.budget({ under: 'shop' }, { calls: 1, per: 'session' });
    expect(decidePolicy([budget], act(facts), spent).verdict).toBe('deny');
  });
});

test.each<[string, string, boolean]>([
  ['a*b*c', 'abc', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*bc*c', 'abc', false],
  ['a*b*', 'ab', true],
  ['*a*', 'bab', true],
  ['**', '', true],
  ['ab*ba', 'aba', false],
  ['a*b*b', 'ab', false],
  ['*.txt', '.txt', true],
  ['a', 'a*', false],
])('the pattern %s for %s', (pattern, text, expected) => {
  expect(compileGlob(pattern)(text)).toBe(expected);
});
