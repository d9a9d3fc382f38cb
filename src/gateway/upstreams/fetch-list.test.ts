/** Limits on lists, and their cache hints: the strictest page decides. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Revision } from '../../revisions/contract.ts';
import { revisions } from '../../revisions/index.ts';
import { type FetchedList, fetchList } from './fetch-list.ts';

/** An upstream with these pages. */
function listed(...pages: readonly JsonObject[]): Promise<FetchedList> {
  const client = {
    label: 'shop',
    revision: revisions[0] as Revision, // there is one
    request: async (_: string, { cursor }: JsonObject): Promise<JsonObject> => {
      const at = Number(cursor ?? 0);
      const next = at + 1 < pages.length ? { nextCursor: String(at + 1) } : {};
      return { ttlMs: 9_000, cacheScope: 'public', ...pages[at], ...next };
    },
  };
  return fetchList(client, 'tools', { hops: 0, signal: new AbortController().signal, warn: () => undefined });
}
const tools = (from: number, count: number, more: object = {}): JsonObject => ({
  tools: Array.from({ length: count }, (_, i) => ({ name: `t${from + i}`, inputSchema: { type: 'object' }, ...more })),
});

test('a list is for all callers only where each of its pages is', async () => {
  expect(await listed(tools(0, 1), tools(1, 1))).toMatchObject({ isPublic: true, items: [{}, {}] });
  for (const page of [0, 1, 2]) {
    const pages = [0, 1, 2].map((n) => ({ ...tools(n, 1), cacheScope: n === page ? 'private' : 'public' }));
    expect(await listed(...pages)).toMatchObject({ isPublic: false });
  }
});

test('a list is kept for as long as its shortest page', async () => {
  for (const page of [0, 1, 2]) {
    const pages = [0, 1, 2].map((n) => ({ ...tools(n, 1), ttlMs: n === page ? 1_000 : 60_000 }));
    expect(await listed(...pages)).toMatchObject({ ttlMs: 1_000 });
  }
});

test('a list has 16 MiB at most, over all its pages', async () => {
  const large = { description: 'x'.repeat(6 * 1024 * 1024) };
  expect((await listed(tools(0, 1, large), tools(1, 1, large))).items).toHaveLength(2);
  const tooLarge = listed(tools(0, 1, large), tools(1, 1, large), tools(2, 1, large));
  await expect(tooLarge).rejects.toMatchObject({ code: 'MCP_TOO_LARGE', details: { limit: 16 * 1024 * 1024 } });
});

test('a list has ten thousand parts at most', async () => {
  expect((await listed(tools(0, 9_999), tools(9_999, 1))).items).toHaveLength(10_000);
  await expect(listed(tools(0, 9_999), tools(9_999, 2))).rejects.toMatchObject({ details: { limit: 10_000 } });
});
