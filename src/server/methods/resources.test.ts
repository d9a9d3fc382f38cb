/** Listing and reading resources: URIs, templates, what a handler can return, and missing resources. */
import { expect, test } from 'vitest';
import { everyRevision, open, type Raw, STATELESS, withHandshake } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { McpError, RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Part } from '../part.ts';
import { prompt } from '../prompt.ts';
import { type ReadValue, resource } from '../resource.ts';
import { createServer } from '../server.ts';
import { tool } from '../tool.ts';

const reported: { error: unknown; what: string }[] = [];
const serving = (parts: readonly Part[], revision = STATELESS): Promise<Raw> => {
  reported.length = 0;
  const onError = (error: unknown, { what }: { what: string }): void => void reported.push({ error, what });
  return open(createServer({ name: 'dock', version: '1', parts, onError }), { revision });
};
const contentsOf = async (value: ReadValue, mimeType?: string): Promise<unknown> => {
  const part = resource({ uri: 'a:b', ...(mimeType === undefined ? {} : { mimeType }), read: () => value });
  return (await (await serving([part])).result('resources/read', { uri: 'a:b' }))['contents'];
};

test('resources and templates are listed apart, in the order they were declared', async () => {
  verifies('RES-3', 'RES-6', 'RES-18', 'PAGE-1');
  const parts = [
    resource({ uri: 'b:2', name: 'two', mimeType: 'text/plain', size: 3, read: () => '2' }),
    resource({ uri: 'orders://{id}', title: 'An order', read: ({ id }) => id }),
    resource({ uri: 'a:1', read: () => '1' }),
  ];
  const raw = await serving(parts);
  expect((await raw.result('resources/list'))['resources']).toEqual([
    { uri: 'b:2', name: 'two', mimeType: 'text/plain', size: 3 },
    { uri: 'a:1', name: 'a:1' },
  ]);
  expect((await raw.result('resources/templates/list'))['resourceTemplates']).toEqual([
    { uriTemplate: 'orders://{id}', name: 'orders://{id}', title: 'An order' },
  ]);
});

test.each<[ReadValue, JsonObject]>([
  ['text', { mimeType: 'text/plain', text: 'text' }],
  ['', { mimeType: 'text/plain', text: '' }],
  [new Uint8Array([0, 255]), { mimeType: 'application/octet-stream', blob: 'AP8=' }],
  [new Uint8Array(), { mimeType: 'application/octet-stream', blob: '' }],
  [{ a: 1 }, { mimeType: 'application/json', text: '{"a":1}' }],
])('the returned value %j becomes contents with a MIME type', async (value, contents) => {
  verifies('RES-15', 'RES-32', 'SEEDF-7');
  expect(await contentsOf(value)).toEqual([{ uri: 'a:b', ...contents }]);
  expect(await contentsOf(value, 'x/y')).toEqual([{ uri: 'a:b', ...contents, mimeType: 'x/y' }]);
});

test("a result in the protocol's own form is sent as it is", async () => {
  const read = async (value: ReadValue): Promise<JsonObject> => {
    const part = resource({ uri: 'a:b', cache: { ttlMs: 1, cacheScope: 'public' }, read: () => value });
    return (await serving([part])).result('resources/read', { uri: 'a:b' });
  };
  const contents = [{ uri: 'a:b', mimeType: 'text/html', text: '<p>' }];
  expect(await read({ contents })).toMatchObject({ contents, ttlMs: 1, cacheScope: 'public' });
  expect(await read({ contents, ttlMs: 7, _meta: { 'com.example/k': 1 } })).toMatchObject({
    contents,
    ttlMs: 7,
    cacheScope: 'public',
    _meta: { 'com.example/k': 1 },
  });
  expect(await read({ contents: [{ uri: 'a:b', blob: 'QQ==' }] })).toMatchObject({
    contents: [{ uri: 'a:b', mimeType: 'application/octet-stream', blob: 'QQ==' }],
  });
  const data = { contents: ['one', 'two'] };
  expect(await read(data)).toMatchObject({ contents: [{ mimeType: 'application/json', text: JSON.stringify(data) }] });
});

test.each<[unknown, string]>([
  [
    { contents: [{ uri: 'a:b', text: 'x' }], more: 1 },
    'a result with "contents", but "more" is not one of its members',
  ],
  [{ contents: [{ uri: 'a:b', text: 'x' }], ttlMs: -1 }, 'a result with "contents", but "ttlMs" has an invalid value'],
  [
    { contents: [{ uri: 'a:b', text: 7 }] },
    'a result with "contents", but item 0 is invalid: an embedded resource has text, or a blob',
  ],
  [
    [{ id: 1 }],
    'a list of contents, but item 0 is invalid: an embedded resource needs a URI. Return { uri, text } or { uri, blob }',
  ],
  [[1, 2], 'a list of contents, but item 0 is invalid: contents are an object'],
])('the returned value %j is almost a result, and is rejected with an error for the author', async (value, why) => {
  const raw = await serving([resource({ uri: 'a:b', read: () => value as string })]);
  expect((await raw.error('resources/read', { uri: 'a:b' })).message).toMatch(/^Internal error \(/);
  expect(reported.map(({ error }) => String(error))).toEqual([
    expect.stringContaining(`resource "a:b": it returned almost ${why}`),
  ]);
});

test('a handler can return several contents, which get a default MIME type', async () => {
  verifies('RES-16', 'SEEDF-7');
  const contents = [
    { uri: 'a:b/1', text: 'x' },
    { uri: 'a:b/2', blob: 'QQ==' },
    { uri: 'a:b/3', mimeType: 'text/html', text: '<p>', _meta: { 'com.example/k': 1 } },
  ];
  expect(await contentsOf(contents)).toEqual([
    { ...contents[0], mimeType: 'text/plain' },
    { ...contents[1], mimeType: 'application/octet-stream' },
    contents[2],
  ]);
});

test.each(withHandshake)('a missing resource is error −32002 in %s', async (revision) => {
  verifies('RES-23', 'RES-28');
  const raw = await serving([resource({ uri: 'a:{b}', read: () => undefined })], revision);
  expect(await raw.error('resources/read', { uri: 'a:x' })).toEqual({
    code: -32002,
    message: 'Resource not found',
    data: { uri: 'a:x' },
  });
});

test.each<[string, ReadValue | null]>([
  ['nothing', undefined],
  ['null', null],
  ['an empty list', []],
])(
  'a handler that returns %s reports a missing resource, error −32602 in the newest revision',
  async (_what, value) => {
    verifies('RES-24', 'RES-26', 'RES-28', 'RES-29');
    const raw = await serving([resource({ uri: 'a:{b}', read: () => value as ReadValue })]);
    for (const uri of ['a:x', 'z:unknown']) {
      expect(await raw.error('resources/read', { uri })).toEqual({
        code: -32602,
        message: 'Resource not found',
        data: { uri },
      });
    }
  },
);

test.each(['', 'x', 'no uri', '//x', 'a:b c', 'a:%zz', ':x', 'ä:b'])(
  '%j is not a URI that can be read',
  async (uri) => {
    verifies('RES-30');
    const parts = [resource({ uri: 'x:{+any}', read: () => 'x' })];
    const raw = await serving(parts);
    expect(await raw.error('resources/read', { uri })).toEqual({
      code: -32602,
      message: 'Invalid params for resources/read: "params.uri" must be a URI (RFC 3986)',
    });
    const session = await serving(parts, '2025-06-18');
    for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe']) {
      expect((await session.error(method, { uri })).code).toBe(-32602);
    }
    const filter = { notifications: { resourceSubscriptions: ['a:b', uri] } };
    expect((await raw.error('subscriptions/listen', filter)).message).toContain(
      '"params.notifications.resourceSubscriptions[1]"',
    );
  },
);

test('a URI is matched exactly as it was listed, without normalization', async () => {
  const uri = 'http://Dock.example/%7Ea/../b?x=%20#F';
  const raw = await serving([resource({ uri, read: () => 'x' })]);
  expect((await raw.result('resources/read', { uri }))['contents']).toMatchObject([{ uri }]);
  expect((await raw.error('resources/read', { uri: 'http://dock.example/~a/../b?x=%20#F' })).code).toBe(-32602);
});

test('a template gives its variables, decoded once', async () => {
  const parts = [
    resource({ uri: 'orders://{id}{?page}', read: (variables) => ({ ...variables }) }),
    resource({ uri: 'orders://fixed', read: () => 'exact wins' }),
  ];
  const raw = await serving(parts);
  const read = async (uri: string): Promise<unknown> => (await raw.result('resources/read', { uri }))['contents'];
  expect(await read('orders://a%2520b?page=2')).toMatchObject([{ text: '{"id":"a%20b","page":"2"}' }]);
  expect(await read('orders://fixed')).toMatchObject([{ text: 'exact wins' }]);
});

test.each([
  'file:///srv/../etc/passwd',
  'file:///srv/..%2fetc/passwd',
  'file:///srv/%2e%2e/etc/passwd',
  'file:///srv/a/%2E%2E%2Fb',
  'file:///srv/..%5cwindows',
  'file:///srv/a%00b',
  'file:///srv//etc/passwd',
  'file:///srv/c:/x',
])('the URI %s does not escape from the folder of its template', async (uri) => {
  verifies('RES-34', 'RES-30', 'PROMPT-19');
  const got: string[] = [];
  const read = ({ path }: { path: string }): string => {
    got.push(path);
    return 'x';
  };
  const raw = await serving([resource({ uri: 'file:///srv/{+path}', read })]);
  expect((await raw.error('resources/read', { uri })).message).toBe('Resource not found');
  expect(got).toEqual([]);
  await raw.result('resources/read', { uri: 'file:///srv/a/b.txt' });
  expect(got).toEqual(['a/b.txt']);
});

test.each(everyRevision)('an exception in a read handler is error −32603 with an id in %s', async (revision) => {
  verifies('RES-23', 'RES-25');
  const raw = await serving([resource({ uri: 'a:b', read: () => Promise.reject(new Error('hunter2')) })], revision);
  const error = await raw.error('resources/read', { uri: 'a:b' });
  expect(error).toEqual({ code: -32603, message: expect.stringMatching(/^Internal error \([\da-f]{8}\)$/) });
  expect(reported).toMatchObject([{ what: 'resource "a:b"', error: { message: 'hunter2' } }]);
});

test('a ToolError or RpcError in a read handler reaches the caller with its message', async () => {
  const parts = [
    resource({ uri: 'a:tool', read: () => Promise.reject(new ToolError('The archive is closed')) }),
    resource({ uri: 'a:rpc', read: () => Promise.reject(new RpcError(4711, 'Not today')) }),
  ];
  const raw = await serving(parts);
  expect(await raw.error('resources/read', { uri: 'a:tool' })).toEqual({
    code: -32603,
    message: 'The archive is closed',
  });
  expect(await raw.error('resources/read', { uri: 'a:rpc' })).toEqual({ code: 4711, message: 'Not today' });
});

test('another handler reads a resource of the same server', async () => {
  const parts = [
    resource({ uri: 'a:b', read: () => 'x' }),
    tool({ name: 'reads', run: async (_input, ctx) => JSON.stringify((await ctx.read('a:b')).contents) }),
    tool({
      name: 'fails',
      run: async (_input, ctx) => {
        await ctx.read('a:b');
        throw new Error('afterwards');
      },
    }),
    tool({
      name: 'copes',
      run: (_input, ctx) => ctx.read('a:nothing').then(String, (error: RpcError) => error.message),
    }),
  ];
  const raw = await serving(parts);
  expect(await raw.result('tools/call', { name: 'reads' })).toMatchObject({
    content: [{ text: '[{"uri":"a:b","mimeType":"text/plain","text":"x"}]' }],
  });
  expect(await raw.result('tools/call', { name: 'copes' })).toMatchObject({
    content: [{ text: 'Resource not found' }],
  });
  await raw.result('tools/call', { name: 'fails' });
  // The tool failed, not the earlier read.
  expect(reported).toMatchObject([{ what: 'tool "fails"' }]);
});

test('a read result has the cache hints of its resource, or else those of the server', async () => {
  verifies('CACHE-1', 'CACHE-3');
  const parts = [
    resource({ uri: 'a:own', cache: { ttlMs: 5_000, cacheScope: 'public' }, read: () => 'x' }),
    resource({ uri: 'a:half', cache: { ttlMs: 1 }, read: () => 'x' }),
    resource({ uri: 'a:none', read: () => 'x' }),
  ];
  const hints = async (uri: string, cache?: object): Promise<unknown> => {
    const server = createServer({ name: 'dock', version: '1', parts, ...(cache === undefined ? {} : { cache }) });
    const { ttlMs, cacheScope } = await (await open(server)).result('resources/read', { uri });
    return [ttlMs, cacheScope];
  };
  expect(await hints('a:own')).toEqual([5_000, 'public']);
  expect(await hints('a:half')).toEqual([1, 'private']);
  expect(await hints('a:none')).toEqual([0, 'private']);
  expect(await hints('a:none', { ttlMs: 7, cacheScope: 'public' })).toEqual([7, 'public']);
});

test('a resource with scopes is not shared between callers, unless its own hints say so', async () => {
  verifies('CACHE-20');
  const auth = { subject: 'ada', scopes: ['notes'] };
  const parts = [
    resource({ uri: 'a:scoped', scopes: ['notes'], read: () => 'x' }),
    resource({ uri: 'a:shared', scopes: ['notes'], cache: { cacheScope: 'public' }, read: () => 'x' }),
  ];
  const cache = { ttlMs: 7, cacheScope: 'public' } as const;
  const raw = await open(createServer({ name: 'dock', version: '1', parts, cache }), { auth });
  expect(await raw.result('resources/read', { uri: 'a:scoped' })).toMatchObject({ ttlMs: 7, cacheScope: 'private' });
  expect(await raw.result('resources/read', { uri: 'a:shared' })).toMatchObject({ ttlMs: 7, cacheScope: 'public' });
});

test('a result is private unless its author says otherwise', async () => {
  verifies('CACHE-20');
  const parts = [
    resource({ uri: 'a:b', read: () => 'x' }),
    tool({ name: 't', run: () => 'x' }),
    prompt({ name: 'p', render: () => 'x' }),
  ];
  const server = createServer({ name: 'dock', version: '1', parts });
  const raw = await open(server, { auth: { subject: 'ada', scopes: [] } });
  for (const [method, params] of [
    ['tools/list', {}],
    ['prompts/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'a:b' }],
    ['server/discover', {}],
  ] as const) {
    expect((await raw.result(method, params))['cacheScope'], method).toBe('private');
  }
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('a ttlMs of %j is rejected', (ttlMs) => {
  verifies('CACHE-3');
  expect(() => resource({ uri: 'a:b', cache: { ttlMs }, read: () => 'x' })).toThrow(
    '"cache.ttlMs" must be a whole number',
  );
  expect(() => createServer({ name: 'd', version: '1', cache: { ttlMs }, parts: [] })).toThrow('"cache.ttlMs"');
});

test.each(['no uri', 'a b:c', 'x', '{scheme}', '://x', '1a:b', 'a_b:c', 'a:b c', 'a:ü', 'a:%4g', 'a:<b>', 'a:{b}#c#d'])(
  'a resource cannot be declared at %j, which RFC 3986 forbids',
  (uri) => {
    verifies('RES-19');
    expect(() => resource({ uri, read: () => 'x' })).toThrow('not a URI (scheme:rest, RFC 3986)');
  },
);

test.each(['a:', 'orders://A-1041', 'x-y.z+1://h/a%20b?c#d', 'a:{b}/{+c}'])(
  'a resource can be declared at %j, in a scheme of its own',
  (uri) => {
    verifies('RES-19');
    expect(resource({ uri, read: () => 'x' }).uri).toBe(uri);
  },
);

test('a resource cannot be declared at a template that does not close', () => {
  expect(() => resource({ uri: 'a:{', read: () => 'x' })).toThrow(McpError);
});
