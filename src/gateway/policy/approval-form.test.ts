/** The approval form for the caller's user, and the answers that approve. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ElicitResult } from '../../model/elicitation.ts';
import type { ExposedPart, RoutedRequest } from '../contract.ts';
import { approvalForm, isApproval } from './approval-form.ts';

const refund: ExposedPart = { label: 'shop', kind: 'tool', key: 'refund', name: 'shop__refund', definition: {} };

const formOf = (part: Partial<ExposedPart>, params: JsonObject = {}) =>
  approvalForm({ part: { ...refund, ...part }, params } as RoutedRequest); // the members that it reads

test.each<[Partial<ExposedPart>, JsonObject, string]>([
  [{}, { arguments: { order: 7 } }, '[shop] Allow a call of the tool "refund"? Arguments: {"order":7}'],
  [{}, { arguments: {} }, '[shop] Allow a call of the tool "refund"? No arguments.'],
  [{}, { arguments: ['order'] }, '[shop] Allow a call of the tool "refund"? No arguments.'],
  [{ kind: 'prompt' }, {}, '[shop] Allow reading the prompt "refund"? No arguments.'],
  [{ kind: 'resource', key: 'note://a' }, { uri: 'note://a' }, '[shop] Allow reading "note://a"? No arguments.'],
  [{ kind: 'template', key: 'note://{id}' }, {}, '[shop] Allow reading "note://{id}"? No arguments.'],
])('of the part %j and the params %j, the question says: %s', (part, params, message) => {
  expect(formOf(part, params).message).toBe(message);
});

test('the form is one box that is not ticked, and must be', () => {
  expect(formOf({}).requestedSchema).toEqual({
    type: 'object',
    properties: { confirm: { type: 'boolean', title: 'Allow shop__refund', default: false } },
    required: ['confirm'],
  });
});

test('what cannot be seen in a name, a URI or an argument is written out', () => {
  const hidden = 'a\u202eb\u200b\u001b[2J\n';
  const shown = 'a\\u202eb\\u200b\\u001b[2J\\u000a';
  const { message, requestedSchema } = formOf({ key: hidden, name: hidden }, { arguments: { [hidden]: '\u{e0041}' } });
  expect(message).toContain(`the tool "${shown}"?`);
  expect(message).toContain('\\u{e0041}');
  expect(message).toMatch(/^[ -~]*$/);
  expect(requestedSchema.properties['confirm']?.['title']).toBe(`Allow ${shown}`);
});

test('arguments are shown up to 2,000 characters, and the rest is counted', () => {
  const messageOf = (length: number): string => formOf({}, { arguments: { a: 'x'.repeat(length) } }).message;
  const around = 'Arguments: {"a":""}'.length;
  expect(messageOf(2_000 - around)).toMatch(/xx"}$/);
  expect(messageOf(2_001 - around)).toMatch(/xx"… \(1 more characters\)$/);
  expect(messageOf(10_000)).toMatch(/xxx… \(8019 more characters\)$/);
  expect(messageOf(10_000).length).toBe(messageOf(100_000).length - 1);
});

test.each<[string, boolean]>([
  ['{"action":"accept","content":{"confirm":true}}', true],
  ['{"action":"accept","content":{"confirm":"true"}}', false],
  ['{"action":"accept","content":{"confirm":1}}', false],
  ['{"action":"accept","content":{"confirm":[true]}}', false],
  ['{"action":"accept","content":{"Confirm":true}}', false],
  ['{"action":"accept","content":{"__proto__":{"confirm":true}}}', false],
  ['{"action":"accept","content":null}', false],
  ['{"action":"accept"}', false],
  ['{"action":"decline","content":{"confirm":true}}', false],
  ['{"action":"cancel","content":{"confirm":true}}', false],
])('the answer %s is an approval: %s', (answer, expected) => {
  expect(isApproval(JSON.parse(answer) as ElicitResult)).toBe(expected);
});
