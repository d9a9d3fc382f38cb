/** Pagination of lists, in every revision. */
import { expect } from 'vitest';
import { everyRevision } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';

const kinds = ['tools', 'resources', 'templates', 'prompts'] as const;

everyRevision('every list comes in pages and is whole in the end', { fixture: 'pages' }, async ({ client, wire }) => {
  verifies('PAGE-1', 'PAGE-5', 'PROMPT-17');
  for (const kind of kinds) {
    const all = await client.list(kind).all();
    expect(all).toHaveLength(250);
    expect(new Set(all.map((item) => JSON.stringify(item))).size).toBe(250);
  }
  expect(wire.requests('tools/list')).toHaveLength(25);
  expect('nextCursor' in wire.result('tools/list')).toBe(false);
});

everyRevision(
  'the server decides how long a page is',
  { fixture: 'pages', server: { pageSize: 100 } },
  async ({ client }) => {
    verifies('PAGE-2', 'PAGE-6');
    const lengths: number[] = [];
    for await (const page of client.list('tools').pages()) lengths.push(page.length);
    expect(lengths).toEqual([100, 100, 50]);
  },
);

everyRevision(
  'a client that stops reading asks for no further page',
  { fixture: 'pages' },
  async ({ client, wire }) => {
    for await (const { name } of client.list('tools')) if (name === 'item-015') break;
    expect(wire.requests('tools/list')).toHaveLength(2);
  },
);

everyRevision('cursors are sent back as they came', { fixture: 'pages' }, async ({ client, wire }) => {
  verifies('PAGE-7');
  await client.list('prompts').all();
  const given = wire.responses('prompts/list').flatMap((one) => ('result' in one ? [one.result['nextCursor']] : []));
  const sent = wire.requests('prompts/list').map(({ params }) => params?.['cursor']);
  expect(sent.slice(1)).toEqual(given.slice(0, -1));
});

everyRevision('a cursor stays good', { fixture: 'pages' }, async ({ client }) => {
  verifies('PAGE-3');
  const { nextCursor: cursor } = await client.request('tools/list');
  const first = await client.request('tools/list', { cursor });
  const again = await client.request('tools/list', { cursor });
  expect(again).toEqual(first);
});

everyRevision('a cursor that is none, or of another list, is refused', { fixture: 'pages' }, async ({ client }) => {
  verifies('PAGE-4');
  const { nextCursor } = await client.request('prompts/list');
  for (const cursor of ['', 'x', nextCursor]) {
    await expect(client.request('tools/list', { cursor })).rejects.toMatchObject({ code: -32602 });
  }
});
