/** Templates that list resources: order and pages, callers and their scopes, mistakes in what a list returns. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { open, type Raw } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { isConstant } from '../../jsonrpc/write.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { ResourceListContext } from '../context.ts';
import type { Part } from '../part.ts';
import { type ListedResource, resource } from '../resource.ts';
import { createServer } from '../server.ts';
import type { Server } from '../server-interface.ts';
import type { ServerSpec } from '../settings.ts';

type List = (context: ResourceListContext) => readonly ListedResource[] | Promise<readonly ListedResource[]>;
const reported: { error: unknown; what: string }[] = [];
const dock = (parts: readonly Part[], more: Partial<ServerSpec> = {}): Server => {
  reported.length = 0;
  const onError = (error: unknown, { what }: { what: string }): void => void reported.push({ error, what });
  return createServer({ name: 'dock', version: '1', onError, parts, ...more });
};
const boats = (list: List, scopes: readonly string[] = []): Part =>
  resource({ uri: 'boat:{name}', scopes, list, read: () => 'x' });
const fixed = (uri: string): Part => resource({ uri, read: () => 'x' });
const named = (...names: readonly string[]): ListedResource[] => names.map((name) => ({ uri: `boat:${name}` }));
const urisIn = (page: JsonObject): string[] => (page['resources'] as { uri: string }[]).map(({ uri }) => uri);
const next = (raw: Raw, page: JsonObject): Promise<JsonObject> =>
  raw.result('resources/list', { cursor: page['nextCursor'] });

async function walk(raw: Raw, between: (page: number) => void = () => undefined): Promise<string[]> {
  const seen: string[] = [];
  let page = await raw.result('resources/list');
  for (let at = 0; ; at++) {
    seen.push(...urisIn(page));
    if (!('nextCursor' in page)) return seen;
    between(at);
    page = await next(raw, page);
  }
}

test('walking the pages visits every resource once, in the order of the parts, whatever the size of a page', async () => {
  verifies('PAGE-1');
  const counts = fc.array(fc.nat(4), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(counts, fc.integer({ min: 1, max: 7 }), async (lengths, pageSize) => {
      const uris = lengths.map((length, part) => Array.from({ length }, (_, at) => `p${part}:${at}`));
      const parts = uris.flatMap((listed, part) => [
        fixed(`fixed:${part}`),
        resource({ uri: `p${part}:{at}`, list: () => listed.map((uri) => ({ uri })), read: () => 'x' }),
      ]);
      const expected = uris.flatMap((listed, part) => [`fixed:${part}`, ...listed]);
      expect(await walk(await open(dock(parts, { pageSize })))).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('what stays in the list of a template is visited once, while the last one of a page is removed and others come', async () => {
  verifies('PAGE-3');
  let names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const raw = await open(dock([boats(() => named(...names))], { pageSize: 2 }));
  const seen = await walk(raw, (page) => {
    // First the resource that the cursor names is removed, then one is inserted before it.
    names = page === 0 ? names.filter((name) => name !== 'b') : ['new', ...names];
  });
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `boat:${name}`));
});

test('a cursor leads on in another process, and after the template is removed', async () => {
  verifies('PAGE-3');
  const parts = [boats(() => named('a', 'b', 'c')), fixed('last:one')];
  const [here, there] = [dock(parts, { pageSize: 2 }), dock(parts, { pageSize: 2 })];
  const page = await (await open(here)).result('resources/list');
  expect(urisIn(await next(await open(there), page))).toEqual(['boat:c', 'last:one']);
  there.remove('boat:{name}');
  expect(urisIn(await next(await open(there), page))).toEqual(['last:one']);
});

test('a cursor that is not one of this list is rejected', async () => {
  verifies('PAGE-4');
  const raw = await open(dock([boats(() => named('a'))]));
  const cursors = ['resources', 'resources 0', 'resources 1 x', 'resources 1 99999 a:b', 'tools 1', 'tools 1 0 a:b'];
  for (const text of cursors) {
    const cursor = Buffer.from(text).toString('base64url');
    expect(await raw.error('resources/list', { cursor })).toMatchObject({ code: -32602 });
  }
});

test('only the lists that a page needs are called', async () => {
  const called: string[] = [];
  const list = (kind: string) => (): ListedResource[] => {
    called.push(kind);
    return ['1', '2', '3'].map((name) => ({ uri: `${kind}:${name}` }));
  };
  const parts = ['a', 'b'].map((kind) => resource({ uri: `${kind}:{name}`, list: list(kind), read: () => 'x' }));
  const raw = await open(dock(parts, { pageSize: 2 }));
  const first = await raw.result('resources/list');
  expect(called.splice(0)).toEqual(['a']);
  const second = await next(raw, first);
  expect(called.splice(0)).toEqual(['a', 'b']);
  expect(urisIn(await next(raw, second))).toEqual(['b:2', 'b:3']);
  expect(called).toEqual(['b']);
});

describe('what a caller finds', () => {
  const asked = (subject: string, scopes: readonly string[]): AuthInfo => ({ subject, scopes, token: 't' }) as AuthInfo; // the members that are read

  test('is made for that caller, is private, and is not kept', async () => {
    verifies('CACHE-1');
    const server = dock([boats(({ auth }) => named(auth?.subject ?? 'a guest'))], {
      cache: { ttlMs: 9, cacheScope: 'public' },
    });
    for (const subject of ['ada', 'bo']) {
      const page = await (await open(server, { auth: asked(subject, []) })).result('resources/list');
      expect(page).toMatchObject({ resources: [{ uri: `boat:${subject}` }], ttlMs: 9, cacheScope: 'private' });
      expect(isConstant(page)).toBe(false);
    }
    expect(isConstant(await (await open(server)).result('resources/templates/list'))).toBe(true);
  });

  test('is nothing of a template whose scopes the caller lacks, which is still listed as a template', async () => {
    let calls = 0;
    const server = dock([fixed('a:b'), boats(() => named(`c${++calls}`), ['boats:read'])]);
    const without = await open(server, { auth: asked('ada', []) });
    expect(urisIn(await without.result('resources/list'))).toEqual(['a:b']);
    expect((await without.result('resources/templates/list'))['resourceTemplates']).toHaveLength(1);
    expect(calls).toBe(0);
    const having = await open(server, { auth: asked('ada', ['boats:read']) });
    expect(urisIn(await having.result('resources/list'))).toEqual(['a:b', 'boat:c1']);
    expect(urisIn(await (await open(server)).result('resources/list'))).toEqual(['a:b', 'boat:c2']);
  });

  test('is not a resource that hideUnauthorized hides, although a template lists it', async () => {
    const secret = resource({ uri: 'boat:secret', scopes: ['secrets'], read: () => 'x' });
    const server = dock([boats(() => named('plain', 'secret')), secret], { hideUnauthorized: true });
    const raw = await open(server, { auth: asked('ada', []) });
    expect(urisIn(await raw.result('resources/list'))).toEqual(['boat:plain']);
  });
});

test('a list gets the environment and the signal, and no way to ask', async () => {
  const got: ResourceListContext<{ readonly pier: string }>[] = [];
  const part = resource({
    uri: 'boat:{name}',
    list: (context: ResourceListContext<{ readonly pier: string }>) => {
      got.push(context);
      return [];
    },
    read: () => 'x',
  });
  await (await open(createServer({ name: 'dock', version: '1', env: { pier: 'A' }, parts: [part] }))).result(
    'resources/list',
  );
  expect(got[0]?.env).toEqual({ pier: 'A' });
  expect(got[0]?.signal.aborted).toBe(false);
  expect(Object.keys(got[0] ?? {}).sort()).toEqual(['auth', 'caller', 'env', 'principal', 'signal']);
});

test('after the caller cancelled, the next list is not called, and nothing is reported', async () => {
  let later = 0;
  const parts = [
    boats(async ({ signal }) => {
      started.abort();
      await Promise.resolve();
      return signal.aborted ? [] : named('a');
    }),
    resource({ uri: 'later:{name}', list: () => named(String(later++)), read: () => 'x' }),
  ];
  const raw = await open(dock(parts));
  const started = raw.start('resources/list');
  await started.response.catch(() => undefined);
  await nextTurn();
  expect(later).toBe(0);
  expect(reported).toEqual([]);
});

describe('a list that fails', () => {
  test('is an internal error with an id, and the author gets the rest', async () => {
    const raw = await open(dock([boats(() => Promise.reject(new Error('hunter2')))]));
    expect(await raw.error('resources/list')).toEqual({
      code: -32603,
      message: expect.stringMatching(/^Internal error \([\da-f]{8}\)$/),
    });
    expect(reported).toMatchObject([{ what: 'the list of resource "boat:{name}"', error: { message: 'hunter2' } }]);
  });

  test('can say why in its own words', async () => {
    const raw = await open(dock([boats(() => Promise.reject(new ToolError('The archive is closed')))]));
    expect(await raw.error('resources/list')).toEqual({ code: -32603, message: 'The archive is closed' });
  });

  const many = Array.from({ length: 10_001 }, (_, at) => ({ uri: `boat:${at}` }));
  const item = (more: JsonObject): unknown[] => [{ uri: 'boat:a' }, { uri: 'boat:b', ...more }];
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'must be an array of { uri }, not undefined'],
    ["the official SDK's form", { resources: [] }, 'must be an array of { uri }, not an object'],
    ['too many', many, 'has 10001 resources, and 10000 is the limit. List those that matter'],
    ['a text', ['boat:a'], 'item 0: must be an object with a "uri", not text'],
    ['no URI', [{ name: 'a' }], 'item 0: "uri" must be text, not undefined'],
    ['a number as URI', [{ uri: 7 }], 'item 0: "uri" must be text, not 7'],
    ['a URI object', [{ uri: new URL('boat:a') }], 'item 0: "uri" must be text, not an object'],
    ['another scheme', [{ uri: 'ship:a' }], 'item 0: "ship:a" must begin with "boat:", as the template does'],
    ['a blank', [{ uri: 'boat:a b' }], 'item 0: "boat:a b" does not fit the template'],
    ['two segments', [{ uri: 'boat:a/b' }], 'item 0: "boat:a/b" does not fit the template'],
    ['one twice', [{ uri: 'boat:a' }, { uri: 'boat:a' }], 'item 1: "boat:a" is listed twice'],
    ['a name of null', item({ name: null }), 'item 1: "name" must be text, not null, of "boat:b"'],
    ['a title of 7', item({ title: 7 }), 'item 1: "title" must be text, not 7, of "boat:b"'],
    ['a negative size', item({ size: -1 }), 'item 1: "size" must be a number of bytes, not -1, of "boat:b"'],
    ['annotations as text', item({ annotations: 'x' }), 'item 1: "annotations" and "meta" must be objects'],
    ['icons without src', item({ icons: [{}] }), 'item 1: "icons" must be a list of { src }, of "boat:b"'],
    ['icons that are no list', item({ icons: 7 }), 'item 1: "icons" must be a list of { src }, of "boat:b"'],
    ['an icon of a file', item({ icons: [{ src: 'file:///x' }] }), "item 1: an icon's src begins with https://"],
    ['a reserved key', item({ meta: { 'mcp.dev/x': 1 } }), 'item 1: the _meta key "mcp.dev/x": reserved'],
    ['a member that is none', item({ _meta: {} }), 'item 1: unknown member "_meta"; available: uri, name, title'],
  ])('because it returns %s names the template and what came', async (_what, returned, why) => {
    const raw = await open(dock([boats((() => returned) as List)]));
    expect((await raw.error('resources/list')).message).toMatch(/^Internal error \(/);
    expect(reported.map(({ error }) => String(error))).toEqual([
      expect.stringContaining(`the list of resource "boat:{name}": ${why}`),
    ]);
  });

  test('because another template reads what it lists says which one', async () => {
    const wide = resource({ uri: 'boat:{+path}', read: () => 'x' });
    const raw = await open(dock([wide, boats(() => named('a'))]));
    await raw.error('resources/list');
    expect(String(reported[0]?.error)).toContain(
      'item 0: "boat:a" is read by "boat:{+path}", which comes first. Add "boat:{name}" before it',
    );
  });
});

test('a resource that has a URI of its own is listed once, as itself', async () => {
  const own = resource({ uri: 'boat:a', title: 'The first', read: () => 'x' });
  const raw = await open(dock([boats(() => named('a', 'b')), own]));
  expect((await raw.result('resources/list'))['resources']).toEqual([
    { uri: 'boat:b', name: 'boat:b' },
    { uri: 'boat:a', name: 'boat:a', title: 'The first' },
  ]);
});

test('a caller in memory cannot change what the author holds', async () => {
  const meta = { 'example/k': { deep: 1 } };
  const raw = await open(dock([boats(() => [{ uri: 'boat:a', meta }])]));
  const { resources } = await raw.result('resources/list');
  for (const { _meta } of resources as { _meta: typeof meta }[]) _meta['example/k'].deep = 2; // as listed
  expect(meta['example/k'].deep).toBe(1);
});

test('"list" is a function of a template', () => {
  const list = (): ListedResource[] => [];
  const read = (): string => 'x';
  expect(() => resource({ uri: 'a:b', list, read })).toThrow(
    'resource "a:b": "list" needs a template such as orders://{id}',
  );
  expect(() => resource({ uri: 'a:{b}', list: [] as unknown as List, read })).toThrow(
    'resource "a:{b}": "list" must be a function, not object',
  );
});

test('the URI of a template reports a change of the list, and others a change of the resource', async () => {
  verifies('RES-7');
  const server = dock([boats(() => [])]);
  const raw = await open(server, { revision: '2025-11-25' });
  await raw.result('resources/subscribe', { uri: 'boat:a' });
  server.updated('boat:{name}');
  server.updated('boat:a');
  await raw.result('ping');
  expect(raw.pushed.map(({ method }) => method)).toEqual([
    'notifications/resources/list_changed',
    'notifications/resources/updated',
  ]);
});
