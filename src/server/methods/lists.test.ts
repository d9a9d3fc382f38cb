/** Lists are cached for all callers until they change: no caller gets a list from before the change. */
import { describe, expect, test } from 'vitest';
import { everyRevision, open, STATELESS } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { isConstant } from '../../jsonrpc/write.ts';
import { type DefinedTool, openPart } from '../part.ts';
import { prompt } from '../prompt.ts';
import { createServer } from '../server.ts';
import type { Server } from '../server-interface.ts';
import { tool } from '../tool.ts';

const quay = (pageSize = 1_000): Server =>
  createServer({
    name: 'dock',
    version: '1',
    pageSize,
    parts: ['one', 'two', 'three'].map((name) => tool({ name, description: name, run: () => '' })),
  });
const namesIn = (result: JsonObject): string[] => (result['tools'] as { name: string }[]).map(({ name }) => name);

test.each(everyRevision)('in %s, the first page of a list is cached until the parts change', async (revision) => {
  const server = quay();
  const [one, other] = [await open(server, { revision }), await open(server, { revision })];
  const first = await one.result('tools/list');
  expect(isConstant(first)).toBe(true);
  expect(await other.result('tools/list')).toBe(first);
  server.add(tool({ name: 'four', run: () => '' }));
  expect(namesIn(await one.result('tools/list'))).toEqual(['one', 'two', 'three', 'four']);
  server.remove('one');
  expect(namesIn(await other.result('tools/list'))).toEqual(['two', 'three', 'four']);
  expect(namesIn(first)).toEqual(['one', 'two', 'three']);
});

test.each(everyRevision)(
  'in %s, the cached first page has the same hints as a page that is not cached',
  async (revision) => {
    const raw = await open(quay(2), { revision });
    const { tools, nextCursor, ...rest } = await raw.result('tools/list');
    const second = await raw.result('tools/list', { cursor: nextCursor });
    expect(namesIn({ tools })).toEqual(['one', 'two']);
    expect(namesIn(second)).toEqual(['three']);
    expect(isConstant(second)).toBe(false);
    const { tools: _, ...same } = second;
    expect(rest).toEqual(same);
  },
);

test('a caller cannot change the list that others get', async () => {
  const raw = await open(quay());
  const result = await raw.result('tools/list');
  expect(Object.isFrozen(result)).toBe(true);
  for (const value of Object.values(result)) expect(Object.isFrozen(value)).toBe(true);
  for (const item of result['tools'] as object[]) expect(Object.isFrozen(item)).toBe(true);
});

describe('a tool that only some callers find', () => {
  const panel: DefinedTool = {
    ...openPart(tool({ name: 'panel', description: 'd', run: () => 'pressed' })),
    isListedFor: ({ capabilities }) => capabilities.extensions?.['com.example/panels'] !== undefined,
  };
  const declared = { extensions: { 'com.example/panels': {} } };
  const shop = (): Server =>
    createServer({
      name: 'dock',
      version: '1',
      cache: { ttlMs: 5_000, cacheScope: 'public' },
      parts: [tool({ name: 'plain', description: 'd', run: () => '' }), panel],
    });

  test.each(everyRevision)(
    'in %s, is listed by what the request declares, and callable in any case',
    async (revision) => {
      verifies('EXT-7', 'EXT-16');
      const server = shop();
      const [able, unable] = [
        await open(server, { revision, capabilities: declared }),
        await open(server, { revision }),
      ];
      for (let round = 0; round < 2; round++) {
        expect(namesIn(await able.result('tools/list'))).toEqual(['plain', 'panel']);
        expect(namesIn(await unable.result('tools/list'))).toEqual(['plain']);
      }
      expect(await unable.result('tools/call', { name: 'panel' })).toMatchObject({ content: [{ text: 'pressed' }] });
    },
  );

  test('makes the list private, whatever the author wrote, and no other list', async () => {
    verifies('EXT-15');
    const server = shop();
    server.add(prompt({ name: 'p', render: () => '' }));
    for (const capabilities of [declared, {}]) {
      const raw = await open(server, { revision: STATELESS, capabilities });
      expect(await raw.result('tools/list')).toMatchObject({ ttlMs: 5_000, cacheScope: 'private' });
      expect(await raw.result('prompts/list')).toMatchObject({ ttlMs: 5_000, cacheScope: 'public' });
    }
  });
});
