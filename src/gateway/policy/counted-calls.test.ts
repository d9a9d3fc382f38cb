/** Whose calls share a budget, how often a call is counted, and the records. */
import { expect, test } from 'vitest';
import { policyWorld } from '../../../test/support/gateway-policy.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ExposedPart, GatewayMetrics, Retry } from '../contract.ts';
import type { CallerFacts } from './gateway-match.ts';
import { gatewayRules as rules } from './gateway-rules.ts';

const refund: ExposedPart = { label: 'shop', kind: 'tool', key: 'refund', name: 'shop__refund', definition: {} };
const ada: CallerFacts = { view: 'default', issuer: 'https://id', subject: 'ada', clientId: 'desk', scopes: [] };
const once = rules.budget({}, { calls: 1, per: 'hour' });

test.each<[string, boolean, CallerFacts]>([
  ['in another program', false, { ...ada, clientId: 'phone' }],
  ['with other scopes', false, { ...ada, scopes: ['write'] }],
  ['of another name', true, { ...ada, subject: 'bob' }],
  ['of the same name at another issuer', true, { ...ada, issuer: 'https://other' }],
])('a caller %s has rates and budgets of its own: %s', async (_who, isApart, other) => {
  const budgets = policyWorld({ policy: [once, rules.allow({})] });
  const rates = policyWorld({ policy: [rules.allow({})], rates: { perPrincipal: { calls: 1, perMs: 1_000 } } });
  for (const world of [budgets, rates]) {
    expect(await world.call(refund, ada, {})).toBe('allowed');
    expect((await world.call(refund, other, {})) === 'allowed').toBe(isApart);
  }
});

test('budgets of two rules count apart', async () => {
  const budget = (name: string) => rules.budget({ name }, { calls: 1, per: 'hour' });
  const world = policyWorld({ policy: [budget('refund'), budget('orders'), rules.allow({})] });
  for (const key of ['refund', 'orders']) {
    expect(await world.call({ ...refund, key }, ada, {})).toBe('allowed');
    expect(await world.call({ ...refund, key }, ada, {})).toMatch(/^denied/);
  }
});

test.each<[string, boolean, Retry['state']]>([
  ['the answer to the question of a rule', false, { stage: 'policy', part: refund }],
  ['coming back for a call that waits', false, { stage: 'wait', part: refund, node: 'n', call: 'c', round: 1 }],
  ['a round of a call that was approved', false, { stage: 'relay', part: refund, round: 1, approved: true }],
  ['another round of a call', true, { stage: 'relay', part: refund, round: 1 }],
])('rates count %s: %s', async (_what, isCounted, state) => {
  const world = policyWorld({ policy: [rules.allow({})], rates: { perPrincipal: { calls: 1, perMs: 1_000 } } });
  expect(await world.call(refund, ada, {})).toBe('allowed');
  const came = world.admit(refund, ada, { retry: { state, inputResponses: {} } });
  expect(
    await came.then(
      () => 'admitted',
      () => 'limited',
    ),
  ).toBe(isCounted ? 'limited' : 'admitted');
});

test('a call that waits is counted once, however often its caller comes back for it', async () => {
  const world = policyWorld({ policy: [once, rules.allow({})] });
  const state = { stage: 'wait', part: refund, node: 'n', call: 'c', round: 1 } as const;
  const retry: Retry = { state, inputResponses: {} };
  expect(await world.call(refund, ada, {})).toBe('allowed');
  for (let n = 0; n < 3; n++)
    expect(await world.call(refund, ada, {}, { retry, params: { requestState: 'sealed' } })).toBe('allowed');
  expect(await world.call(refund, ada, {})).toMatch(/^denied/);
});

test('the state of a call is counted with it the first time, and as another call when it is used again', async () => {
  const world = policyWorld({ policy: [once, rules.allow({})] });
  const retry: Retry = { state: { stage: 'relay', part: refund, round: 1 }, inputResponses: {} };
  const round = (requestState: string): Promise<string> =>
    world.call(refund, ada, {}, { retry, params: { requestState } });
  expect(await world.call(refund, ada, {})).toBe('allowed');
  expect([await round('one'), await round('two')]).toEqual(['allowed', 'allowed']);
  expect([await round('one'), await round('two')]).toEqual([
    expect.stringMatching(/^denied/),
    expect.stringMatching(/^denied/),
  ]);
});

test.each<[JsonObject, string]>([
  [{ action: 'decline' }, 'the user declined it'],
  [{ action: 'cancel' }, 'a user must approve it, and none did'],
  [{ action: 'accept', content: { confirm: false } }, 'a user must approve it, and none did'],
])('a user that answers %j is quoted: %s', async (answer, why) => {
  const world = policyWorld({ policy: [rules.ask({})] });
  const call = { revision: '2025-11-25', answer: () => answer };
  expect(await world.call(refund, ada, {}, call)).toBe(`denied: "shop__refund" was denied: ${why}`);
});

test('a completion of a template is decided by the URI that its values lead to', async () => {
  const note: ExposedPart = { ...refund, kind: 'template', key: 'note://{id}', name: 'shop+note://{id}' };
  const world = policyWorld({ policy: [rules.deny({ name: 'note://secret*' }), rules.allow({})] });
  const complete = (value: string): Promise<string> =>
    world.call(note, ada, {}, { method: 'completion/complete', params: { argument: { name: 'id', value } } });
  expect([await complete('secret-1'), await complete('open-1')]).toEqual([expect.stringMatching(/^denied/), 'allowed']);
});

test('decisions, limits and failures of the store are counted by rule and by kind', async () => {
  const counted: unknown[] = [];
  const count: GatewayMetrics['count'] = (name, labels) => void counted.push([name, labels]);
  const store = { take: () => Promise.reject(new Error('away')) };
  const rates = { perPrincipal: { calls: 1, perMs: 1_000 }, store };
  const world = policyWorld({ policy: [rules.allow({})], rates, metrics: { count, observe: () => undefined } });
  for (let n = 0; n < 2; n++) await world.call(refund, ada, {});
  expect(counted).toEqual([
    ['store_failures_total', { use: 'rates' }],
    ['policy_total', { verdict: 'allow', rule: 'policy.0' }],
    ['store_failures_total', { use: 'rates' }],
    ['rate_limited_total', { what: 'calls' }],
  ]);
});

test('a call that a budget denies is counted as denied by that rule, not as allowed by the rule after it', async () => {
  const counted: unknown[] = [];
  const count: GatewayMetrics['count'] = (_name, { verdict, rule }: Record<string, string>) =>
    void counted.push(`${verdict} ${rule}`);
  const policy = [rules.deny({ name: 'other' }), once, rules.allow({})];
  const world = policyWorld({ policy, metrics: { count, observe: () => undefined } });
  for (let n = 0; n < 2; n++) await world.call(refund, ada, {});
  await world.call({ ...refund, key: 'other' }, ada, {});
  expect(counted).toEqual(['allow policy.2', 'deny policy.1', 'deny policy.0']);
});
