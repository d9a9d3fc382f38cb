import { expect, test } from 'vitest';
import { FakeServer } from '../../../test/support/fake-server.ts';
import { everyRevision } from '../../../test/support/raw.ts';
import { type Client, openClient } from '../../client/index.ts';
import { RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { MISSING_CAPABILITY } from '../../model/names.ts';
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

/** A server with as many harmless tools, and the calls that it got. */
async function harmless(count: number, onCall: () => JsonObject | RpcError) {
  const names = Array.from({ length: count }, (_, at) => `tool_${at}`);
  const tools = names.map((name) => ({ ...list, name, annotations: { readOnlyHint: true } }));
  const on = { 'tools/list': () => ({ tools }), 'tools/call': onCall };
  const server = new FakeServer({ revision: '2026-07-28', capabilities: { tools: {} }, on });
  return { server, tools, client: await openClient(server.transport, {}) };
}

test('of thousands of harmless tools, the results check calls 16, and says so', async () => {
  const { server, tools, client } = await harmless(3_000, () => ({ content: [], structuredContent: ['a'] }));
  await using _ = client;
  const [finding] = await resultsCheck(client, tools, new AbortController().signal);
  expect(finding).toMatchObject({
    holds: true,
    found: expect.stringMatching(/^called the first 16 of 3000 such tools: /),
  });
  expect(server.params('tools/call')).toHaveLength(16);
});

test('the results check ends with the first call after Ctrl-C', async () => {
  const over = new AbortController();
  const { server, tools, client } = await harmless(3, () => {
    over.abort(new Error('Ctrl-C'));
    return { content: [], structuredContent: ['a'] };
  });
  await using _ = client;
  await expect(resultsCheck(client, tools, over.signal)).rejects.toThrow('Ctrl-C');
  expect(server.params('tools/call')).toHaveLength(1);
});

test('a tool that asks for a capability which doctor does not offer has no fault', async () => {
  const data = { requiredCapabilities: { sampling: {} } };
  const { tools, client } = await harmless(1, () => new RpcError(MISSING_CAPABILITY, 'No model', data));
  await using _ = client;
  expect(await resultsCheck(client, tools, new AbortController().signal)).toEqual([
    expect.objectContaining({ holds: true, found: 'called tool_0' }),
    expect.objectContaining({ holds: true, found: 'tool_0 asks for sampling, which doctor does not offer' }),
  ]);
});
