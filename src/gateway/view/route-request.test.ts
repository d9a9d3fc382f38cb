/** Routing of callers' requests, and what upstreams receive. */
import { expect, test } from 'vitest';
import { FakeServer, silence } from '../../../test/support/fake-server.ts';
import { open, type Raw, STATELESS } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { createServer, tool } from '../../index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { createGateway, GatewayServer } from '../gateway.ts';
import { type GatewayRule, gatewayRules } from '../policy/gateway-rules.ts';
import type { GatewaySpec } from '../spec.ts';

interface Parts {
  readonly tools?: readonly string[];
  readonly resources?: readonly string[];
  readonly templates?: readonly string[];
  /** The result of completions. */
  readonly completion?: JsonObject;
}

/** An upstream with the given parts, which answers every request for them. */
function upstream(parts: () => Parts): FakeServer {
  const list = (member: string, items: (now: Parts) => readonly JsonObject[]) => () => ({
    ...{ resultType: 'complete', [member]: items(parts()), ttlMs: 60_000, cacheScope: 'public' },
  });
  const done = (result: JsonObject) => () => ({ resultType: 'complete', ...result });
  return new FakeServer({
    revision: STATELESS,
    on: {
      'tools/list': list('tools', ({ tools = [] }) => tools.map((name) => ({ name, inputSchema: { type: 'object' } }))),
      'prompts/list': list('prompts', () => [{ name: 'greet' }]),
      'resources/list': list('resources', ({ resources = [] }) => resources.map((uri) => ({ uri, name: uri }))),
      'resources/templates/list': list('resourceTemplates', ({ templates = [] }) =>
        templates.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
      ),
      'tools/call': done({ content: [] }),
      'resources/read': done({ contents: [] }),
      'completion/complete': () => ({ resultType: 'complete', completion: { values: ['Ada'], ...parts().completion } }),
    },
  });
}

interface Scene {
  readonly raw: Raw;
  /** The upstreams that received a request of this method, each with its params. */
  got(method: string): readonly [string, JsonObject][];
}

async function scene(
  all: Readonly<Record<string, Parts | (() => Parts)>>,
  run: (scene: Scene) => Promise<void>,
  spec: Partial<GatewaySpec> = {},
): Promise<void> {
  const servers = Object.entries(all).map(
    ([label, parts]) => [label, upstream(typeof parts === 'function' ? parts : () => parts)] as const,
  );
  await using gateway = createGateway({
    ...{ name: 'acme', version: '1', onWarning: () => undefined, ...spec },
    upstreams: Object.fromEntries(servers.map(([label, { transport }]) => [label, { transport }])),
  });
  const got: Scene['got'] = (method) =>
    servers.flatMap(([label, server]) =>
      server.params(method).map(({ _meta, ...params }): [string, JsonObject] => [label, params]),
    );
  await run({ raw: await open(gateway), got });
}

const argument = { name: 'name', value: 'A' };
const context = { arguments: { folder: 'public' } };
const template = 'file:///{folder}/{name}';
const noResource = (uri: string): JsonObject => ({ code: -32602, message: `Unknown resource: ${uri}`, data: { uri } });

test('a completion reaches the upstream with its own names, and with the context where there is one', async () => {
  await scene({ shop: { templates: [template] } }, async ({ raw, got }) => {
    await raw.result('completion/complete', { ref: { type: 'ref/prompt', name: 'shop__greet' }, argument });
    const ref = { type: 'ref/resource', uri: `shop+${template}` };
    const { completion } = await raw.result('completion/complete', { ref, argument, context });
    expect(completion).toEqual({ values: ['Ada'] });
    expect(got('completion/complete')).toEqual([
      ['shop', { ref: { type: 'ref/prompt', name: 'greet' }, argument }],
      ['shop', { ref: { type: 'ref/resource', uri: template }, argument, context }],
    ]);
  });
});

test('a call without arguments reaches the upstream without any', async () => {
  await scene({ shop: { tools: ['find'] } }, async ({ raw, got }) => {
    await raw.result('tools/call', { name: 'shop__find' });
    await raw.result('tools/call', { name: 'shop__find', arguments: {} });
    expect(got('tools/call')).toEqual([
      ['shop', { name: 'find' }],
      ['shop', { name: 'find', arguments: {} }],
    ]);
  });
});

test.each([[[]], ['yes'], [7], [null]])(
  'input responses that are %j are rejected before an upstream is asked',
  async (inputResponses) => {
    verifies('MRTR-017');
    await scene({ shop: { tools: ['find'] } }, async ({ raw, got }) => {
      expect(await raw.error('tools/call', { name: 'shop__find', inputResponses })).toMatchObject({
        code: -32602,
        message: '"params.inputResponses" must be an object',
      });
      expect(got('tools/call')).toEqual([]);
    });
  },
);

test('a tool that an upstream got after it was listed can be called at once', async () => {
  const tools = ['find'];
  await scene({ shop: () => ({ tools }) }, async ({ raw, got }) => {
    await raw.result('tools/list');
    tools.push('buy');
    await raw.result('tools/call', { name: 'shop__buy' });
    expect(got('tools/call')).toEqual([['shop', { name: 'buy' }]]);
    expect(await raw.error('tools/call', { name: 'shop__sell' })).toMatchObject({
      message: 'Unknown tool: shop__sell',
    });
  });
});

test('a label can be written in capitals, and a resource that is not listed can be read', async () => {
  await scene({ shop: { resources: ['note:a'] } }, async ({ raw, got }) => {
    await raw.result('resources/read', { uri: 'SHOP+note:a' });
    await raw.result('resources/read', { uri: 'shop+note:b' });
    expect(got('resources/read')).toEqual([
      ['shop', { uri: 'note:a' }],
      ['shop', { uri: 'note:b' }],
    ]);
  });
});

test.each<[string, Readonly<Record<string, Parts>>, string | undefined]>([
  ['goes to the upstream that lists it', { shop: { resources: ['note:a'] }, other: {} }, 'shop'],
  ['goes to the upstream with a template of it', { shop: {}, other: { templates: ['note:{id}'] } }, 'other'],
  [
    'goes to the upstream that lists it, not to one with a template of it',
    { shop: { resources: ['note:a'] }, other: { templates: ['note:{id}'] } },
    'shop',
  ],
  ['goes nowhere where two list it', { shop: { resources: ['note:a'] }, other: { resources: ['note:a'] } }, undefined],
  [
    'goes nowhere where two have a template of it',
    { shop: { templates: ['note:{id}'] }, other: { templates: ['note:{+id}'] } },
    undefined,
  ],
  [
    'goes nowhere where none has it',
    { shop: { resources: ['note:b'] }, other: { templates: ['memo:{id}'] } },
    undefined,
  ],
  ['goes nowhere by a template that fits every scheme', { shop: { templates: ['{+any}'] }, other: {} }, undefined],
  [
    'goes nowhere by a resource whose URI looks like a template',
    { shop: { resources: ['note:{id}'] }, other: {} },
    undefined,
  ],
  ['goes nowhere by a template that cannot be read', { shop: { templates: ['note:{id'] }, other: {} }, undefined],
])('a URI without a label %s', async (_, all, label) => {
  await scene(all, async ({ raw, got }) => {
    if (label === undefined) expect(await raw.error('resources/read', { uri: 'note:a' })).toEqual(noResource('note:a'));
    else await raw.result('resources/read', { uri: 'note:a' });
    expect(got('resources/read')).toEqual(label === undefined ? [] : [[label, { uri: 'note:a' }]]);
  });
});

test('a completion of a template is decided by the URI that its values lead to', async () => {
  const policy = [gatewayRules.deny({ name: 'file:///secret/*' }), gatewayRules.allow({})];
  const complete = (folder: string, of = template): JsonObject => ({
    ...{ ref: { type: 'ref/resource', uri: `shop+${of}` }, argument, context: { arguments: { folder } } },
  });
  const run = async ({ raw, got }: Scene): Promise<void> => {
    for (const folder of ['secret', 'x/../secret', '%73ecret'])
      expect(await raw.error('completion/complete', complete(folder)), folder).toMatchObject({
        ...{ code: -32602, message: expect.stringContaining('was denied') },
      });
    const unlisted = complete('secret', 'file:///{folder}/x/{name}');
    expect(await raw.error('completion/complete', unlisted)).toMatchObject({ code: -32602 });
    expect(got('completion/complete')).toEqual([]);
    await raw.result('completion/complete', complete('public'));
    expect(got('completion/complete')).toHaveLength(1);
  };
  await scene({ shop: { templates: [template] } }, run, { policy });
});

test.each<[string, JsonObject, JsonObject]>([
  [
    'file:///secret/*',
    { values: ['secret', 'server'], total: 2, hasMore: true },
    { values: ['server'], hasMore: true },
  ],
  ['file:///secret/*', { values: ['%73ecret', 'x/../secret'], total: 2 }, { values: [] }],
  ['file:///secret/*', { values: ['server'], total: 7 }, { values: ['server'], total: 7 }],
  // The contents of the folder are denied, not the folder itself.
  ['file:///secret/key', { values: ['secret'] }, { values: ['secret'] }],
])(
  'a completion suggests no value that a rule against %s denies: %j is answered with %j',
  async (name, found, told) => {
    const policy = [gatewayRules.deny({ name }), gatewayRules.allow({})];
    const ref = { type: 'ref/resource', uri: `shop+${template}` };
    const run = async ({ raw }: Scene): Promise<void> => {
      const half = { ref, argument: { name: 'folder', value: 'se' } };
      expect((await raw.result('completion/complete', half))['completion']).toEqual(told);
    };
    await scene({ shop: { templates: [template], completion: found } }, run, { policy });
  },
);

test.each<[string, GatewayRule[], string[]]>([
  [
    'does not suggest the name of a folder that a rule denies',
    [gatewayRules.deny({ name: 'file:///secret/*' }), gatewayRules.allow({})],
    ['notes'],
  ],
  [
    'suggests the name of a folder that a rule denies openly',
    [gatewayRules.deny({ name: 'file:///secret/*' }, { visible: true }), gatewayRules.allow({})],
    ['secret', 'notes'],
  ],
  [
    'suggests a name that a rule allows before another one denies all else',
    [gatewayRules.allow({ name: 'file:///secret' }), gatewayRules.deny({ name: 'file:///*' })],
    ['secret'],
  ],
  ['suggests a name that alone is allowed', [gatewayRules.allow({ name: 'file:///notes' })], ['notes']],
])('a completion of a path %s', async (_, policy, told) => {
  const ref = { type: 'ref/resource', uri: 'shop+file:///{+path}' };
  const run = async ({ raw }: Scene): Promise<void> => {
    const allowed = { ref, argument: { name: 'path', value: told[0] } };
    const { completion } = await raw.result('completion/complete', allowed);
    expect((completion as JsonObject)['values']).toEqual(told);
  };
  const completion = { values: ['secret', 'notes'] };
  await scene({ shop: { templates: ['file:///{+path}'], completion } }, run, { policy });
});

test('a completion of a prompt suggests no value that a rule denies, and any that is asked about or denied openly', async () => {
  const rule = (folder: string) => ({ kind: 'prompt', arguments: { folder } }) as const;
  const policy = [
    gatewayRules.deny(rule('secret')),
    gatewayRules.deny(rule('closed'), { visible: true }),
    gatewayRules.ask(rule('asked')),
    gatewayRules.allow({}),
  ];
  const run = async ({ raw }: Scene): Promise<void> => {
    const valuesFor = async (asked: JsonObject): Promise<unknown> => {
      const ref = { type: 'ref/prompt', name: 'shop__greet' };
      const { completion } = await raw.result('completion/complete', { ref, ...asked });
      return (completion as JsonObject)['values'];
    };
    expect(await valuesFor({ argument: { name: 'folder', value: '' } })).toEqual(['closed', 'asked', 'public']);
    // The folder is secret, not this word.
    expect(await valuesFor({ argument, context })).toEqual(['secret', 'closed', 'asked', 'public']);
  };
  const completion = { values: ['secret', 'closed', 'asked', 'public'] };
  await scene({ shop: { completion } }, run, { policy });
});

test('a number that JSON cannot carry is rejected, because a rule would see another value than the upstream', async () => {
  const policy = [gatewayRules.deny({ arguments: { limit: null } }), gatewayRules.allow({})];
  const run = async ({ raw, got }: Scene): Promise<void> => {
    for (const limit of [Number.POSITIVE_INFINITY, { deep: [Number.NEGATIVE_INFINITY] }])
      expect(await raw.error('tools/call', { name: 'shop__find', arguments: { limit } })).toMatchObject({
        ...{ code: -32602, message: 'Invalid params for tools/call: a number is too large for JSON' },
      });
    await raw.result('tools/call', { name: 'shop__find', arguments: { limit: 1 } });
    expect(got('tools/call')).toHaveLength(1);
  };
  await scene({ shop: { tools: ['find'] } }, run, { policy });
});

const sure = { type: 'object', properties: { sure: { type: 'boolean' } } } as const;

test.each(['2025-11-25', '2026-07-28'])(
  'a retry is told that the server of its call was removed by a reload, where that speaks %s',
  async (revision) => {
    const ask = tool({ name: 'ask', run: async (_input, ctx) => (await ctx.ask('sure', 'Sure?', sure)).action });
    const shop = createServer({ name: 'shop', version: '1', parts: [ask] });
    const mail = createServer({ name: 'mail', version: '1', parts: [tool({ name: 'send', run: () => 'sent' })] });
    const spec = { name: 'acme', version: '1', onWarning: () => undefined };
    await using gateway = new GatewayServer({
      ...spec,
      upstreams: { shop: { server: shop, revisions: [revision] }, mail },
    });
    const raw = await open(gateway, { revision: STATELESS, capabilities: { elicitation: {} } });
    const { requestState, inputRequests } = await raw.result('tools/call', { name: 'shop__ask', arguments: {} });
    gateway.reload({ ...spec, upstreams: { mail } });
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests as JsonObject).map((key) => [key, { action: 'decline' }]),
    ); // requested by name
    expect(
      await raw.error('tools/call', { name: 'shop__ask', arguments: {}, requestState, inputResponses }),
    ).toMatchObject({
      code: -32602,
      message: 'requestState cannot be continued: the server shop is no longer served',
    });
    expect(await raw.error('tools/call', { name: 'shop__ask', arguments: {} })).toMatchObject({
      message: 'Unknown tool: shop__ask',
    });
  },
);

test.each([STATELESS, '2025-11-25'])(
  'a caller of %s that declares tasks is told that the gateway does not pass them on, and not to declare them',
  async (revision) => {
    const render = tool({ name: 'render', task: { required: true }, run: () => 'rendered' });
    const shop = createServer({ name: 'shop', version: '1', parts: [render], tasks: true });
    await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop } });
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const raw = await open(gateway, { revision, capabilities });
    expect(await raw.result('tools/call', { name: 'shop__render', arguments: {} })).toMatchObject({
      isError: true,
      content: [
        {
          text: expect.stringMatching(
            /^The server shop rejected the request: .*tasks\. This gateway does not pass it on$/,
          ),
        },
      ],
    });
  },
);

test('a caller that does not declare tasks gets the error of the protocol for a tool that only runs as one', async () => {
  const render = tool({ name: 'render', task: { required: true }, run: () => 'rendered' });
  const shop = createServer({ name: 'shop', version: '1', parts: [render], tasks: true });
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop } });
  const raw = await open(gateway, { revision: STATELESS });
  expect(await raw.error('tools/call', { name: 'shop__render', arguments: {} })).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
  });
});

test('a URI without a label goes nowhere while an upstream that can have it has not listed its resources', async () => {
  const read = (): JsonObject => ({ resultType: 'complete', contents: [] });
  const slow = new FakeServer({
    revision: STATELESS,
    on: { 'resources/list': () => silence, 'resources/templates/list': () => silence, 'resources/read': read },
  });
  const shop = upstream(() => ({ resources: ['note://a'] }));
  const timeouts = { listMs: 1 };
  const spec = { name: 'acme', version: '1', onWarning: () => undefined };
  const lone = { slow: { transport: slow.transport, timeouts } };
  for (const upstreams of [lone, { ...lone, shop: { transport: shop.transport } }]) {
    await using gateway = createGateway({ ...spec, upstreams, policy: [gatewayRules.allow({ kind: 'resource' })] });
    const raw = await open(gateway);
    expect(await raw.error('resources/read', { uri: 'note://a' })).toEqual(noResource('note://a'));
  }
  expect([...slow.params('resources/read'), ...shop.params('resources/read')]).toEqual([]);
});

test('a listed URI that parsers read in different ways is read, also before its list was fetched, and an unlisted one is not', async () => {
  await scene(
    { shop: { resources: ['note://x@a/b'] } },
    async ({ raw, got }) => {
      await raw.result('resources/read', { uri: 'shop+note://x@a/b' });
      expect(got('resources/read')).toEqual([['shop', { uri: 'note://x@a/b' }]]);
      const other = 'shop+note://x@c/b';
      expect(await raw.error('resources/read', { uri: other })).toEqual(noResource(other));
    },
    { views: { default: { of: [{ shop: { resources: ['note://*'] } }] } } },
  );
});
