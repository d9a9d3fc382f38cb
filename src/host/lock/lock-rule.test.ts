import { expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import type { Act, DefinitionStatus } from '../act/act.ts';
import type { Rule, Verdict } from '../act/rule.ts';
import { decidePolicy } from '../policy/decide-policy.ts';
import { rules } from '../policy/rules.ts';
import { lockRule } from './lock-rule.ts';

const history = { count: () => 0, tokens: () => 0 };
const every: readonly DefinitionStatus[] = ['approved', 'new', 'changed', 'suspicious'];

const verdictsOf = (policy: readonly Rule[], frozen: boolean, facts: Partial<Act> = {}): Verdict[] =>
  every.map(
    (status) => decidePolicy([lockRule(policy, { frozen }), ...policy], act({ ...facts, status }), history).verdict,
  );

test('a definition that changed or looks like an attack is asked about, although a rule allows it', () => {
  expect(verdictsOf([rules.allow({})], false)).toEqual(['allow', 'allow', 'ask', 'ask']);
  const { kind, name } = act({});
  expect(verdictsOf([rules.allow({ kind, name }), rules.deny({})], false)).toEqual(['allow', 'allow', 'ask', 'ask']);
});

test('what a rule denies stays denied', () => {
  expect(verdictsOf([rules.deny({})], false)).toEqual(every.map(() => 'deny'));
  expect(verdictsOf([rules.deny({ name: 'read_*' }), rules.allow({})], false)).toEqual(every.map(() => 'deny'));
});

test('a rule that speaks of status has the last word', () => {
  const trusting = [rules.allow({ status: 'changed' }), rules.allow({})];
  expect(verdictsOf(trusting, false)).toEqual(['allow', 'allow', 'allow', 'ask']);
  const strict = [rules.deny({ status: 'suspicious' }), rules.ask({ status: 'new' }), rules.allow({})];
  expect(verdictsOf(strict, false)).toEqual(['allow', 'ask', 'ask', 'deny']);
});

test('a frozen lock denies what is not approved, whatever the rules say', () => {
  const denied = every.map((status) => (status === 'approved' ? 'allow' : 'deny'));
  expect(verdictsOf([rules.allow({})], true)).toEqual(denied);
  expect(
    decidePolicy([lockRule([], { frozen: true }), rules.allow({})], act({ kind: 'resource' }), history).verdict,
  ).toBe('allow');
});

test('the rules after it still decide with what they count', () => {
  const policy = [rules.budget({}, { calls: 1, per: 'session' }), rules.allow({})];
  const used = { count: () => 1, tokens: () => 0 };
  const decision = decidePolicy([lockRule(policy, { frozen: false }), ...policy], act({ status: 'changed' }), used);
  expect(decision.verdict).toBe('deny');
});
