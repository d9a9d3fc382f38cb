/** The capabilities that a client must declare before it is asked. */
import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Question } from '../contract.ts';
import { findRevision, revisions } from '../index.ts';
import { cannotAskError, missingCapability } from './question.ts';

const sampling: Question = { method: 'sampling/createMessage', params: {} };
const withTools: Question = { method: 'sampling/createMessage', params: { tools: [] } };
const withChoice: Question = { method: 'sampling/createMessage', params: { toolChoice: {} } };
const roots: Question = { method: 'roots/list', params: {} };
const form: Question = { method: 'elicitation/create', params: { mode: 'form' } };
const modeless: Question = { method: 'elicitation/create', params: {} };
const visit: Question = { method: 'elicitation/create', params: { mode: 'url' } };

/** The missing capability in each revision, oldest first. */
const missing = (question: Question, capabilities: JsonObject): unknown[] =>
  revisions.map(({ vocabulary: words }) => missingCapability(question, capabilities, words)).toReversed();
const nothing = Array(5).fill(undefined);

test('sampling needs its capability, in every revision', () => {
  verifies('SAMP-3', 'SEED-13', 'SEEDF-11');
  expect(missing(sampling, {})).toEqual(Array(5).fill({ sampling: {} }));
  expect(missing(sampling, { sampling: {} })).toEqual(nothing);
});

test.each([withTools, withChoice])(
  'sampling with $params needs sampling.tools, and a revision that has it',
  (question) => {
    verifies('SAMP-10');
    const tools = { sampling: { tools: {} } };
    expect(missing(question, {})).toEqual(Array(5).fill(tools));
    expect(missing(question, { sampling: {} })).toEqual(Array(5).fill(tools));
    expect(missing(question, tools)).toEqual([tools, tools, tools, undefined, undefined]);
  },
);

test('roots need their capability, in every revision', () => {
  verifies('ROOT-6');
  expect(missing(roots, {})).toEqual(Array(5).fill({ roots: {} }));
  expect(missing(roots, { roots: {} })).toEqual(nothing);
});

test.each([form, modeless])(
  'a form needs elicitation.form, or an empty elicitation capability: $params',
  (question) => {
    verifies('ELIC-3', 'ELIC-5');
    const forms = { elicitation: { form: {} } };
    expect(missing(question, {})).toEqual(Array(5).fill(forms));
    for (const elicitation of [{}, { form: {} }, { form: {}, url: {} }]) {
      expect(missing(question, { elicitation })).toEqual([forms, forms, undefined, undefined, undefined]);
    }
    expect(missing(question, { elicitation: { url: {} } })).toEqual(Array(5).fill(forms));
  },
);

test('a URL elicitation needs elicitation.url', () => {
  verifies('ELIC-3', 'ELIC-5');
  const visits = { elicitation: { url: {} } };
  for (const elicitation of [undefined, {}, { form: {} }]) {
    expect(missing(visit, { elicitation })).toEqual(Array(5).fill(visits));
  }
  expect(missing(visit, visits)).toEqual([visits, visits, visits, undefined, undefined]);
});

test.each([null, true, 'yes', 1, []])('the capability %j declares nothing', (odd) => {
  const newest = findRevision('2026-07-28');
  if (newest === undefined) throw new Error('the newest revision is missing');
  const has = { sampling: odd, roots: odd, elicitation: odd } as JsonObject;
  for (const question of [sampling, withTools, roots, form, visit]) {
    expect(missingCapability(question, has, newest.vocabulary)).toBeDefined();
  }
  const inner = { sampling: { tools: odd }, elicitation: { url: odd } } as JsonObject;
  expect(missingCapability(withTools, inner, newest.vocabulary)).toEqual({ sampling: { tools: {} } });
  expect(missingCapability(visit, inner, newest.vocabulary)).toEqual({ elicitation: { url: {} } });
});

test.each<[Question, JsonObject, string, string]>([
  [form, { elicitation: { form: {} } }, 'elicitation.form', '"elicit" to connect(), or "questions" to createHost()'],
  [visit, { elicitation: { url: {} } }, 'elicitation.url', '"elicit" to connect(), or "questions" to createHost()'],
  [withTools, { sampling: { tools: {} } }, 'sampling.tools', '"sample" to connect(), or "model" to createHost()'],
  [roots, { roots: {} }, 'roots', '"roots" to connect() or createHost()'],
])(
  'the error for %j names the capability, and the one option of a client and of a host',
  (question, missing, capability, option) => {
    const { method: what } = question;
    const error = cannotAskError(question, missing);
    expect(error).toMatchObject({ details: { what, capability } });
    expect(error.message).toBe(`The client does not support ${what} (${capability}). In Mooring, pass ${option}`);
  },
);

test('the error for a method that no client supports names no option', () => {
  const { message } = cannotAskError({ method: 'tools/list' }, { tools: {} });
  expect(message).toBe('The client does not support tools/list (tools)');
});
