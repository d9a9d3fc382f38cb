/** Rules as a configuration file has them. */
import { expect, test } from 'vitest';
import { readRules } from './read-rules.ts';

test('rules are read from data as a file has them', () => {
  const { rules, faults } = readRules([
    { deny: { server: 'shop', name: 'refund', lacks: 'shop:write' } },
    { deny: { server: 'shop', claims: { 'realm.roles': ['guest', 7] }, visible: true } },
    { ask: { server: 'shop', effects: 'destructive', arguments: { path: [{ pattern: '^/tmp/' }, 'x'] } } },
    { budget: { match: { server: 'github' }, calls: 1_000, per: 'hour', for: 'principal' } },
    { budget: { calls: 5, per: { ms: 100 }, for: 'all' } },
    { trustAnnotationsOf: ['shop'] },
    { allow: {} },
  ]);
  expect(faults).toEqual([]);
  expect(rules.map(({ text }) => text)).toEqual([
    'deny { server: shop, name: refund, lacks: shop:write }',
    'deny { server: shop, claims: { realm.roles: [guest, 7] } } visible',
    'ask { server: shop, effects: destructive, arguments: { path: [/^\\/tmp\\//u, x] } }',
    'budget { server: github } 1000 calls per hour',
    'budget everything 5 calls per 100 ms for all',
    'trustAnnotationsOf shop',
    'allow everything',
  ]);
});

test.each<[unknown, (string | number)[], string | RegExp]>([
  ['x', [], 'must be a list of rules'],
  [[7], [0], 'must be an object with one of allow, ask, deny, budget, trustAnnotationsOf'],
  [[{ allow: {}, deny: {} }], [0], 'must be an object with one of allow, ask, deny, budget, trustAnnotationsOf'],
  [[JSON.parse('{"__proto__":{}}')], [0, '__proto__'], /^is not a rule/],
  [[{ toString: {} }], [0, 'toString'], /^is not a rule/],
  [[JSON.parse('{"deny":{"__proto__":{"a":1}}}')], [0, 'deny', '__proto__'], /^is not known/],
  [[{ alow: {} }], [0, 'alow'], 'is not a rule; did you mean allow?'],
  [[{ allow: {} }, { deny: { lack: 'x' } }], [1, 'deny', 'lack'], 'is not known; did you mean lacks?'],
  [[{ allow: { visible: true } }], [0, 'allow', 'visible'], /^is not known/],
  [[{ deny: { visible: 'yes' } }], [0, 'deny', 'visible'], 'must be true or false'],
  [[{ deny: 'everything' }], [0, 'deny'], 'must be an object of what it matches; {} matches everything'],
  [[{ deny: { effects: 'bad' } }], [0, 'deny', 'effects'], 'must be one of read, write, destructive, unknown'],
  [[{ deny: { kind: 'spawn' } }], [0, 'deny', 'kind'], 'must be one of tool, prompt, resource'],
  [[{ deny: { scopes: [] } }], [0, 'deny', 'scopes'], 'must not be empty: it would match nothing'],
  [[{ deny: { view: 7 } }], [0, 'deny', 'view'], 'must be text'],
  [[{ deny: { claims: 'x' } }], [0, 'deny', 'claims'], 'must be an object of patterns'],
  [[{ deny: { claims: { a: null } } }], [0, 'deny', 'claims'], 'must have text, numbers or booleans'],
  [[{ deny: { claims: { a: { b: 1 } } } }], [0, 'deny', 'claims'], 'must have text, numbers or booleans'],
  [[{ deny: { arguments: { a: { regex: 'x' } } } }], [0, 'deny', 'arguments', 'a'], /^must be a value or/],
  [[{ deny: { arguments: { a: { pattern: '(' } } } }], [0, 'deny', 'arguments', 'a'], /^Invalid regular expression/],
  [[{ deny: { arguments: { a: { pattern: '(a+)+b' } } } }], [0, 'deny', 'arguments'], /can take too long/],
  [[{ budget: { calls: 1, per: 'week' } }], [0, 'budget'], '"per" must be hour, day or { ms }'],
  [[{ budget: { match: null, calls: 1, per: 'hour' } }], [0, 'budget', 'match'], 'must be an object of what it counts'],
  [[{ budget: { per: 'hour' } }], [0, 'budget'], '"calls" of a budget must be a whole number'],
  [[{ budget: { calls: 1, per: 'hour', mach: {} } }], [0, 'budget', 'mach'], 'is not known; did you mean match?'],
  [[{ budget: { calls: 1, per: 'hour', for: 'me' } }], [0, 'budget'], '"for" must be principal or all'],
  [[{ budget: { calls: 1, per: 'hour', match: { srv: 'a' } } }], [0, 'budget', 'match', 'srv'], /^is not known/],
  [[{ trustAnnotationsOf: [] }], [0, 'trustAnnotationsOf'], 'trustAnnotationsOf takes the labels of upstreams'],
])('a mistake in %j is reported with its place and its reason', (data, path, why) => {
  const { rules, faults } = readRules(data);
  expect(faults).toEqual([
    { path: ['policy', ...path], why: typeof why === 'string' ? why : expect.stringMatching(why) },
  ]);
  expect(rules.every(({ text }) => text === 'allow everything')).toBe(true);
});

test('all mistakes of a policy are reported, several in one rule too', () => {
  const { rules, faults } = readRules([{ deny: { servr: 'a', kind: 'x' } }, { allow: {} }, { ask: { vew: 'a' } }]);
  expect(faults.map(({ path }) => path.join('.'))).toEqual([
    'policy.0.deny.servr',
    'policy.0.deny.kind',
    'policy.2.ask.vew',
  ]);
  expect(rules).toHaveLength(1);
});
