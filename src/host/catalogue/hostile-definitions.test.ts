/** Tests that malformed or hostile definitions of one server do not hide the tools of others. */
import { expect, test } from 'vitest';
import { FakeServer } from '../../../test/support/fake-server.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import { createHost, memoryAudit, rules } from '../index.ts';
import { toCatalogueTool } from './catalogue-tool.ts';

const inputSchema = { type: 'object' };
const odd = { toString: 1, valueOf: 1 };

test.each<[string, object]>([
  ['a description that is an object', { description: odd }],
  ['a title that is an object', { title: odd }],
  ['annotations that are null', { annotations: null }],
  ['hints that are null', { annotations: { readOnlyHint: null, destructiveHint: null, title: odd } }],
  ['a _meta that is null', { _meta: null }],
  ['a dialect that is an object', { inputSchema: { ...inputSchema, $schema: odd } }],
])('a tool with %s is listed with the tools of other servers', async (_, more) => {
  const offering = (tool: object): FakeServer =>
    new FakeServer({
      revision: '2025-11-25',
      capabilities: { tools: {} },
      on: { 'tools/list': () => ({ tools: [tool] }) },
    });
  const evil = offering({ name: 'odd', inputSchema, ...more });
  const honest = offering({ name: 'fine', inputSchema });
  await using host = createHost({
    ...{ servers: { evil: evil.transport, honest: honest.transport }, policy: [rules.allow({})] },
    ...{ audit: memoryAudit(), health: false, consent: () => ({ allow: true }), onWarning: () => undefined },
  });
  const tools = await host.session().tools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['evil.odd', 'honest.fine']));
});

test.each([1, 65, 180])('invisible text is escaped, %i levels deep in a schema', (levels) => {
  const nest = (depth: number): JsonObject => (depth === 0 ? { description: 'a\u200bb' } : { items: nest(depth - 1) });
  const definition = { name: 'refund', inputSchema: nest(levels) } as Tool; // a server can write any schema
  const item = {
    kind: 'tool',
    key: 'refund',
    name: 'shop.refund',
    server: 'shop',
    title: 'refund',
    definition,
  } as const;
  const tool = toCatalogueTool(item, { status: 'new', reasons: [], definition: '' });
  expect(JSON.stringify(tool.inputSchema)).not.toContain('\u200b');
});
