/** Rules in a configuration file. */
import { expect, test } from 'vitest';
import { type RuleEntry, readRule, ruleFaults } from './read-rules.ts';

test('rules are read from data as a file has them', () => {
  const entries: readonly RuleEntry[] = [
    { deny: { server: 'shop', name: 'refund', lacks: 'shop:write' } },
    { deny: { server: 'shop', claims: { 'realm.roles': ['guest', 7] }, visible: true } },
    { ask: { server: 'shop', effects: 'destructive', arguments: { path: [{ pattern: '^/tmp/' }, 'x'] } } },
    { budget: { match: { server: 'github' }, calls: 1_000, per: 'hour', for: 'principal' } },
    { budget: { calls: 5, per: { ms: 100 }, for: 'all' } },
    { trustAnnotationsOf: ['shop'] },
    { trustAnnotationsOf: 'mail' },
    { allow: {} },
  ];
  expect(entries.flatMap(ruleFaults)).toEqual([]);
  expect(entries.map((entry) => readRule(entry).text)).toEqual([
    'deny { server: shop, name: refund, lacks: shop:write }',
    'deny { server: shop, claims: { realm.roles: [guest, 7] } } visible',
    'ask { server: shop, effects: destructive, arguments: { path: [/^\\/tmp\\//u, x] } }',
    'budget { server: github } 1000 calls per hour',
    'budget everything 5 calls per 100 ms for all',
    'trustAnnotationsOf shop',
    'trustAnnotationsOf mail',
    'allow everything',
  ]);
});

test.each<[object, string[], string | RegExp]>([
  [JSON.parse('{"deny":{"__proto__":{"a":1}}}'), ['deny', '__proto__'], /^is not known/],
  [{ deny: { lack: 'x' } }, ['deny', 'lack'], 'is not known; did you mean lacks?'],
  [{ deny: { effects: 'bad' } }, ['deny', 'effects'], 'must be one of read, write, destructive, unknown'],
  [{ deny: { kind: 'spawn' } }, ['deny', 'kind'], 'must be one of tool, prompt, resource'],
  [{ deny: { scopes: [] } }, ['deny', 'scopes'], 'must not be empty: it would match nothing'],
  [{ deny: { view: 7 } }, ['deny', 'view'], 'must be text'],
  [{ deny: { claims: 'x' } }, ['deny', 'claims'], 'must be an object of patterns'],
  [{ deny: { claims: { a: null } } }, ['deny', 'claims'], 'must have text, numbers or booleans'],
  [{ deny: { claims: { a: { b: 1 } } } }, ['deny', 'claims'], 'must have text, numbers or booleans'],
  [{ ask: { arguments: {} } }, ['ask'], '"arguments" must not be empty: it would match nothing'],
  [{ deny: { arguments: { a: { regex: 'x' } } } }, ['deny', 'arguments', 'a'], /^must be a value or/],
  [{ deny: { arguments: { a: { pattern: 7 } } } }, ['deny', 'arguments', 'a'], /^must be a value or/],
  [{ deny: { arguments: { a: [{ pattern: 'x', flags: 'i' }] } } }, ['deny', 'arguments', 'a'], /^must be a value or/],
  [{ deny: { arguments: { a: { pattern: '(' } } } }, ['deny', 'arguments', 'a'], /^Invalid regular expression/],
  [{ deny: { arguments: { a: { pattern: '(a+)+b' } } } }, ['deny', 'arguments', 'a'], /can take too long/],
  [{ budget: { calls: 1, per: 'week' } }, ['budget'], '"per" must be hour, day or { ms }'],
  [{ budget: { per: 'hour' } }, ['budget'], '"calls" of a budget must be a whole number'],
  [{ budget: { calls: 1, per: 'hour', for: 'me' } }, ['budget'], '"for" must be principal or all'],
  [{ budget: { calls: 1, per: 'hour', match: { srv: 'a' } } }, ['budget', 'match', 'srv'], /^is not known/],
  [{ trustAnnotationsOf: [] }, ['trustAnnotationsOf'], 'trustAnnotationsOf takes the labels of upstreams'],
  [{ alow: {} }, ['alow'], 'must be one of allow, ask, deny, budget, trustAnnotationsOf'],
])('a mistake in %j is reported with its place and its reason, and it is no rule', (entry, path, why) => {
  expect(ruleFaults(entry)).toEqual([{ path, why: typeof why === 'string' ? why : expect.stringMatching(why) }]);
  expect(() => readRule(entry)).toThrow();
});

test('all mistakes of a rule are reported', () => {
  const faults = ruleFaults({
    deny: { servr: 'a', kind: 'x', arguments: { a: { pattern: '(' }, b: { pattern: ')' } } },
  });
  expect(faults.map(({ path }) => path.join('.'))).toEqual([
    'deny.servr',
    'deny.kind',
    'deny.arguments.a',
    'deny.arguments.b',
  ]);
});
