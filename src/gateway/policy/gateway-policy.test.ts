/** Rules, questions, budgets, rate limits and records of a gateway. */
import { expect, test } from 'vitest';
import { policyWorld } from '../../../test/support/gateway-policy.ts';
import type { AuditRecord } from '../../host/audit/audit.ts';
import { memoryAudit } from '../../host/audit/memory-audit.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { revisions } from '../../revisions/index.ts';
import type { ExposedPart, Retry } from '../contract.ts';
import { explainPart } from './decide-request.ts';
import type { CallerFacts } from './gateway-match.ts';
import { gatewayRules as rules } from './gateway-rules.ts';

const refund: ExposedPart = { label: 'shop', kind: 'tool', key: 'refund', name: 'shop__refund', definition: {} };
const orders: ExposedPart = { ...refund, kind: 'prompt', key: 'orders', name: 'shop__orders' };
const page: ExposedPart = { ...refund, kind: 'resource', key: 'x://a', name: 'shop+x://a' };
const ada: CallerFacts = { view: 'default', issuer: 'https://id', subject: 'ada', clientId: 'desk', scopes: ['read'] };
const bob: CallerFacts = { ...ada, subject: 'bob' };
const yes = (): JsonObject => ({ action: 'accept', content: { confirm: true } });
const policyState: Retry['state'] = { stage: 'policy', part: refund };
const answered = (answer: JsonObject): Retry => ({ state: policyState, inputResponses: { policy: answer } });

test('what no rule matches is denied, and looks like what does not exist', async () => {
  const world = policyWorld({ policy: [rules.allow({ name: 'orders' })] });
  expect([world.lists(orders, ada), world.lists(refund, ada)]).toEqual([true, false]);
  expect([await world.call(orders, ada, {}), await world.call(refund, ada, {})]).toEqual(['allowed', 'unknown']);
});

test('a rule that is visible lists what it denies, and is named', async () => {
  const world = policyWorld({ policy: [rules.deny({ lacks: 'write' }, { visible: true }), rules.allow({})] });
  expect(world.lists(refund, ada)).toBe(true);
  expect(await world.call(refund, ada, {})).toBe(
    'denied: "shop__refund" was denied: the caller does not have the scope write (rule: deny { lacks: write } visible)',
  );
  expect(await world.call(refund, { ...ada, scopes: ['write'] }, {})).toBe('allowed');
});

test('a rule on arguments denies these arguments, of a part that is listed, and is not named', async () => {
  const world = policyWorld({ policy: [rules.deny({ arguments: { order: 7 } }), rules.allow({})] });
  expect(world.lists(refund, ada)).toBe(true);
  expect(await world.call(refund, ada, { order: 8 })).toBe('allowed');
  const denied = await world.call(refund, ada, { order: 7 });
  expect(denied).toBe('denied: "shop__refund" was denied: a rule of the gateway denies it');
});

test('a completion is decided by the arguments that it names, and never asked about', async () => {
  const complete = (params: JsonObject) => ({ method: 'completion/complete', params });
  const world = policyWorld({ policy: [rules.deny({ arguments: { folder: 'secret' } }), rules.allow({})] });
  const context = { arguments: { folder: 'secret' } };
  const argument = { name: 'file', value: 'a' };
  expect(await world.call(orders, ada, {}, complete({ argument }))).toBe('allowed');
  expect(await world.call(orders, ada, {}, complete({ argument, context }))).toMatch(/^denied/);
  const own = { name: 'folder', value: 'secret' };
  expect(await world.call(orders, ada, {}, complete({ argument: own }))).toMatch(/^denied/);
  const asking = policyWorld({ policy: [rules.ask({})] });
  expect(await asking.call(orders, ada, {}, complete({ argument }))).toMatch(/^denied/);
  expect(asking.asked).toEqual([]);
});

test.each(revisions.map(({ id }) => id))(
  'a rule that asks does so in %s where the caller can be asked, and denies elsewhere',
  async (revision) => {
    const world = policyWorld({ policy: [rules.ask({})] });
    const hasForms = ['2025-06-18', '2025-11-25'].includes(revision);
    const isLive = hasForms || revision < '2025-06-18';
    for (const part of [refund, orders, page]) {
      const asked = await world.call(part, ada, { order: 7 }, { revision, answer: yes });
      expect(asked).toMatch(isLive ? (hasForms ? /^approved$/ : /^denied/) : /^asks$/);
      const no = await world.call(part, ada, {}, { revision, answer: () => ({ action: 'decline' }) });
      expect(no).toMatch(isLive ? /^denied/ : /^asks$/);
      const cannot = await world.call(part, ada, {}, { revision, capabilities: {}, answer: yes });
      expect(cannot).toMatch(isLive ? /^denied/ : /^-32021$/);
    }
    expect(world.asked).toHaveLength(hasForms ? 6 : 0);
    if (hasForms)
      expect(world.asked[0]?.params).toMatchObject({
        message: '[shop] Allow a call of the tool "refund"? Arguments: {"order":7}',
        requestedSchema: { properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
      });
  },
);

test('a caller that introduces itself with each request is told which capability a rule that asks needs', async () => {
  const world = policyWorld({ policy: [rules.ask({})] });
  await expect(world.admit(refund, ada, { capabilities: {} })).rejects.toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { elicitation: { form: {} } } },
  });
});

test('nothing is asked before the end of a handshake', async () => {
  const world = policyWorld({ policy: [rules.ask({})] });
  const call = { revision: '2025-11-25', answer: yes, isReady: false };
  expect(await world.call(refund, ada, {}, call)).toMatch(/^denied/);
  expect(world.asked).toEqual([]);
});

test.each<[JsonObject, string]>([
  [{ action: 'accept', content: { confirm: true } }, 'approved'],
  [{ action: 'accept', content: { confirm: false } }, 'denied'],
  [{ action: 'accept', content: {} }, 'denied'],
  [{ action: 'accept' }, 'denied'],
  [{ action: 'decline' }, 'denied'],
  [{ action: 'cancel' }, 'denied'],
  [{ action: 'maybe', content: { confirm: true } }, 'denied'],
])('the answer %j to the question of a rule ends with: %s', async (answer, outcome) => {
  const world = policyWorld({ policy: [rules.ask({})] });
  expect(await world.call(refund, ada, {}, { retry: answered(answer) })).toMatch(new RegExp(`^${outcome}`));
  const live = { revision: '2025-11-25', answer: () => answer };
  expect(await world.call(refund, ada, {}, live)).toMatch(new RegExp(`^${outcome}`));
});

test('an approval holds for later rounds of its call, and answers of a later round approve nothing', async () => {
  const world = policyWorld({ policy: [rules.ask({})] });
  const inputResponses = { policy: yes() };
  const relay = { stage: 'relay', part: refund, round: 1 } as const;
  const wait = { stage: 'wait', part: refund, node: 'n', call: 'c', round: 1 } as const;
  const round = (state: Retry['state']): Promise<string> =>
    world.call(refund, ada, {}, { retry: { state, inputResponses } });
  expect(await round({ ...relay, approved: true })).toBe('approved');
  expect(await round(relay)).toMatch(/^denied/);
  expect(await round({ stage: 'visit', part: refund, ids: [] })).toMatch(/^denied/);
  expect(await round(wait)).toBe('allowed');
});

test('a call that goes on is denied by rules that deny it now', async () => {
  const world = policyWorld({ policy: [rules.deny({})] });
  const state = { stage: 'wait', part: refund, node: 'n', call: 'c', round: 1 } as const;
  expect(await world.call(refund, ada, {}, { retry: { state, inputResponses: {} } })).toBe('unknown');
});

test('a budget counts for each person, once for each call, and only what goes to the upstream', async () => {
  const policy = [rules.deny({ arguments: { order: 7 } }), rules.budget({}, { calls: 2, per: 'hour' }), rules.ask({})];
  const world = policyWorld({ policy });
  const call = (caller: CallerFacts, retry?: Retry): Promise<string> =>
    world.call(refund, caller, {}, retry === undefined ? {} : { retry });
  expect(await world.call(refund, ada, { order: 7 })).toMatch(/^denied/);
  for (let n = 0; n < 3; n++) expect(await call(ada)).toBe('asks');
  expect([await call(ada, answered(yes())), await call(ada, answered(yes()))]).toEqual(['approved', 'approved']);
  const relay = { stage: 'relay', part: refund, round: 1, approved: true } as const;
  expect(await call(ada, { state: relay, inputResponses: {} })).toBe('approved');
  expect(await call(ada, answered(yes()))).toBe('denied: "shop__refund" was denied: 2 of 2 calls are used up');
  expect(await call({ ...ada, clientId: 'phone' }, answered(yes()))).toMatch(/^denied/);
  expect(await call(bob, answered(yes()))).toBe('approved');
  await world.clock.advance(3_600_000 * 1.02);
  expect(await call(ada, answered(yes()))).toBe('approved');
});

test('a budget for all counts all callers together', async () => {
  const world = policyWorld({ policy: [rules.budget({}, { calls: 1, per: 'day', for: 'all' }), rules.allow({})] });
  expect([await world.call(refund, ada, {}), await world.call(refund, bob, {})]).toEqual([
    'allowed',
    expect.stringMatching(/^denied/),
  ]);
});

test('a person that sends too many requests is told when to come back', async () => {
  const rates = { perPrincipal: { calls: 2, perMs: 1_000 }, lists: { calls: 1, perMs: 1_000 } };
  const world = policyWorld({ policy: [rules.allow({})], rates });
  expect([await world.call(refund, ada, {}), await world.call(refund, ada, {})]).toEqual(['allowed', 'allowed']);
  const data = { outcome: 'not-sent', retryAfterMs: expect.any(Number), limited: true };
  await expect(world.admit(refund, ada)).rejects.toMatchObject({ code: -32603, data });
  expect(await world.call(refund, bob, {})).toBe('allowed');
  expect(world.lists(refund, ada)).toBe(true);
  await world.admitList(ada);
  await expect(world.admitList(ada)).rejects.toMatchObject({ code: -32603, data });
  await world.clock.advance(1_020);
  expect(await world.call(refund, ada, {})).toBe('allowed');
});

test('rates are counted in this process while the store cannot be reached', async () => {
  const taken: string[] = [];
  const store = {
    take: (key: string) => {
      taken.push(key);
      return Promise.reject(new Error('away'));
    },
  };
  const counted: string[] = [];
  const world = policyWorld({
    policy: [rules.allow({})],
    rates: { perPrincipal: { calls: 1, perMs: 1_000 }, store },
    metrics: { count: (name) => void counted.push(name), observe: () => undefined },
  });
  expect([await world.call(refund, ada, {}), await world.call(refund, ada, {})]).toEqual(['allowed', '-32603']);
  expect(taken).toEqual([expect.stringMatching(/^[\da-f]{32}:calls$/), taken[0]]);
  expect(counted).toEqual(['store_failures_total', 'policy_total', 'store_failures_total', 'rate_limited_total']);
});

test('a trace that is no text is left out of the record, and denies nothing', async () => {
  const audit = memoryAudit();
  const world = policyWorld({ policy: [rules.allow({})], audit: { to: audit } });
  const params = { _meta: { traceparent: { toString: 1, valueOf: 1 } } };
  expect(await world.call(refund, ada, {}, { params })).toBe('allowed');
  expect(audit.records[0]).not.toHaveProperty('gateway.trace');
});

test('every request leaves records that say who, what, why and how it ended, without arguments and answers', async () => {
  const audit = memoryAudit();
  const world = policyWorld({ policy: [rules.ask({})], audit: { to: audit, node: 'a' } });
  const _meta = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
  const params = { _meta };
  await world.call(refund, ada, { card: '4111' }, { params });
  await world.call(refund, ada, { card: '4111' }, { params, retry: answered({ action: 'decline' }) });
  await world.call(refund, ada, { card: '4111' }, { params, retry: answered(yes()) });
  const state = { stage: 'relay', part: refund, round: 1, approved: true } as const;
  const inputResponses = { name: { action: 'accept', content: { secret: 'hunter2' } }, sample: { role: 'assistant' } };
  await world.call(refund, ada, { card: '4111' }, { params, retry: { state, inputResponses } });
  expect(
    audit.records.map(({ phase, allowed, consent, outcome }) => [phase, allowed, consent?.allow, outcome]),
  ).toEqual([
    ['decided', false, undefined, undefined],
    ['done', false, undefined, 'asks'],
    ['decided', false, false, undefined],
    ['done', false, false, 'denied'],
    ['decided', true, true, undefined],
    ['done', true, true, 'done'],
    ['decided', true, undefined, undefined],
    ['done', true, undefined, 'done'],
  ]);
  const [first] = audit.records;
  expect(first).toMatchObject({
    act: { kind: 'tool', server: 'shop', name: 'refund', principal: '["https://id","ada","desk"]', arguments: {} },
    decision: { verdict: 'ask', rule: 'ask everything' },
    gateway: { node: 'a', view: 'default', method: 'tools/call', exposed: 'shop__refund', client: 'desk' },
  });
  expect(first).toMatchObject({ gateway: { trace: '0af7651916cd43dd8448eb211c80319c' } });
  expect(audit.records.at(-1)).toMatchObject({ gateway: { answers: { name: 'accept', sample: 'answered' }, ms: 0 } });
  expect(new Set(audit.records.map(({ binding }) => binding)).size).toBe(1);
  expect(JSON.stringify(audit.records)).not.toMatch(/4111|hunter2/);
});

test('arguments are written down where that is wanted, masked where a path says so', async () => {
  const audit = memoryAudit();
  const settings = { to: audit, arguments: true, mask: ['arguments.note.text', 'arguments.missing.x'] };
  const world = policyWorld({ policy: [rules.allow({})], audit: settings });
  await world.call(refund, ada, { order: 7, note: { text: 'private', kind: 'x' }, password: 'hunter2' });
  expect(audit.records[0]?.act.arguments).toEqual({
    order: 7,
    note: { text: '[masked]', kind: 'x' },
    password: '[masked]',
  });
});

test('a request whose record cannot be written is denied, unless failures are only counted', async () => {
  const to = { write: () => Promise.reject(new Error('the disk is full')) };
  const warnings: string[] = [];
  const onWarning = (warning: string): void => void warnings.push(warning);
  const strict = policyWorld({ policy: [rules.allow({})], audit: { to }, onWarning });
  expect(await strict.call(refund, ada, {})).toBe(
    'denied: "shop__refund" was denied: the audit log could not be written',
  );
  const hidden = policyWorld({ policy: [rules.deny({})], audit: { to }, onWarning });
  expect(await hidden.call(refund, ada, {})).toBe('unknown');
  const lenient = policyWorld({ policy: [rules.allow({})], audit: { to, onFailure: 'count' }, onWarning });
  expect(await lenient.call(refund, ada, {})).toBe('allowed');
  expect(warnings[0]).toBe('An audit record could not be written: the disk is full');
});

test('how a request ended is reported where it cannot be written down, and the request has ended all the same', async () => {
  const warnings: string[] = [];
  const write = ({ phase }: AuditRecord): Promise<void> =>
    phase === 'decided' ? Promise.resolve() : Promise.reject(new Error('the disk is full'));
  const onWarning = (warning: string): void => void warnings.push(warning);
  const world = policyWorld({ policy: [rules.allow({})], audit: { to: { write } }, onWarning });
  expect(await world.call(refund, ada, {})).toBe('allowed');
  await world.clock.advance(0);
  expect(warnings).toEqual(['An audit record could not be written: the disk is full']);
});

test('an explanation says whether a part is listed, by which rule, why, and what still depends on arguments', () => {
  const policy = [
    rules.deny({ server: 'shop', name: 'refund', lacks: 'write' }),
    rules.deny({ arguments: { order: 7 } }),
    rules.budget({ server: 'shop' }, { calls: 5, per: 'hour' }),
    rules.ask({ server: 'shop', effects: 'destructive' }),
    rules.allow({ claims: { groups: 'ops' } }),
  ];
  expect(explainPart(policy, refund, ada)).toEqual({
    isListed: false,
    verdict: 'deny',
    rule: 'deny { server: shop, name: refund, lacks: write }',
    why: 'server is shop, name is refund, the caller does not have the scope write',
    onArguments: [],
    budgets: [],
  });
  expect(explainPart(policy, refund, { ...ada, scopes: ['write'] })).toEqual({
    isListed: true,
    verdict: 'ask',
    rule: 'ask { server: shop, effects: destructive }',
    why: 'server is shop, effects are unknown (assumed: destructive)',
    onArguments: ['deny { arguments: { order: 7 } }'],
    budgets: ['budget { server: shop } 5 calls per hour'],
  });
  expect(explainPart(policy, orders, { ...ada, claims: { groups: ['ops'] } })).toMatchObject({
    isListed: true,
    verdict: 'allow',
    why: 'the claim groups matches',
  });
  expect(explainPart(policy, orders, ada)).toMatchObject({ isListed: false, rule: 'none', why: 'no rule matches' });
});

test('annotations count where a rule trusts their upstream, and a hint that is no boolean says nothing', async () => {
  const reading: ExposedPart = { ...refund, definition: { annotations: { readOnlyHint: true } } };
  const odd: ExposedPart = { ...refund, definition: { annotations: { readOnlyHint: 'yes' } } };
  const policy = [rules.allow({ effects: 'read' })];
  expect(policyWorld({ policy }).lists(reading, ada)).toBe(false);
  const trusting = policyWorld({ policy: [...policy, rules.trustAnnotationsOf('shop')] });
  expect([trusting.lists(reading, ada), trusting.lists(odd, ada)]).toEqual([true, false]);
});
