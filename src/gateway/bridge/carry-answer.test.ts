/** Validation of answers against a form. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { fitsForm } from './carry-answer.ts';

const form = { type: 'object', properties: { age: { type: 'integer', minimum: 18 } }, required: ['age'] };

test.each<[string, unknown, JsonObject, boolean]>([
  ['content that the form allows fits', form, { content: { age: 18 } }, true],
  ['content that the form does not allow does not fit', form, { content: { age: 17 } }, false],
  ['no content does not fit a form with a field that is required', form, {}, false],
  ['no content fits a form without such a field', { type: 'object', properties: {} }, {}, true],
  ['a form that is no schema is left to its server', 'age', { content: { age: 1 } }, true],
  ['a form that cannot be read is left to its server', { type: 'nothing' }, { content: { age: 1 } }, true],
])('%s', async (_, requestedSchema, answer, fits) => {
  expect(await fitsForm({ method: 'elicitation/create', params: { requestedSchema } }, answer)).toBe(fits);
});
