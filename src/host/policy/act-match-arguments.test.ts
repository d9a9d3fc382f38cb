import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import type { Act } from '../act/act.ts';
import type { Decision, PolicyHistory, Rule } from '../act/rule.ts';
import type { ActMatch, ArgumentPattern } from './act-match.ts';
import { BudgetCounters } from './budget-counters.ts';
import { decidePolicy } from './decide-policy.ts';
import { rules } from './rules.ts';

const nothing: PolicyHistory = { count: () => 0, tokens: () => 0 };
const so = (policy: readonly Rule[], facts: Partial<Act> = {}): Decision => decidePolicy(policy, act(facts), nothing);
const said = (rule: Rule, value: unknown): boolean => so([rule], { arguments: { path: value } }).rule !== 'none';

describe('a pattern for an argument', () => {
  test.each<[ArgumentPattern | readonly ArgumentPattern[], unknown, { allow: boolean; deny: boolean }]>([
    [/^\/tmp\//, ['/tmp/a', '/tmp/b'], { allow: true, deny: true }],
    [/^\/tmp\//, ['/tmp/a', '/etc/passwd'], { allow: false, deny: true }],
    [/^\/tmp\//, [['/tmp/a'], ['/tmp/b', ['/etc/passwd']]], { allow: false, deny: true }],
    [/^\/tmp\//, [['/tmp/a'], ['/tmp/b']], { allow: true, deny: true }],
    [/^\/tmp\//, [], { allow: false, deny: false }],
    [/^\/tmp\//, [[]], { allow: false, deny: false }],
    [/^\/tmp\//, [{ path: '/tmp/a' }], { allow: false, deny: true }],
    [/^\/tmp\//, { '/tmp/a': 1 }, { allow: false, deny: true }],
    [/^\/etc\//, [{ deep: [{ deeper: '/etc/passwd' }] }], { allow: false, deny: true }],
    [/^file:\/\/\/docs\/[^/]+$/, 'file:///docs/a', { allow: true, deny: true }],
    [/^file:\/\/\/docs\/[^/]+$/, 'file:///docs/sub%2Fsecret', { allow: false, deny: true }],
    [/\[object/, [{}], { allow: false, deny: false }],
    [/,/, ['a', 'b'], { allow: false, deny: false }],
    ['a', ['a', 'a'], { allow: true, deny: true }],
    ['a', ['a', 'b'], { allow: false, deny: true }],
    ['a', [{ x: 'a' }], { allow: false, deny: true }],
    [['a', 'b'], ['a', 'b'], { allow: true, deny: true }],
    [['a', 'b'], ['a', 'b', 'c'], { allow: false, deny: true }],
    [1, [1, '1'], { allow: false, deny: true }],
    [1, ['1'], { allow: false, deny: true }],
    // Servers convert text to the type that their schema names.
    [10, ' +1e1 ', { allow: false, deny: true }],
    [10, '10 px', { allow: false, deny: false }],
    [0, '', { allow: false, deny: false }],
    [0, null, { allow: false, deny: false }],
    [true, 'True', { allow: false, deny: true }],
    [true, [1], { allow: false, deny: true }],
    [true, '1', { allow: false, deny: true }],
    [true, 'yes', { allow: false, deny: true }],
    [true, 'ON', { allow: false, deny: true }],
    [true, ['false', 0, 'no', 2], { allow: false, deny: false }],
    [false, 'FALSE', { allow: false, deny: true }],
    [false, 0, { allow: false, deny: true }],
    [false, 'off', { allow: false, deny: true }],
    [false, ['', null, 'true'], { allow: false, deny: false }],
    [null, 'null', { allow: false, deny: false }],
    ['22', 22, { allow: false, deny: true }],
    ['a', ' a', { allow: false, deny: true }],
    ['a', '%61', { allow: false, deny: true }],
    ['a', 'A', { allow: false, deny: false }],
    ['https://evil.example', 'HTTPS://evil.example:443/', { allow: false, deny: true }],
    ['file:///a%20b', 'file:///a b', { allow: false, deny: true }],
    ['', ['a', null], { allow: false, deny: false }],
    [/^1$/, [1], { allow: true, deny: true }],
    [null, [null], { allow: true, deny: true }],
    [(value) => Array.isArray(value) && value.length === 2, ['a', 'b'], { allow: true, deny: true }],
    [[(value) => value === 'whole', 'x'], ['whole'], { allow: false, deny: false }],
  ])('%j on %j', (pattern, value, expected) => {
    const match: ActMatch = { arguments: { path: pattern } };
    expect({ allow: said(rules.allow(match), value), deny: said(rules.deny(match), value) }).toEqual(expected);
    expect(said(rules.ask(match), value)).toBe(expected.deny);
  });

  test.each([
    ['/tmp/../etc/passwd', false],
    ['/tmp/%2e%2e/etc/passwd', false],
    ['/tmp/..%2fetc', false],
    ['/tmp/..\\etc', false],
    ['/tmp/a..b', true],
    ['/tmp/./a', true],
  ])('a pattern for an argument allows no path with a parent segment: %s', (path, allowed) => {
    expect(said(rules.allow({ arguments: { path: /^\/tmp\// } }), path)).toBe(allowed);
    expect(said(rules.allow({ arguments: { path } }), path)).toBe(true);
  });

  test('a pattern for an argument is tested on every spelling of a URI', () => {
    const deny = rules.deny({ arguments: { path: /^https:\/\/evil\.example\// } });
    const spellings = ['HTTPS://EVIL.example/x', 'https://evil.example:443/x', 'https://a@evil.example./x'];
    // The parser of the platform reads the same.
    const alike = ['https:evil.example/x', '\u0001https://evil.example/x', 'ht\ttps://evil.example/x'];
    for (const url of [...spellings, ...alike])
      expect([url, said(deny, url), said(deny, [{ url }])]).toEqual([url, true, true]);
    const allow = rules.allow({ arguments: { path: /^https:\/\/good\.example\/docs\// } });
    expect(said(allow, 'https://good.example/docs/a')).toBe(true);
    expect(said(allow, 'https://good.example/docs/%2e%2e/admin')).toBe(false);
    expect(said(allow, 'https://good.example/docs/./admin')).toBe(false);
  });

  test.each([
    ['HTTPS://good.example@evil.example', false],
    [' https://good.example@evil.example', false],
    ['web+https:\\\\good.example', false],
    ['https: good.example', true],
    ['see https://good.example', true],
    ['1://good.example @ 5', true],
    ['a b://good.example', true],
  ])('a pattern treats text that starts like a URI as one, and allows none that is ambiguous: %j', (text, allowed) => {
    expect(said(rules.allow({ arguments: { path: /good\.example/ } }), text)).toBe(allowed);
  });
});

describe('a function of a rule', () => {
  const later: (() => boolean)[] = [
    () => Promise.resolve(false) as unknown as boolean,
    () => Promise.reject(new Error('secret')) as unknown as boolean,
    // biome-ignore lint/suspicious/noThenProperty: what looks like a promise is one
    () => ({ then: () => undefined }) as unknown as boolean,
  ];

  test.each(later)('a function that returns a promise denies, with the reason: %#', (where) => {
    for (const make of [rules.allow, rules.ask, rules.deny])
      for (const match of [{ where }, { arguments: { path: where } }, { arguments: { path: ['x', where] } }]) {
        const decision = so([make(match), rules.allow({})]);
        expect(decision.verdict).toBe('deny');
        expect(decision.why).toMatch(/^"(?:where|path)" returned a promise\. A rule decides at once/);
      }
    expect(so([rules.budget({ where }, { calls: 1, per: 'day' })]).why).toContain('returned a promise');
  });

  test('an async function is rejected when the rule is created', () => {
    const late = (async () => true) as unknown as () => boolean;
    for (const match of [{ where: late }, { arguments: { path: late } }, { arguments: { path: ['x', late] } }])
      expect(() => rules.deny(match)).toThrow('must not be async. A rule decides at once');
  });

  test('the compiler rejects an async function', () => {
    // @ts-expect-error a promise is no decision
    expect(() => rules.deny({ where: async () => true })).toThrow('async');
    // @ts-expect-error neither is it for an argument
    expect(() => rules.deny({ arguments: { path: async () => true } })).toThrow('async');
  });

  test('a function that returns neither true nor false denies rather than allows', () => {
    const odd = (() => 'yes') as unknown as () => boolean;
    expect(so([rules.allow({ where: odd })]).rule).toBe('none');
    expect(so([rules.deny({ where: odd })]).verdict).toBe('deny');
    expect(so([rules.deny({ arguments: { path: odd } })]).verdict).toBe('deny');
    expect(so([rules.deny({ where: () => false })]).rule).toBe('none');
  });

  test('a custom rule that returns a promise denies', () => {
    const mine = { text: 'mine', decide: (() => Promise.reject(new Error('secret'))) as unknown as Rule['decide'] };
    expect(so([mine, rules.allow({})])).toMatchObject({ verdict: 'deny', why: expect.stringContaining('a promise') });
  });

  test('a budget whose function throws counts everything', () => {
    const where = (): boolean => {
      throw new Error('broken');
    };
    const policy = [rules.allow({ name: 'x' }), rules.budget({ where }, { calls: 1, per: 'day' })];
    const counters = new BudgetCounters(policy);
    counters.reserve(act({ name: 'x' }), 0);
    expect(counters.counts(undefined, 0)).toMatchObject([{ calls: 1 }]);
  });
});
