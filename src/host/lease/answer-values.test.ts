import { expect, test } from 'vitest';
import { hasOnlyAllowedValues, isDeclined } from './answer-values.ts';

const form = {
  requestedSchema: {
    properties: { size: { title: 'Size', default: 'M' }, tags: { default: ['a'] }, odd: 1, none: null },
  },
};

test.each<[string, unknown, unknown, boolean]>([
  [
    'the same',
    { action: 'accept', content: { name: 'Ada', age: 36 } },
    { action: 'accept', content: { name: 'Ada', age: 36 } },
    true,
  ],
  ['less', { content: { name: 'Ada' } }, { action: 'accept', content: { name: 'Ada', age: 36 } }, true],
  ['in another form', [{ content: { name: 'Ada' } }], { content: [{ name: 'Ada' }] }, true],
  ['with defaults of the form, as often as it likes', { size: 'M', more: { size: 'M' }, tags: ['a'] }, {}, true],
  ['what the form says beside its defaults', { size: 'Size' }, {}, false],
  ['another value', { content: { name: 'Eve' } }, { content: { name: 'Ada' } }, false],
  ['another type', { age: '36' }, { age: 36 }, false],
  ['a value under another name', { text: 'Ada' }, { name: 'Ada' }, false],
  ['more', { name: 'Ada', note: 'psst' }, { name: 'Ada' }, false],
  ['a value twice', { name: ['Ada', 'Ada'] }, { name: ['Ada'] }, false],
  ['both of two', { name: ['Ada', 'Bo'] }, { name: ['Ada', 'Bo'] }, true],
  ['null', { name: null }, { name: undefined }, false],
])('an answer that says %s is compared with what was allowed', (_, answer, allowed, expected) => {
  expect(hasOnlyAllowedValues(answer, allowed, form)).toBe(expected);
});

test.each<[unknown, boolean]>([
  [{ action: 'decline' }, true],
  [{ action: 'cancel' }, true],
  [{ action: 'accept' }, false],
  [{ action: 'decline', content: { note: 'psst' } }, false],
  [{}, false],
  [null, false],
  [undefined, false],
  ['decline', false],
])('%j is a refusal that says nothing else: %s', (answer, expected) => {
  expect(isDeclined(answer)).toBe(expected);
});
