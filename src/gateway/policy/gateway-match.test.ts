/** What each member of a match is compared with. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ExposedPart } from '../contract.ts';
import { decideRequest, ruleSubject } from './decide-request.ts';
import type { CallerFacts, GatewayMatch, MatchCertainty } from './gateway-match.ts';
import { gatewayRules as rules } from './gateway-rules.ts';

const refund: ExposedPart = {
  ...{ label: 'shop', kind: 'tool', key: 'refund', name: 'shop__refund', status: 'new' },
  definition: { annotations: { destructiveHint: true } },
};
const template: ExposedPart = { ...refund, kind: 'template', key: 'note://{id}', name: 'shop+note://{id}' };
const claims = { groups: ['ops', 'dev'], realm: { roles: 'admin' }, 'https://acme.example/level': 7, nothing: null };
const ada: CallerFacts = { view: 'ops', subject: 'ada', clientId: 'desk', scopes: ['read', 'write'], claims };
const called = { order: 7, note: 'x', list: ['a', 'b'] };

const certainty = (match: GatewayMatch, caller: CallerFacts = ada): MatchCertainty =>
  rules.deny(match).applies(ruleSubject(refund, caller, new Set(), called));

test.each<[GatewayMatch, MatchCertainty]>([
  [{}, 'yes'],
  [{ server: 'shop' }, 'yes'],
  [{ server: 'bank' }, 'no'],
  [{ server: ['bank', 's*'] }, 'yes'],
  [{ view: 'ops' }, 'yes'],
  [{ view: ['default', 'o*s'] }, 'yes'],
  [{ view: 'default' }, 'no'],
  [{ kind: 'tool' }, 'yes'],
  [{ kind: ['prompt', 'resource'] }, 'no'],
  [{ name: 'ref*' }, 'yes'],
  [{ name: /^ship/ }, 'no'],
  [{ effects: 'destructive' }, 'yes'],
  [{ effects: 'read' }, 'no'],
  [{ status: 'new' }, 'yes'],
  [{ status: 'approved' }, 'no'],
  [{ principal: 'ada' }, 'yes'],
  [{ principal: 'bob' }, 'no'],
  [{ client: 'd*' }, 'yes'],
  [{ client: 'phone' }, 'no'],
  [{ scopes: 'read' }, 'yes'],
  [{ scopes: ['read', 'write'] }, 'yes'],
  [{ scopes: ['read', 'admin'] }, 'no'],
  [{ lacks: 'read' }, 'no'],
  [{ lacks: 'admin' }, 'yes'],
  [{ lacks: ['read', 'admin'] }, 'yes'],
  [{ lacks: ['read', 'write'] }, 'no'],
  [{ claims: { groups: 'ops' } }, 'yes'],
  [{ claims: { groups: ['sales', 'd*'] } }, 'yes'],
  [{ claims: { groups: 'sales' } }, 'no'],
  [{ claims: { 'realm.roles': 'admin' } }, 'yes'],
  [{ claims: { 'realm.roles.length': 5 } }, 'no'],
  [{ claims: { 'https://acme.example/level': 7 } }, 'yes'],
  [{ claims: { 'https://acme.example/level': '7' } }, 'no'],
  [{ claims: { missing: '*' } }, 'no'],
  [{ claims: { nothing: '*' } }, 'no'],
  [{ claims: { constructor: '*', toString: '*' } }, 'no'],
  [{ arguments: { order: 7 } }, 'yes'],
  [{ arguments: { order: '7' } }, 'yes'],
  [{ arguments: { order: '8' } }, 'no'],
  [{ arguments: { note: /x/, order: [1, 7] } }, 'yes'],
  [{ server: 'shop', principal: 'bob' }, 'no'],
])('%j matches: %s', (match, expected) => {
  expect(certainty(match)).toBe(expected);
});

test('a caller without a token has no client, no scopes and no claims', () => {
  const anonymous: CallerFacts = { view: 'ops', scopes: [] };
  const matches: GatewayMatch[] = [
    { client: '*' },
    { scopes: 'read' },
    { claims: { groups: '*' } },
    { principal: 'ada' },
  ];
  expect(matches.map((match) => certainty(match, anonymous))).toEqual(['no', 'no', 'no', 'no']);
  expect(certainty({ lacks: 'read', principal: '' }, anonymous)).toBe('yes');
});

test('a rule that names the issuer is not about the same subject, client and scopes of another issuer', () => {
  const from = (iss: string): CallerFacts => ({ ...ada, issuer: iss, claims: { iss } });
  const match = { principal: 'ada', client: 'desk', scopes: 'read', claims: { iss: 'https://login.example' } };
  expect(certainty(match, from('https://login.example'))).toBe('yes');
  for (const other of ['https://evil.example', 'https://login.example/', 'https://login.example.evil.example', ''])
    expect(certainty(match, from(other))).toBe('no');
});

test('for a list, a condition on arguments is perhaps, and so is one on the URIs of a template', () => {
  const listed = (match: GatewayMatch, part: ExposedPart): MatchCertainty =>
    rules.deny(match).applies(ruleSubject(part, ada, new Set()));
  expect(listed({ arguments: { order: 7 } }, refund)).toBe('perhaps');
  expect(listed({ arguments: { order: 7 }, name: 'ship' }, refund)).toBe('no');
  expect(listed({ name: 'refund' }, refund)).toBe('yes');
  expect(listed({ name: 'note://1' }, template)).toBe('perhaps');
  expect(listed({ name: 'note://1', server: 'bank' }, template)).toBe('no');
  expect(listed({ kind: 'resource' }, template)).toBe('yes');
});

test('in a list of values, allow needs every item to match, and the other rules need one', () => {
  const subject = ruleSubject(refund, ada, new Set(), called);
  const match = { arguments: { list: 'a' } };
  expect([rules.allow(match), rules.ask(match), rules.deny(match)].map((rule) => rule.applies(subject))).toEqual([
    'no',
    'yes',
    'yes',
  ]);
});

test.each<[GatewayMatch, string]>([
  [{}, 'the rule matches everything'],
  [{ server: 'shop' }, 'server is shop'],
  [{ view: 'ops', client: 'desk' }, 'view is ops, client is desk'],
  [{ scopes: ['read', 'write'] }, 'the caller has the scopes read write'],
  [
    { kind: 'tool', scopes: 'read', lacks: 'admin' },
    'kind is tool, the caller has the scope read, the caller does not have the scope admin',
  ],
  [{ claims: { groups: 'ops' }, arguments: { order: 7 } }, 'argument order matches, the claim groups matches'],
])('the reason of %j names facts, and neither values of arguments nor of claims', (match, why) => {
  expect(decideRequest([rules.deny(match)], ruleSubject(refund, ada, new Set(), called)).why).toBe(why);
});

test.each<[JsonObject | undefined, string, boolean]>([
  [undefined, 'destructive', true],
  [{ readOnlyHint: true, openWorldHint: false }, 'read', false],
  [{ destructiveHint: false }, 'write', true],
  [{ destructiveHint: 0, openWorldHint: 0 }, 'destructive', true],
  [{ destructiveHint: null, readOnlyHint: 'true', openWorldHint: null }, 'destructive', true],
])('of the annotations %j, an upstream claims what its hints of true and false say: %s', (annotations, ...claims) => {
  const part = { ...refund, definition: annotations === undefined ? {} : { annotations } };
  const { claimed, openWorld, effects } = ruleSubject(part, ada, new Set(['shop']), called).act;
  expect([claimed, openWorld]).toEqual(claims);
  expect([effects, ruleSubject(part, ada, new Set(['bank'])).act.effects]).toEqual([claimed, 'unknown']);
});

test.each<[object, string]>([
  [{ where: () => true }, '"where" is not known; available: server, view, kind, name'],
  [{ arguments: { a: () => true } }, 'functions are for hosts'],
  [{ claims: { a: /x/ } }, '"claims" must have text, numbers or booleans'],
  [{ session: 's' }, '"session" is not known'],
  [{ client: '' }, '"client" must be text'],
  [{ name: undefined }, '"name" must have a value'],
  [{ name: ['refund', undefined] }, '"name" must have a value'],
  [{ arguments: {} }, '"arguments" must not be empty'],
  [{ arguments: { a: [], b: 1 } }, '"arguments" must not be empty'],
  [{ claims: { a: 'x', b: [] } }, '"claims" must not be empty'],
])('a rule with %j is rejected when it is made', (match, why) => {
  for (const rule of [rules.allow, rules.ask, rules.deny]) expect(() => rule(match as GatewayMatch)).toThrow(why);
});
