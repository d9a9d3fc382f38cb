/** Validation of the answers of a client, with the error messages. */
import { expect, test } from 'vitest';
import type { Question } from '../contract.ts';
import { answerFault } from './question.ts';

const block = { type: 'text', text: 'Ahoy' };
const sampled = { role: 'assistant', content: block, model: 'm' };

test.each<[Question['method'], unknown]>([
  ['roots/list', { roots: [] }],
  ['sampling/createMessage', sampled],
  ['sampling/createMessage', { ...sampled, role: 'user', content: [block, block] }],
  ['sampling/createMessage', { ...sampled, content: [] }],
  ['elicitation/create', { action: 'accept' }],
  ['elicitation/create', { action: 'accept', content: {} }],
  ['elicitation/create', { action: 'decline' }],
  ['elicitation/create', { action: 'cancel' }],
])('an answer to %s is accepted: %j', (method, answer) => {
  expect(answerFault(method, answer)).toBeUndefined();
});

const incomplete = 'must have "role", "content" and "model"';

test.each<[Question['method'], unknown, string]>([
  ['roots/list', null, 'must be an object'],
  ['roots/list', [], 'must be an object'],
  ['roots/list', {}, 'must have a list of "roots"'],
  ['roots/list', { roots: {} }, 'must have a list of "roots"'],
  ['sampling/createMessage', { ...sampled, role: 'system' }, incomplete],
  ['sampling/createMessage', { ...sampled, content: undefined }, incomplete],
  ['sampling/createMessage', { ...sampled, content: 'Ahoy' }, incomplete],
  ['sampling/createMessage', { ...sampled, content: { text: 'Ahoy' } }, incomplete],
  ['sampling/createMessage', { ...sampled, content: [block, null] }, incomplete],
  ['sampling/createMessage', { ...sampled, model: undefined }, incomplete],
  ['elicitation/create', {}, 'must have an "action": accept, decline or cancel'],
  ['elicitation/create', { action: 'agree' }, 'must have an "action": accept, decline or cancel'],
  ['elicitation/create', { action: 'accept', content: 'Ada' }, 'has a "content" that is not an object'],
  ['elicitation/create', { action: 'accept', content: null }, 'has a "content" that is not an object'],
])('an answer to %s is rejected: %j', (method, answer, fault) => {
  expect(answerFault(method, answer)).toBe(fault);
});
