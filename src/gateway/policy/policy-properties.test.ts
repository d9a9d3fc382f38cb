/** Properties of every policy, view and caller: the same function decides lists and calls. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { policyWorld } from '../../../test/support/gateway-policy.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ExposedPart, PartKind } from '../contract.ts';
import { decideRequest, isListed, ruleSubject, trustedLabels } from './decide-request.ts';
import type { CallerFacts, GatewayMatch } from './gateway-match.ts';
import { type GatewayRule, gatewayRules } from './gateway-rules.ts';

const RUNS = 10_000;

const labels = ['shop', 'files'];
const keys = ['refund', 'orders', 'orders_list', 'x://a/1', 'x://b/2'];
const values = ['a', 'b', 7, true];
const scopes = ['read', 'write'];

const someOf = <T>(items: readonly T[]): fc.Arbitrary<T | T[]> =>
  fc.oneof(fc.constantFrom(...items), fc.array(fc.constantFrom(...items), { minLength: 1, maxLength: 2 }));

const conditions = {
  server: someOf([...labels, 's*']),
  view: someOf(['default', 'ops', '*']),
  kind: someOf(['tool', 'prompt', 'resource'] as const),
  name: someOf([...keys, 'orders*', 'x://*', '*']),
  effects: someOf(['read', 'write', 'destructive', 'unknown'] as const),
  status: someOf(['approved', 'new'] as const),
  principal: someOf(['ada', 'bob', 'a*', '']),
  client: someOf(['desk', 'phone', '*']),
  scopes: someOf(scopes),
  lacks: someOf(scopes),
  claims: fc.dictionary(fc.constantFrom('groups', 'realm.roles'), someOf(['ops', 'o*', 7]), { minKeys: 1, maxKeys: 2 }),
};

/** Up to three conditions without arguments: with more, hardly any rule would match. */
const fixedMatch: fc.Arbitrary<GatewayMatch> = fc
  .array(fc.oneof(...Object.entries(conditions).map(([member, value]) => fc.tuple(fc.constant(member), value))), {
    maxLength: 3,
  })
  .map((chosen): GatewayMatch => Object.fromEntries(chosen));

const argumentMatch = fc.dictionary(fc.constantFrom('path', 'to'), someOf(['a', 'b', 7, /^[ab]$/]), {
  minKeys: 1,
  maxKeys: 2,
});

const anyMatch: fc.Arbitrary<GatewayMatch> = fc
  .tuple(fixedMatch, fc.option(argumentMatch, { nil: undefined }))
  .map(([match, args]) => (args === undefined ? match : { ...match, arguments: args }));

const ruleOf = (match: fc.Arbitrary<GatewayMatch>): fc.Arbitrary<GatewayRule> =>
  fc.oneof(
    match.map(gatewayRules.allow),
    match.map(gatewayRules.ask),
    fc.tuple(match, fc.boolean()).map(([one, visible]) => gatewayRules.deny(one, { visible })),
    match.map((one) => gatewayRules.budget(one, { calls: 1, per: 'hour' })),
    fc.constantFrom(...labels).map((label) => gatewayRules.trustAnnotationsOf(label)),
  );

const kinds: readonly PartKind[] = ['tool', 'prompt', 'resource', 'template'];
const anyPart: fc.Arbitrary<ExposedPart> = fc
  .record({
    label: fc.constantFrom(...labels),
    kind: fc.constantFrom(...kinds),
    key: fc.constantFrom(...keys, 'x://{any}'),
    status: fc.constantFrom(undefined, 'approved' as const, 'new' as const),
    annotations: fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }, { requiredKeys: [] }),
  })
  .map(({ annotations, ...part }) => ({ ...part, name: `${part.label}__${part.key}`, definition: { annotations } }));

const anyCaller: fc.Arbitrary<CallerFacts> = fc.record({
  view: fc.constantFrom('default', 'ops'),
  subject: fc.constantFrom('ada', 'bob', ''),
  clientId: fc.constantFrom('desk', 'phone'),
  scopes: fc.subarray(scopes),
  claims: fc.constantFrom({}, { groups: ['ops', 'dev'] }, { groups: 'ops' }, { realm: { roles: [7] } }),
});

const anyArgument: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...values),
  fc.array(fc.constantFrom(...values), { maxLength: 2 }),
  fc.constant({ a: 'b' }),
);
const anyArguments: fc.Arbitrary<JsonObject> = fc.record(
  { path: anyArgument, to: anyArgument, other: anyArgument },
  { requiredKeys: [] },
);

test('what is not listed cannot be called with any arguments, for 10,000 random policies, parts and callers', () => {
  let unlisted = 0;
  fc.assert(
    fc.property(
      fc.array(ruleOf(anyMatch), { maxLength: 5 }),
      anyPart,
      anyCaller,
      fc.array(anyArguments, { minLength: 3, maxLength: 6 }),
      (policy, part, caller, calls) => {
        const trusted = trustedLabels(policy);
        if (isListed(decideRequest(policy, ruleSubject(part, caller, trusted)))) return true;
        unlisted++;
        const names = part.kind === 'template' ? keys : [part.key];
        const callable = names.flatMap((name) =>
          [{}, ...calls].filter((args) => {
            const kind = part.kind === 'template' ? 'resource' : part.kind;
            const subject = ruleSubject({ ...part, kind, key: name }, caller, trusted, args);
            return decideRequest(policy, subject).verdict !== 'deny';
          }),
        );
        return callable.length === 0;
      },
    ),
    { numRuns: RUNS },
  );
  expect(unlisted).toBeGreaterThan(RUNS / 10);
});

test('what is listed can be called with some arguments, where the rules on arguments do not exclude each other', () => {
  let onArguments = 0;
  fc.assert(
    fc.property(
      // Each rule matches a different argument, so that any subset of rules can match.
      fc.array(fc.tuple(fixedMatch, fc.boolean(), ruleKind), { maxLength: 5 }),
      anyPart.filter(({ kind }) => kind !== 'template'),
      anyCaller,
      (made, part, caller) => {
        const policy = made.map(([match, hasArguments, kind], index) =>
          ruleMakers[kind](hasArguments ? { ...match, arguments: { [`argument${index}`]: 'a' } } : match),
        );
        const trusted = trustedLabels(policy);
        const listed = decideRequest(policy, ruleSubject(part, caller, trusted));
        if (listed.verdict === 'deny') return true;
        const decider = policy.findIndex(({ text }) => text === listed.rule);
        if (listed.undecided.length > 0) onArguments++;
        const called = { [`argument${decider}`]: 'a' };
        return decideRequest(policy, ruleSubject(part, caller, trusted, called)).verdict === listed.verdict;
      },
    ),
    { numRuns: RUNS },
  );
  expect(onArguments).toBeGreaterThan(RUNS / 100);
});

const ruleMakers = { allow: gatewayRules.allow, ask: gatewayRules.ask, deny: gatewayRules.deny } as const;
const ruleKind = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);

test('lists are the same before and after any calls, and whatever other callers do', async () => {
  let [changedVerdicts, calls] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      // The last rule makes sure that some calls are allowed.
      fc.array(ruleOf(anyMatch), { maxLength: 5 }).map((rules) => [...rules, gatewayRules.allow({ kind: 'tool' })]),
      fc.array(anyPart, { minLength: 1, maxLength: 4 }),
      fc.tuple(anyCaller, anyCaller),
      anyArguments,
      async (policy, parts, [one, other], args) => {
        const world = policyWorld({ policy, rates: { perPrincipal: { calls: 2, perMs: 1_000 } } });
        const listsOf = (caller: CallerFacts): boolean[] => parts.map((part) => world.lists(part, caller));
        const before = [listsOf(one), listsOf(other)];
        const outcomes: string[] = [];
        for (const caller of [one, one, other])
          for (const part of parts) outcomes.push(await world.call(part, caller, args));
        calls += outcomes.filter((outcome) => outcome === 'allowed').length;
        if (new Set(outcomes).size > 1) changedVerdicts++;
        expect([listsOf(one), listsOf(other)]).toEqual(before);
        const fresh = policyWorld({ policy });
        expect(parts.map((part) => fresh.lists(part, one))).toEqual(before[0]);
      },
    ),
    { numRuns: 1_000 },
  );
  expect(calls).toBeGreaterThan(100);
  expect(changedVerdicts).toBeGreaterThan(100);
});
