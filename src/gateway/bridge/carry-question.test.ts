/** Which questions of an upstream reach a caller, how they are worded, and which answers are returned. */
import { describe, expect, test } from 'vitest';
import { INVALID_PARAMS, type JsonObject, METHOD_NOT_FOUND } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import type { Revision } from '../../revisions/contract.ts';
import { revisions } from '../../revisions/index.ts';
import { FROM } from '../names/gateway-meta.ts';
import { answerWithoutCaller, carryAnswer } from './carry-answer.ts';
import { carryQuestion, type QuestionRoute } from './carry-question.ts';
import { questionCapabilities } from './question-capabilities.ts';

const [revision] = revisions as [Revision, ...Revision[]]; // the newest
const declared = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const settings = { visit: { hosts: ['pay.example', '*.bank.example'] } };
const route = { label: 'dock', settings, capabilities: questionCapabilities(declared, revision, settings), revision };
const form = (properties: JsonObject): JsonObject => ({
  message: 'Who?',
  requestedSchema: { type: 'object', properties },
});
const elicit = (params: JsonObject, to: QuestionRoute = route) =>
  carryQuestion({ method: 'elicitation/create', params }, to);

describe('a page', () => {
  const visit = (url: unknown) => elicit({ mode: 'url', message: 'Pay here', url });

  test.each([
    'https://pay.example/a',
    'https://PAY.example:8443/',
    'https://a.bank.example/',
    'https://a.b.bank.example/',
  ])('on an allowed host is passed on: %s', (url) => expect(visit(url).params['url']).toBe(url));

  test.each([
    ['https://evil.example/', 'are not allowed'],
    ['https://bank.example/', 'are not allowed'],
    ['https://evilbank.example/', 'are not allowed'],
    ['https://pay.example.evil.example/', 'are not allowed'],
    ['https://sub.pay.example/', 'are not allowed'],
    ['http://pay.example/', 'must begin with https:'],
    ['javascript:alert(1)', 'must begin with https:'],
    ['https://user@pay.example/', 'no credentials'],
    ['https://:secret@pay.example/', 'no credentials'],
    ['https://pay.example\\@evil.example/', 'backslashes'],
    ['https://pay.example/ x', 'blanks'],
    ['https://pay.example/\u202e', 'control characters'],
    ['/relative', 'absolute URL'],
    [7, 'absolute URL'],
    [undefined, 'absolute URL'],
  ])('%s is rejected', (url, why) => {
    expect(() => visit(url)).toThrow(
      expect.objectContaining({ code: INVALID_PARAMS, message: expect.stringContaining(why) }),
    );
  });
});

test('a page is on no allowed host where the upstream has none', () => {
  const params = { mode: 'url', message: 'Pay here', url: 'https://pay.example/' };
  expect(() => elicit(params, { ...route, settings: {} })).toThrow('are not allowed');
});

test.each(['password', 'apiKey', 'p4ssw0rd', 'Pаssword'])('a form that asks for %s is rejected', (name) => {
  expect(() => elicit(form({ [name]: { type: 'string' } }))).toThrow('secrets');
});

test.each([
  [{ requestedSchema: { type: 'object', properties: {} } }, '"message"'],
  [{ message: 'Who?' }, '"requestedSchema"'],
  [{ message: 'Who?', requestedSchema: { type: 'object', properties: { a: 'text' } } }, '"requestedSchema"'],
])('the form %j is rejected', (params, why) => {
  expect(() => elicit(params)).toThrow(
    expect.objectContaining({ code: INVALID_PARAMS, message: expect.stringContaining(why) }),
  );
});

test('a question of 64 Ki characters passes, and a longer one does not', () => {
  const of = (length: number): JsonObject => ({ ...form({}), message: 'x'.repeat(length) });
  const around = JSON.stringify(of(0)).length;
  expect(elicit(of(64 * 1024 - around)).method).toBe('elicitation/create');
  expect(() => elicit(of(64 * 1024 - around + 1))).toThrow('longer than');
});

test('a question says which upstream asks, in the text or in its metadata, unless the text is left alone', () => {
  expect(elicit(form({})).encoded).toMatchObject({ message: '[dock] Who?' });
  // No line of a question can imitate one of another upstream.
  const forged = elicit({ ...form({}), message: 'Who?\n[bank] Your PIN?' });
  expect(forged.encoded).toMatchObject({ message: '[dock] Who?\n  [bank] Your PIN?' });
  const bare = { ...route, settings: { ...settings, prefix: false } };
  expect(elicit(form({}), bare).encoded).toMatchObject({ message: 'Who?' });
  // Text that reads from right to left could say the opposite.
  expect(elicit({ ...form({}), message: 'Who\u202e?' }, bare).encoded['message']).not.toContain('\u202e');
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hi' } }];
  const sample = carryQuestion({ method: 'sampling/createMessage', params: { messages, maxTokens: 5 } }, route);
  expect(sample.encoded['_meta']).toEqual({ [FROM]: 'dock' });
  expect(sample.encoded).not.toHaveProperty('message');
});

test('a method that was not declared is unknown, a mode of a declared one is a wrong parameter', () => {
  const only = (capabilities: ClientCapabilities) => ({ ...route, capabilities });
  const ask = (method: string, params: JsonObject, capabilities: ClientCapabilities) => () =>
    carryQuestion({ method, params }, only(capabilities));
  expect(ask('ping', {}, route.capabilities)).toThrow(expect.objectContaining({ code: METHOD_NOT_FOUND }));
  expect(ask('roots/list', {}, {})).toThrow(expect.objectContaining({ code: METHOD_NOT_FOUND }));
  expect(ask('elicitation/create', form({}), { sampling: {} })).toThrow(
    expect.objectContaining({ code: METHOD_NOT_FOUND }),
  );
  const page = { mode: 'url', message: 'Pay', url: 'https://pay.example/' };
  expect(ask('elicitation/create', page, { elicitation: { form: {} } })).toThrow(
    expect.objectContaining({ code: INVALID_PARAMS }),
  );
});

test('callers are asked for nothing that they did not declare, or that the settings of an upstream exclude', () => {
  expect(questionCapabilities({}, revision, settings)).toEqual({});
  expect(questionCapabilities(declared, revision, settings)).toEqual({
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
  });
  expect(questionCapabilities(declared, revision)).toEqual({ elicitation: { form: {} }, sampling: {}, roots: {} });
  expect(questionCapabilities(declared, revision, { visit: { hosts: [] } }).elicitation).toEqual({ form: {} });
  expect(questionCapabilities(declared, revision, { form: false, sample: false, roots: false })).toEqual({});
  const rich = { sampling: { tools: {}, context: {} }, roots: { listChanged: true } };
  expect(questionCapabilities(rich, revision)).toEqual(
    rich.roots && { sampling: { tools: {}, context: {} }, roots: {} },
  );
});

describe.each(revisions.map((one) => [one.id, one] as const))('an answer from %s', (_, from) => {
  const between = { from, to: revision };
  const question = { method: 'elicitation/create', params: form({ name: { type: 'string' } }) } as const;

  test('has content where a form was agreed to, and nothing else', () => {
    expect(carryAnswer(question, { action: 'accept', content: { name: 'Ada' }, _meta: { x: 1 } }, between)).toEqual({
      action: 'accept',
      content: { name: 'Ada' },
    });
    expect(carryAnswer(question, { action: 'decline', content: { name: 'Ada' } }, between)).toEqual({
      action: 'decline',
    });
    const page = {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Pay', url: 'https://pay.example/' },
    } as const;
    expect(carryAnswer(page, { action: 'accept', content: { name: 'Ada' } }, between)).toEqual({ action: 'accept' });
  });

  test('that has a fault is none, and roots without a URI are left out', () => {
    for (const answer of [undefined, null, 'yes', [], { action: 'maybe' }])
      expect(carryAnswer(question, answer, between)).toBeUndefined();
    const roots = { method: 'roots/list', params: {} } as const;
    expect(carryAnswer(roots, { roots: 'all' }, between)).toBeUndefined();
    const answer = { roots: [{ uri: 'file:///a' }, { uri: 7 }, null, 'file:///b'] };
    expect(carryAnswer(roots, answer, between)).toMatchObject({ roots: [{ uri: 'file:///a' }] });
  });
});

test('a form without an answer is cancelled, and every other question fails with the reason', () => {
  expect(answerWithoutCaller({ method: 'elicitation/create' }, 'no time')).toEqual({ action: 'cancel' });
  expect(() => answerWithoutCaller({ method: 'roots/list' }, 'no time')).toThrow('no time');
});
