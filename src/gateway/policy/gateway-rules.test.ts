/** Valid and invalid budgets. */
import { expect, test } from 'vitest';
import { type GatewayBudget, gatewayRules as rules, withTrustedUpstreams } from './gateway-rules.ts';

test.each<[GatewayBudget['per'], number]>([
  ['hour', 3_600_000],
  ['day', 86_400_000],
  [{ ms: 1 }, 1],
  [{ ms: 0.5 }, 0.5],
])('a budget per %j counts within %d ms, for each person', (per, perMs) => {
  expect(rules.budget({}, { calls: 0, per }).limit).toEqual({ calls: 0, perMs, isShared: false });
});

test.each<[object, string]>([
  [{ calls: -1, per: 'hour' }, '"calls" of a budget must be a whole number'],
  [{ calls: 1.5, per: 'hour' }, '"calls" of a budget must be a whole number'],
  [{ calls: Number.NaN, per: 'hour' }, '"calls" of a budget must be a whole number'],
  [{ calls: 1, per: null }, '"per" must be hour, day or { ms }'],
  [{ calls: 1 }, '"per" must be hour, day or { ms }'],
  [{ calls: 1, per: { ms: 0 } }, '"per" must be hour, day or { ms }'],
  [{ calls: 1, per: { ms: '5' } }, '"per" must be hour, day or { ms }'],
  [{ calls: 1, per: { ms: Number.POSITIVE_INFINITY } }, '"per" must be hour, day or { ms }'],
  [{ calls: 1, per: 'hour', for: 'constructor' }, '"for" must be principal or all'],
  [{ calls: 1, per: 'hour', fro: 'all' }, 'there is no option "fro"; did you mean for'],
])('a budget of %j is rejected when it is made', (budget, why) => {
  expect(() => rules.budget({}, budget as GatewayBudget)).toThrow(why);
});

test.each([[[]], [['']], [['shop', '']], [[7]]])('trust in the upstreams %j is rejected when it is made', (labels) => {
  expect(() => rules.trustAnnotationsOf(...(labels as string[]))).toThrow('takes the labels of upstreams');
});

test('without rules everything is allowed, and trusted upstreams stand before all rules', () => {
  const texts = (...of: Parameters<typeof withTrustedUpstreams>): string[] =>
    withTrustedUpstreams(...of).map(({ text }) => text);
  expect(texts([], undefined)).toEqual(['allow everything']);
  expect(texts([], [])).toEqual([]);
  expect(texts(['shop', 'bank'], [rules.ask({})])).toEqual(['ask everything', 'trustAnnotationsOf shop, bank']);
});
