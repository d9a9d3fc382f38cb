import { expect, test } from 'vitest';
import { FakeServer, silence } from '../../test/support/fake-server.ts';
import { openClient } from '../client/index.ts';
import { RpcError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { lists } from '../revisions/decode-lists.ts';
import { offerOfClient, rawItems } from './offer.ts';

const going: AbortSignal = new AbortController().signal;

test('a server that has resources and does not know templates has none', async () => {
  const server = new FakeServer({
    revision: '2025-11-25',
    capabilities: { resources: {} },
    on: {
      'resources/list': () => ({ resources: [{ uri: 'a://b', name: 'b' }] }),
      'resources/templates/list': () => new RpcError(-32601, 'Method not found'),
    },
  });
  await using client = await openClient(server.transport, {});
  expect(await offerOfClient(client, going)).toMatchObject({
    resources: [{ uri: 'a://b' }],
    templates: [],
    tools: [],
    prompts: [],
  });
});

test('a list that fails for another reason is named, and hides no other', async () => {
  const on = {
    'resources/list': () => ({ resources: [{ uri: 'a://b', name: 'b' }] }),
    'resources/templates/list': () => new RpcError(-32603, 'Broken'),
  };
  const server = new FakeServer({ revision: '2025-11-25', capabilities: { resources: {} }, on });
  await using client = await openClient(server.transport, {});
  expect(await offerOfClient(client, going)).toMatchObject({
    resources: [{ uri: 'a://b' }],
    templates: [],
    failed: [{ method: 'resources/templates/list', error: { message: 'Broken' } }],
  });
});

test('lists that were cancelled are an interruption, and no failure of the server', async () => {
  const server = new FakeServer({
    revision: '2025-11-25',
    capabilities: { tools: {} },
    on: { 'tools/list': () => silence },
  });
  const over = new AbortController();
  await using client = await openClient(server.transport, { signal: over.signal });
  const offer = offerOfClient(client, over.signal);
  over.abort(new Error('Ctrl-C'));
  await expect(offer).rejects.toThrow('Ctrl-C');
});

test('a raw list whose cursor has more than 64 Ki characters cannot be used, and the cursor is not sent back', async () => {
  let fetched = 0;
  const on = { 'tools/list': () => ({ tools: [], nextCursor: 'x'.repeat(65_536 + ++fetched) }) };
  const server = new FakeServer({ revision: '2025-11-25', capabilities: { tools: {} }, on });
  await using client = await openClient(server.transport, {});
  await expect(rawItems(client, lists.tools, going)).rejects.toThrow('"nextCursor" has more than 65536 characters');
  expect(fetched).toBe(1);
});

test('a raw list has at most 10,000 items, on one page or on many, and can be cancelled', async () => {
  let pages: readonly unknown[][] = [];
  let fetched = 0;
  const on = {
    'tools/list': ({ cursor = '0' }: JsonObject) => {
      fetched++;
      const tools = pages[Number(cursor)];
      return tools === undefined ? silence : { tools, nextCursor: String(Number(cursor) + 1) };
    },
  };
  const server = new FakeServer({ revision: '2025-11-25', capabilities: { tools: {} }, on });
  await using client = await openClient(server.transport, {});
  const many = (count: number): number[] => Array.from({ length: count }, () => 0);
  pages = [many(300_000)];
  await expect(rawItems(client, lists.tools, going)).rejects.toThrow('more than 10000 items');
  pages = Array.from({ length: 60 }, () => many(2_000));
  fetched = 0;
  await expect(rawItems(client, lists.tools, going)).rejects.toThrow('more than 10000 items');
  expect(fetched).toBe(6);
  pages = [many(10_000)];
  const over = new AbortController();
  const items = rawItems(client, lists.tools, over.signal);
  over.abort();
  await expect(items).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
});

test('a raw list of 10,000 items is read whole', async () => {
  const on = { 'tools/list': () => ({ tools: Array.from({ length: 10_000 }, () => 0) }) };
  const server = new FakeServer({ revision: '2025-11-25', capabilities: { tools: {} }, on });
  await using client = await openClient(server.transport, {});
  expect(await rawItems(client, lists.tools, going)).toHaveLength(10_000);
});
