/** Pagination: every item is returned once, even if the list changes in between, and foreign cursors are rejected. */
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { everyRevision, open, type Raw } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Part } from '../part.ts';
import { prompt } from '../prompt.ts';
import { resource } from '../resource.ts';
import { createServer } from '../server.ts';
import { tool } from '../tool.ts';

const named = (name: string): Part => tool({ name, run: () => 'x' });
const names = (length: number): string[] => Array.from({ length }, (_, i) => `t${i}`);
const serverOf = (length: number, pageSize: number, parts: readonly Part[] = names(length).map(named)) =>
  createServer({ name: 'dock', version: '1', pageSize, parts });
const namesIn = (page: JsonObject): string[] => (page['tools'] as { name: string }[]).map(({ name }) => name);
const next = (raw: Raw, page: JsonObject): Promise<JsonObject> =>
  raw.result('tools/list', { cursor: page['nextCursor'] });

test('walking the pages visits every item once and in order, whatever the size of a page', async () => {
  verifies('PAGE-1', 'TOOL-6');
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 12 }), async (length, size) => {
      const raw = await open(serverOf(length, size));
      const seen: string[] = [];
      let page = await raw.result('tools/list');
      for (; ; page = await next(raw, page)) {
        seen.push(...namesIn(page));
        expect(namesIn(page).length).toBeLessThanOrEqual(size);
        if (!('nextCursor' in page)) break;
      }
      expect(seen).toEqual(names(length));
    }),
    { numRuns: 30 },
  );
});

test('what stays in the list is visited exactly once, while others come and go', async () => {
  verifies('PAGE-3');
  const change = fc.record({ remove: fc.nat(19), add: fc.boolean(), again: fc.nat(19) });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.array(change, { maxLength: 20 }), async (size, changes) => {
      const server = serverOf(20, size);
      const raw = await open(server);
      const touched = new Set<string>();
      const seen: string[] = [];
      let page = await raw.result('tools/list');
      seen.push(...namesIn(page));
      for (let step = 0; 'nextCursor' in page; step++) {
        const { remove, add, again } = changes[step] ?? { remove: -1, add: false, again: -1 };
        if (server.remove(`t${remove}`)) touched.add(`t${remove}`);
        if (add) server.add(named(`new${step}`));
        // An item that is removed and added again can appear twice or not at all; all others appear once.
        if (server.remove(`t${again}`)) {
          server.add(named(`t${again}`));
          touched.add(`t${again}`);
        }
        page = await next(raw, page);
        seen.push(...namesIn(page));
      }
      for (const name of names(20)) {
        if (!touched.has(name)) expect(seen.filter((one) => one === name)).toEqual([name]);
      }
    }),
    { numRuns: 60 },
  );
});

test('a cursor is the same for the same page, also in another process with the same parts', async () => {
  verifies('PAGE-3');
  const [here, there] = [await open(serverOf(5, 2)), await open(serverOf(5, 2))];
  const page = await here.result('tools/list');
  expect(await here.result('tools/list')).toEqual(page);
  expect(await there.result('tools/list')).toEqual(page);
  expect(await next(here, page)).toEqual(await next(there, page));
  expect(namesIn(await next(there, page))).toEqual(['t2', 't3']);
});

test('a cursor reveals nothing', async () => {
  const { nextCursor } = await (await open(serverOf(5, 2))).result('tools/list');
  expect(nextCursor).toMatch(/^[\w-]{1,64}$/);
  expect(nextCursor).not.toContain('t1');
});

test('a cursor that the server did not issue is rejected', async () => {
  verifies('PAGE-4');
  const raw = await open(serverOf(5, 2));
  const refused = async (cursor: unknown): Promise<void> => {
    const error = await raw.error('tools/list', { cursor });
    expect(error.code).toBe(-32602);
  };
  await fc.assert(fc.asyncProperty(fc.string({ unit: anyCharacter }), refused), { numRuns: 100 });
  await fc.assert(fc.asyncProperty(fc.base64String(), refused), { numRuns: 50 });
  const base64 = (text: string): string => Buffer.from(text).toString('base64url');
  for (const text of [
    'tools',
    'tools ',
    'tools 0',
    'tools -1',
    'tools 1.5',
    'tools 1e9',
    'tools 01',
    'tools 1 2',
    ' tools 1',
  ]) {
    await refused(base64(text));
  }
  for (const text of ['tools 99999999999999999999', 'prompts 1', 'Tools 1', '__proto__ 1']) await refused(base64(text));
  for (const cursor of ['', 7, null, {}, ['x']]) await refused(cursor);
});

test('a cursor of one list is rejected by the other lists', async () => {
  verifies('PAGE-4');
  const parts = [
    ...names(3).map(named),
    ...names(3).map((name) => prompt({ name, render: () => 'x' })),
    ...names(3).map((name) => resource({ uri: `a:${name}`, read: () => 'x' })),
    ...names(3).map((name) => resource({ uri: `a:${name}/{id}`, read: () => 'x' })),
  ];
  const raw = await open(serverOf(0, 2, parts));
  const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
  for (const method of methods) {
    const { nextCursor } = await raw.result(method);
    expect(nextCursor).toBeDefined();
    expect(await raw.result(method, { cursor: nextCursor })).not.toHaveProperty('nextCursor');
    for (const other of methods.filter((one) => one !== method)) {
      expect((await raw.error(other, { cursor: nextCursor })).code).toBe(-32602);
    }
  }
});

test.each(everyRevision)('all four lists have pages in %s', async (revision) => {
  verifies('PAGE-1');
  const parts = [
    ...names(3).map(named),
    ...names(3).map((name) => prompt({ name, render: () => 'x' })),
    ...names(3).map((name) => resource({ uri: `a:${name}`, read: () => 'x' })),
    ...names(3).map((name) => resource({ uri: `a:${name}/{id}`, read: () => 'x' })),
  ];
  const raw = await open(serverOf(0, 2, parts), { revision });
  for (const [method, member] of [
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
  ] as const) {
    const first = await raw.result(method);
    const last = await raw.result(method, { cursor: first['nextCursor'] });
    expect([first[member], last[member]]).toMatchObject([{ length: 2 }, { length: 1 }]);
  }
});

test('every page has the same hints', async () => {
  verifies('CACHE-1', 'CACHE-19', 'CACHE-23');
  const server = createServer({
    name: 'dock',
    version: '1',
    pageSize: 1,
    cache: { ttlMs: 9, cacheScope: 'public' },
    parts: names(3).map(named),
  });
  const raw = await open(server);
  let page = await raw.result('tools/list');
  for (let i = 0; i < 3; i++) {
    expect(page).toMatchObject({ ttlMs: 9, cacheScope: 'public', resultType: 'complete' });
    if (i < 2) page = await next(raw, page);
  }
});

test('the end of a list that has shrunk is an empty page', async () => {
  const server = serverOf(4, 2);
  const raw = await open(server);
  const page = await raw.result('tools/list');
  for (const name of names(4)) server.remove(name);
  expect(namesIn(await next(raw, page))).toEqual([]);
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('a pageSize of %j is rejected', (pageSize) => {
  expect(() => serverOf(1, pageSize)).toThrow('"pageSize" must be a whole number, at least 1');
});

test('a cursor that is longer than clients take is rejected without being decoded', async () => {
  const decode = vi.spyOn(globalThis, 'atob');
  onTestFinished(() => decode.mockRestore());
  const raw = await open(serverOf(3, 1));
  await next(raw, await raw.result('tools/list'));
  expect(decode).toHaveBeenCalledTimes(1);
  expect(await raw.error('tools/list', { cursor: 'A'.repeat(65_537) })).toMatchObject({ code: -32602 });
  expect(decode).toHaveBeenCalledTimes(1);
});
