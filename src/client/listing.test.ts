import { describe, expect, test } from 'vitest';
import { type Handler, silence } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, opened } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { RpcError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { lists } from '../revisions/decode-lists.ts';
import { createListing } from './listing.ts';

const tool = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });

/** Pages by cursor; the first page is `first`. */
const paged =
  (pages: Record<string, JsonObject>): Handler =>
  ({ cursor = 'first' }) =>
    pages[String(cursor)] ?? new RpcError(-32602, 'Invalid cursor');

const three = paged({
  first: { tools: [tool('a')], nextCursor: '' },
  '': { tools: [tool('b'), tool('c')], nextCursor: ' opaque/+==' },
  ' opaque/+==': { tools: [] },
});
/** Closes the connection once, during the request of the second page. */
function interrupted(): Handler {
  let cut = true;
  return (params, line, request) => {
    if (params['cursor'] === undefined || !cut) return three(params, line, request);
    cut = false;
    line.die();
    return silence;
  };
}
const names = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name);

describe('a list', () => {
  test('list() reads item by item, page by page, or all at once', async () => {
    verifies('PAGE-1', 'PAGE-2', 'PAGE-5', 'PAGE-6', 'PAGE-7', 'PAGE-9', 'PROMPT-17', 'SEEDF-23');
    await using it = await opened({ on: { 'tools/list': three } });
    const items: string[] = [];
    for await (const one of it.client.list('tools')) items.push(one.name);
    expect(items).toEqual(['a', 'b', 'c']);
    expect(it.server.params('tools/list').map((params) => params['cursor'])).toEqual([undefined, '', ' opaque/+==']);
    const pages: string[][] = [];
    for await (const page of it.client.list('tools').pages()) pages.push(names(page));
    expect(pages).toEqual([['a'], ['b', 'c'], []]);
    expect(names(await it.client.list('tools').all())).toEqual(['a', 'b', 'c']);
  });

  test('list() restarts without a cursor in a new session', async () => {
    verifies('PAGE-8');
    await using it = await opened({ revision: HANDSHAKE, on: { 'tools/list': three } });
    const pages = it.client.list('tools').pages()[Symbol.asyncIterator]();
    expect(await pages.next()).toMatchObject({ value: [{ name: 'a' }] });
    it.server.line.die();
    await settled();
    const rest: string[] = [];
    for (let page = await pages.next(); page.done !== true; page = await pages.next()) rest.push(...names(page.value));
    expect(rest).toEqual(['b', 'c']);
    const cursors = it.server.params('tools/list').map((params) => params['cursor']);
    expect(cursors).toEqual([undefined, undefined, '', ' opaque/+==']);
  });

  test('list() restarts without a cursor when the session ends during a request', async () => {
    verifies('PAGE-8');
    await using it = await opened({ revision: HANDSHAKE, on: { 'tools/list': interrupted() } });
    expect(names(await it.client.list('tools').all())).toEqual(['a', 'b', 'c']);
    const [old, young] = it.server.lines.map(({ heard }) =>
      heard.flatMap((m) => ('method' in m && m.method === 'tools/list' ? [m.params?.['cursor']] : [])),
    );
    expect([old, young]).toEqual([
      [undefined, ''],
      [undefined, '', ' opaque/+=='],
    ]);
    expect(it.warnings).toEqual([]);
  });

  test('list() keeps its cursor on a new connection in revisions without sessions', async () => {
    await using it = await opened({ on: { 'tools/list': interrupted() } });
    expect(names(await it.client.list('tools').all())).toEqual(['a', 'b', 'c']);
    expect(it.server.params('tools/list').map((params) => params['cursor'])).toEqual([
      undefined,
      '',
      '',
      ' opaque/+==',
    ]);
  });

  test('list() requests pages only when they are read', async () => {
    await using it = await opened({ on: { 'tools/list': three } });
    const listing = it.client.list('tools');
    expect(it.server.params('tools/list')).toHaveLength(0);
    for await (const _ of listing) break;
    expect(it.server.params('tools/list')).toHaveLength(1);
  });

  test.each([
    ['resources', 'resources/list', { resources: [{ uri: 'a:b', name: 'x' }] }],
    ['templates', 'resources/templates/list', { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'x' }] }],
    ['prompts', 'prompts/list', { prompts: [{ name: 'x' }] }],
  ] as const)('of %s is asked for by %s', async (kind, method, result) => {
    verifies('PAGE-1');
    await using it = await opened({ on: { [method]: () => result } });
    expect(names(await it.client.list(kind).all())).toEqual(['x']);
  });

  test('list() keeps the first of two items with the same name, and warns', async () => {
    verifies('TOOL-37', 'SEEDF-3');
    const tools = [tool('a'), { ...tool('a'), description: 'second' }, tool('A')];
    await using it = await opened({ on: { 'tools/list': () => ({ tools }) } });
    expect(await it.client.list('tools').all()).toEqual([tools[0], tools[2]]);
    expect(it.warnings).toEqual(['tools/list lists "a" twice; the first one counts']);
  });

  test('a list that names one tool a thousand times fills no log of a client', async () => {
    await using it = await opened({ on: { 'tools/list': () => ({ tools: Array(1_000).fill(tool('a')) }) } });
    expect(await it.client.list('tools').all()).toHaveLength(1);
    expect(it.warnings).toHaveLength(11);
    expect(it.warnings.at(-1)).toBe('More warnings about tools/list are left out');
  });

  test('all() reads a page with more items than a call can have arguments', async () => {
    const items = Array.from({ length: 1e6 }, (_, n) => ({ name: `t${n}`, inputSchema: {} }));
    const page = async () => ({ items, nextCursor: undefined, session: undefined });
    const limits = { maxPages: 1, maxItems: 1e6, maxRounds: 1 };
    const source = { kind: lists.tools, limits, page, forget: () => undefined, warn: () => undefined };
    expect(await createListing(source).all()).toHaveLength(1e6);
  });

  test('list() keeps tools with invalid header annotations over transports without headers', async () => {
    verifies('TOOL-80', 'HTTP-097');
    const inputSchema = { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'not a header' } } };
    await using it = await opened({ on: { 'tools/list': () => ({ tools: [{ name: 'a', inputSchema }] }) } });
    expect(await it.client.list('tools').all()).toEqual([{ name: 'a', inputSchema }]);
  });

  test('list() fails with MCP_CURSOR_LOOP when the server repeats a cursor', async () => {
    const loop = paged({ first: { tools: [tool('a')], nextCursor: 'x' }, x: { tools: [tool('b')], nextCursor: 'x' } });
    await using it = await opened({ on: { 'tools/list': loop } });
    await expect(it.client.list('tools').all()).rejects.toMatchObject({ code: 'MCP_CURSOR_LOOP' });
  });

  test('a cursor of more than 64 Ki characters is rejected, and not sent back', async () => {
    const pagesWith = (length: number): Handler => {
      const cursor = 'x'.repeat(length);
      return paged({ first: { tools: [tool('a')], nextCursor: cursor }, [cursor]: { tools: [tool('b')] } });
    };
    await using it = await opened({ on: { 'tools/list': pagesWith(65_537) } });
    await expect(it.client.list('tools').all()).rejects.toMatchObject({
      code: 'MCP_BAD_RESULT',
      message: expect.stringContaining('"nextCursor" has more than 65536 characters'),
    });
    expect(it.server.params('tools/list')).toHaveLength(1);
    await using other = await opened({ on: { 'tools/list': pagesWith(65_536) } });
    expect(names(await other.client.list('tools').all())).toEqual(['a', 'b']);
  });

  test.each([
    [{ maxPages: Number.NaN }, '"maxPages" must be a number that is not negative, not NaN'],
    [{ maxItems: -1 }, '"maxItems" must be a number that is not negative, not -1'],
    [{ maxpages: 3 }, 'there is no option "maxpages"'],
  ])('the limits %j are rejected, because they would limit nothing', async (limits, why) => {
    await expect(opened({}, { limits: limits as never })).rejects.toThrow(`The option "limits": ${why}`);
  });

  test('a limit that is undefined has its default', async () => {
    const endless: Handler = ({ cursor }) => ({ tools: [], nextCursor: `${String(cursor)}+` });
    await using it = await opened({ on: { 'tools/list': endless } }, { limits: { maxPages: undefined as never } });
    await expect(it.client.list('tools').all()).rejects.toMatchObject({ details: { limit: 64, unit: 'pages' } });
  });

  test('list() fails with MCP_LIST_TOO_LONG at its limits', async () => {
    let page = 0;
    const endless: Handler = () => ({ tools: [tool(`t${page}`), tool(`u${page}`)], nextCursor: String(++page) });
    await using it = await opened({ on: { 'tools/list': endless } }, { limits: { maxPages: 3 } });
    await expect(it.client.list('tools').all()).rejects.toMatchObject({
      code: 'MCP_LIST_TOO_LONG',
      details: { limit: 3, unit: 'pages', setting: 'limits.maxPages' },
    });
    await using other = await opened({ on: { 'tools/list': endless } }, { limits: { maxItems: 3 } });
    await expect(other.client.list('tools').all()).rejects.toThrow('tools/list sent more than 3 items');
  });
});

describe('what is kept of a list', () => {
  const fresh = (ttlMs: number, items: JsonObject): JsonObject => ({ ...items, ttlMs, cacheScope: 'private' });

  test('each cached page of a list has its own lifetime', async () => {
    verifies('CACHE-7', 'CACHE-9', 'CACHE-16');
    const on = {
      'tools/list': paged({
        first: fresh(1_000, { tools: [tool('a')], nextCursor: '2' }),
        2: fresh(100, { tools: [tool('b')] }),
      }),
    };
    await using it = await opened({ on });
    const cursors = (): unknown[] => it.server.params('tools/list').map((params) => params['cursor']);
    await it.client.list('tools').all();
    await it.clock.advance(99);
    await it.client.list('tools').all();
    expect(cursors()).toEqual([undefined, '2']);
    await it.clock.advance(1);
    expect(names(await it.client.list('tools').all())).toEqual(['a', 'b']);
    expect(cursors()).toEqual([undefined, '2', '2']);
    await it.client.list('tools', { fresh: true }).all();
    expect(cursors()).toEqual([undefined, '2', '2', undefined, '2']);
  });

  test('a list is fetched only when it is read', async () => {
    verifies('CACHE-10', 'CACHE-11');
    await using it = await opened({ on: { 'tools/list': () => fresh(10, { tools: [] }) } });
    await it.client.list('tools').all();
    await it.clock.advance(1_000);
    expect(it.server.params('tools/list')).toHaveLength(1);
  });

  test('list() restarts from the first page when the server rejects a cached cursor', async () => {
    verifies('CACHE-18', 'CACHE-17');
    let generation = 1;
    const list: Handler = ({ cursor }) => {
      if (cursor === undefined)
        return fresh(1_000, { tools: [tool('a'), tool(`first${generation}`)], nextCursor: `g${generation}` });
      return cursor === `g${generation}` ? fresh(0, { tools: [tool('z')] }) : new RpcError(-32602, 'Invalid cursor');
    };
    await using it = await opened({ on: { 'tools/list': list } });
    await it.client.list('tools').all();
    generation = 2;
    expect(names(await it.client.list('tools').all())).toEqual(['a', 'first1', 'first2', 'z']);
    expect(names(await it.client.list('tools').all())).toEqual(['a', 'first2', 'z']);
  });

  test('list() restarts at most once', async () => {
    const list: Handler = ({ cursor }) =>
      cursor === undefined ? { tools: [], nextCursor: 'x' } : new RpcError(-32602, 'No');
    await using it = await opened({ on: { 'tools/list': list } });
    await expect(it.client.list('tools').all()).rejects.toMatchObject({ code: -32602 });
    expect(it.server.params('tools/list')).toHaveLength(4);
  });

  test('a change notification evicts the cached pages of a list', async () => {
    verifies('CACHE-15');
    const on = { 'tools/list': (): JsonObject => fresh(1_000, { tools: [] }) };
    await using it = await opened({ on });
    await it.client.list('tools').all();
    it.server.line.notify('notifications/prompts/list_changed');
    await settled();
    await it.client.list('tools').all();
    expect(it.server.params('tools/list')).toHaveLength(1);
    it.server.line.notify('notifications/tools/list_changed');
    await settled();
    await it.client.list('tools').all();
    expect(it.server.params('tools/list')).toHaveLength(2);
  });

  test('lists are not cached in revisions without cache hints', async () => {
    await using it = await opened({ revision: HANDSHAKE, on: { 'tools/list': () => fresh(1_000, { tools: [] }) } });
    await it.client.list('tools').all();
    await it.client.list('tools').all();
    expect(it.server.params('tools/list')).toHaveLength(2);
  });
});
