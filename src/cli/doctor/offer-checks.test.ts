import { expect, test } from 'vitest';
import { everyRevision } from '../../../test/support/raw.ts';
import type { Client } from '../../client/index.ts';
import { resultsCheck, schemasCheck } from './offer-checks.ts';

const list = {
  name: 'list',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'array', items: { type: 'string' } },
};

test('an output schema can be of any type in 2026-07-28', () => {
  expect(schemasCheck([list], '2026-07-28')).toEqual([expect.objectContaining({ holds: true })]);
  const union = { ...list, outputSchema: { anyOf: [{ type: 'string' }, { type: 'null' }] } };
  expect(schemasCheck([union], '2026-07-28')).toEqual([expect.objectContaining({ holds: true })]);
});

test.each(everyRevision.filter((revision) => revision !== '2026-07-28'))(
  'an output schema that is not of an object is a fault in %s',
  (revision) => {
    const [finding] = schemasCheck([list], revision);
    expect(finding).toMatchObject({ holds: false, found: expect.stringContaining('the outputSchema of tool "list"') });
  },
);

test.each(everyRevision)('an input schema is one of an object in %s', (revision) => {
  const [finding] = schemasCheck([{ name: 'list', inputSchema: { type: 'array' } }], revision);
  expect(finding).toMatchObject({ holds: false, found: expect.stringContaining('the inputSchema of tool "list"') });
});

test.each([
  [[], 'skipped: no read-only tool without required arguments'],
  [[{ name: 'refund', inputSchema: { type: 'object' } }], 'skipped: no read-only tool without required arguments'],
  [
    [{ name: 'orders', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    'skipped: no read-only tool without required arguments has an output schema',
  ],
])('the results check of %j is skipped, with the reason', async (tools, found) => {
  const client = {} as Client; // no tool is called
  expect(await resultsCheck(client, tools, new AbortController().signal)).toEqual([
    { check: 'results', holds: true, found, isSkipped: true },
  ]);
});
