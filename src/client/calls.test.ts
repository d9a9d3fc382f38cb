import { describe, expect, test } from 'vitest';
import { type Handler, silence } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, opened, STATELESS } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { McpError, RpcError, ToolError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Layer } from '../peer/exchange.ts';
import { Deferred } from '../peer/wait.ts';

const text = (value: string): JsonObject => ({ type: 'text', text: value });

describe('calling a tool', () => {
  test('call() returns data, text, content and _meta of the result', async () => {
    const content = [text('a'), { type: 'image', data: 'AA==', mimeType: 'image/png' }, text('b')];
    const on = {
      'tools/call': (): JsonObject => ({ content, structuredContent: { n: 1 }, _meta: { 'com.example/x': 1 } }),
    };
    await using it = await opened({ on: { ...on, 'tools/list': () => ({ tools: [] }) } });
    const result = await it.client.call('t', { a: 1 });
    expect(result).toMatchObject({ data: { n: 1 }, text: 'a\nb', content, meta: { 'com.example/x': 1 } });
  });

  test.each(['call', 'attempt'] as const)(
    '%s() of an unknown tool suggests names if the list of tools is cached, without a request',
    async (method) => {
      const tools = ['t', 'tea', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } }));
      const pages = new Map([
        [undefined, { tools: tools.slice(0, 1), nextCursor: 'more' }],
        ['more', { tools: tools.slice(1) }],
      ]);
      const on: Record<string, Handler> = {
        'tools/call': ({ name }) => new RpcError(-32602, `Unknown tool: ${String(name)}`),
        'tools/list': ({ cursor }) => ({
          ...pages.get(cursor as string | undefined),
          ...{ ttlMs: 1_000, cacheScope: 'private' },
        }),
      };
      await using it = await opened({ on });
      const messageOf = (name: string): Promise<unknown> =>
        it.client[method](name).catch((error: Error) => error.message);
      expect(await messageOf('tt')).toBe('Unknown tool: tt');
      await it.client.list('tools').all();
      expect(await messageOf('tt')).toBe('Unknown tool: tt; did you mean t or tea?');
      expect(await messageOf('unlike')).toBe('Unknown tool: unlike');
      expect(await messageOf('other')).toBe('Unknown tool: other');
      await it.clock.advance(1_000);
      expect(await messageOf('tt')).toBe('Unknown tool: tt');
      expect(it.server.params('tools/list')).toHaveLength(2);
    },
  );

  test('read() of an unknown resource names its URI', async () => {
    const on: Record<string, Handler> = {
      'resources/read': ({ uri }) => new RpcError(-32602, 'Resource not found', { uri }),
    };
    await using it = await opened({ on });
    await expect(it.client.read('notes://77')).rejects.toMatchObject({
      message: 'Resource not found: notes://77',
      reason: 'resource-not-found',
    });
  });

  test.each([HANDSHAKE, STATELESS])(
    'call() returns every _meta unchanged, and sends the _meta of its caller, in %s',
    async (revision) => {
      verifies('SEED-14');
      const _meta = { 'com.example/x': { deep: [1, null] }, 'unknown.example/y': 'z', plain: true };
      const resource = { uri: 'a:b', text: 'x', _meta };
      const content = [
        { ...text('a'), _meta },
        { type: 'resource', resource, _meta },
      ];
      const tools = [{ name: 't', inputSchema: { type: 'object' }, _meta }];
      const on = {
        'tools/call': (): JsonObject => ({ content, _meta }),
        'tools/list': (): JsonObject => ({ tools }),
        'resources/read': (): JsonObject => ({ contents: [resource], _meta }),
        'prompts/get': (): JsonObject => ({ messages: [{ role: 'user', content: content[0] }], _meta }),
      };
      await using it = await opened({ revision, on });
      const meta = { 'com.example/trace': { span: 7 } };
      expect(await it.client.call('t', {}, { meta })).toMatchObject({ content, meta: _meta });
      expect(await it.client.list('tools').all()).toEqual(tools);
      expect(await it.client.read('a:b')).toMatchObject({ contents: [resource], meta: _meta });
      expect(await it.client.getPrompt('p')).toMatchObject({ messages: [{ content: content[0] }], meta: _meta });
      expect(it.server.params('tools/call')[0]?.['_meta']).toMatchObject(meta);
    },
  );

  test.each([HANDSHAKE, STATELESS])(
    'call() sends an object as arguments, even without any, in %s',
    async (revision) => {
      verifies('TOOL-69');
      await using it = await opened({ revision, on: { 'tools/call': () => ({ content: [] }) } });
      await it.client.call('t', { a: [1] });
      await it.client.call('t');
      await it.client.call('t', undefined, { meta: { 'com.example/x': 1 } });
      await it.client.attempt('t');
      // Some servers whose arguments are all optional reject a call without an `arguments` object.
      expect(it.server.params('tools/call').map((params) => params['arguments'])).toEqual([{ a: [1] }, {}, {}, {}]);
    },
  );

  test('a tool result can link to a resource that resources/list does not contain', async () => {
    verifies('TOOL-65');
    const link = { type: 'resource_link', uri: 'hidden:1', name: 'h' };
    await using it = await opened({ on: { 'tools/call': () => ({ content: [link] }) } });
    expect((await it.client.call('t')).content).toEqual([link]);
    expect(it.server.methods).toEqual(['server/discover', 'tools/call']);
  });

  test('call() throws a ToolError with the text of a failed tool', async () => {
    const content = [text('No such order'), text('Try another')];
    await using it = await opened({
      on: { 'tools/call': () => ({ content, isError: true, structuredContent: { bad: 1 } }) },
    });
    const error = await it.client.call('t').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ message: 'No such order\nTry another', content });
    expect(it.server.methods).not.toContain('tools/list');
    await using mute = await opened({ on: { 'tools/call': () => ({ content: [], isError: true }) } });
    await expect(mute.client.call('t')).rejects.toThrow('Tool "t" failed');
  });

  test('attempt returns the result of a tool that failed, with all its content', async () => {
    const answer = { content: [text('No')], isError: true, structuredContent: { bad: 1 }, _meta: { 'a.b/c': 1 } };
    await using it = await opened({ on: { 'tools/call': () => answer } });
    expect(await it.client.attempt('t', { a: 1 })).toEqual({
      content: answer.content,
      isError: true,
      data: { bad: 1 },
      text: 'No',
      meta: { 'a.b/c': 1 },
    });
    await using well = await opened({ on: { 'tools/call': () => ({ content: [text('Yes')] }) } });
    expect(await well.client.attempt('t')).toMatchObject({ isError: false, text: 'Yes' });
  });
});

describe('what a tool returns', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const tools = [{ name: 'count', inputSchema: { type: 'object' }, outputSchema }];
  const returning = (structuredContent: unknown, list: JsonObject[] = tools): Record<string, Handler> => ({
    'tools/call': () => ({ content: [], structuredContent }),
    'tools/list': () => ({ tools: list }),
  });

  test('call() validates results against the output schema, which it fetches once', async () => {
    verifies('TOOL-21', 'TOOL-31');
    await using it = await opened({ on: returning({ n: 1 }) });
    await expect(it.client.call('count')).resolves.toMatchObject({ data: { n: 1 } });
    await it.client.call('count');
    await it.client.call('other');
    expect(it.server.params('tools/list')).toHaveLength(1);
  });

  test('data that does not match the output schema is rejected', async () => {
    verifies('TOOL-21');
    await using it = await opened({ on: returning({ n: 'many' }) });
    await expect(it.client.call('count')).rejects.toMatchObject({
      code: 'MCP_OUTPUT_MISMATCH',
      message: expect.stringMatching(/"count" does not match its output schema: n/),
    });
    await using none = await opened({ on: returning(null) });
    await expect(none.client.call('count')).rejects.toMatchObject({ code: 'MCP_OUTPUT_MISMATCH' });
  });

  test('call() does not fetch output schemas for results without structured content', async () => {
    await using it = await opened({ on: { 'tools/call': () => ({ content: [] }) } });
    await it.client.call('count');
    expect(it.server.methods).not.toContain('tools/list');
  });

  test('call() skips validation, with a warning, only if the output schema is unusable', async () => {
    verifies('TOOL-26', 'BASE-072');
    const remote = {
      name: 'far',
      inputSchema: { type: 'object' },
      outputSchema: { $ref: 'https://evil.example/schema' },
    };
    await using it = await opened({ on: returning({ n: 'many' }, [...tools, remote]) });
    await expect(it.client.call('far')).resolves.toMatchObject({ data: { n: 'many' } });
    await it.client.call('far');
    expect(it.warnings).toEqual([expect.stringContaining('Results of tool "far" are not checked')]);
    await expect(it.client.call('count')).rejects.toMatchObject({ code: 'MCP_OUTPUT_MISMATCH' });
  });

  test('call() returns the result if tools/list fails', async () => {
    await using it = await opened({ on: { 'tools/call': () => ({ content: [], structuredContent: 1 }) } });
    await expect(it.client.call('count')).resolves.toMatchObject({ data: 1 });
    expect(it.warnings).toEqual([expect.stringContaining('the tools could not be listed')]);
  });

  test('call() validates against the new output schema after the tools have changed', async () => {
    let list: JsonObject[] = tools;
    const on = { ...returning({ n: 'many' }), 'tools/list': () => ({ tools: list }) };
    await using it = await opened({ revision: HANDSHAKE, on });
    await expect(it.client.call('count')).rejects.toMatchObject({ code: 'MCP_OUTPUT_MISMATCH' });
    list = [{ ...tools[0], outputSchema: { type: 'object' } }];
    it.server.line.notify('notifications/tools/list_changed');
    await settled();
    await expect(it.client.call('count')).resolves.toMatchObject({ data: { n: 'many' } });
  });

  test('a list of tools that was requested before they changed does not count for later results', async () => {
    const before = new Deferred<JsonObject>();
    const lists = [before.promise, { tools: [{ ...tools[0], outputSchema: { type: 'object' } }] }];
    const on: Record<string, Handler> = { ...returning({ n: 'many' }), 'tools/list': () => lists.shift() ?? {} };
    await using it = await opened({ revision: HANDSHAKE, on });
    const first = it.client.call('count');
    await settled();
    it.server.line.notify('notifications/tools/list_changed');
    before.resolve({ tools });
    await expect(first).rejects.toMatchObject({ code: 'MCP_OUTPUT_MISMATCH' });
    await expect(it.client.call('count')).resolves.toMatchObject({ data: { n: 'many' } });
  });

  test('results are validated again once the server can list its tools again', async () => {
    let isDown = true;
    const down: Layer = (next) => (message, link) =>
      isDown && 'method' in message && message.method === 'tools/list'
        ? Promise.reject(new McpError('MCP_UNREACHABLE', { url: 'https://a.example', why: 'no route' }))
        : next(message, link);
    await using it = await opened({ on: returning({ n: 'many' }) }, { layers: [down] });
    await expect(it.client.call('count')).resolves.toMatchObject({ data: { n: 'many' } });
    isDown = false;
    await expect(it.client.call('count')).rejects.toMatchObject({ code: 'MCP_OUTPUT_MISMATCH' });
  });

  test('results stay unchecked after the list of tools timed out, so that no later result waits for it', async () => {
    await using it = await opened({ on: { ...returning({ n: 'many' }), 'tools/list': () => silence } });
    const first = it.client.call('count');
    await settled();
    await it.clock.advance(60_000);
    await first;
    await it.client.call('count');
    expect(it.server.params('tools/list')).toHaveLength(1);
  });
});

describe('reading a resource', () => {
  test('read() does not cache a result that was requested before the resource changed', async () => {
    const read: Handler = ({ uri }, line) => {
      line.notify('notifications/resources/updated', { uri });
      return { contents: [{ uri, text: 'before the change' }], ttlMs: 100, cacheScope: 'public' };
    };
    await using it = await opened({ on: { 'resources/read': read } });
    await it.client.read('a:b');
    await it.client.read('a:b');
    expect(it.server.params('resources/read')).toHaveLength(2);
  });

  test('read() sends the URI unchanged', async () => {
    verifies('SEEDF-6');
    const uri = 'HTTP://Ex.Example:80/a/../b%2f?q=ü#f';
    const resources = [{ uri, name: 'x' }];
    const contents = [
      { uri, text: 'x' },
      { uri, blob: 'AA==' },
      { uri, text: 'y' },
    ];
    await using it = await opened({
      on: { 'resources/read': () => ({ contents }), 'resources/list': () => ({ resources }) },
    });
    const [listed] = await it.client.list('resources').all();
    expect(await it.client.read(listed?.uri ?? '')).toEqual({ contents, text: 'x\ny', meta: {} });
    expect(it.server.params('resources/read')[0]?.['uri']).toBe(uri);
  });

  test('read() marks the error of a missing resource with the reason resource-not-found', async () => {
    verifies('RES-27', 'BASE-039', 'SEEDF-13', 'SEED-6');
    const failing = async (error: RpcError, revision?: string): Promise<unknown> => {
      await using it = await opened({
        on: { 'resources/read': () => error },
        ...(revision === undefined ? {} : { revision }),
      });
      return await it.client.read('a:b').catch((reason: unknown) => reason);
    };
    const missing = { reason: 'resource-not-found' };
    expect(await failing(new RpcError(-32002, 'gone'), HANDSHAKE)).toMatchObject({ ...missing, code: -32002 });
    expect(await failing(new RpcError(-32002, 'gone'))).toMatchObject(missing);
    expect(await failing(new RpcError(-32602, 'gone', { uri: 'a:b' }))).toMatchObject(missing);
    expect(await failing(new RpcError(-32602, 'bad params'))).toMatchObject({ reason: undefined });
    expect(await failing(new RpcError(-32001, 'seed'))).toMatchObject({ reason: undefined, code: -32001 });
  });

  test.each([HANDSHAKE, STATELESS])(
    'read() and call() reject with the server’s own error code, without a reason, in %s',
    async (revision) => {
      verifies('BASE-035');
      const own = Array.from({ length: 20 }, (_, i) => -32000 - i).filter((code) => code !== -32002);
      let next = 0;
      const fail: Handler = () => new RpcError(next, `error ${next}`, { uri: 'a:b', supported: [revision] });
      await using it = await opened({ revision, on: { 'resources/read': fail, 'tools/call': fail } });
      for (next of own) {
        const errors = await Promise.all(
          [it.client.read('a:b'), it.client.call('t')].map((asked) => asked.catch((reason: unknown) => reason)),
        );
        for (const error of errors)
          expect(error).toMatchObject({ name: 'RpcError', code: next, message: `error ${next}`, reason: undefined });
      }
      // No request was retried, and the connection is still the first one.
      expect(it.server.params('resources/read')).toHaveLength(own.length);
      expect(it.server.params('tools/call')).toHaveLength(own.length);
      expect(it.server.lines).toHaveLength(1);
      expect(it.client.state).toBe('ready');
    },
  );

  test('read() returns the cached result, unless the option "fresh" is set', async () => {
    verifies('CACHE-4', 'CACHE-7', 'CACHE-15');
    const read: Handler = ({ uri }) => ({ contents: [{ uri, text: 'x' }], ttlMs: 100, cacheScope: 'public' });
    await using it = await opened({ on: { 'resources/read': read } });
    const times = (): number => it.server.params('resources/read').length;
    await it.client.read('a:b');
    await it.client.read('a:b');
    expect(times()).toBe(1);
    await it.client.read('a:c');
    await it.client.read('a:b', { fresh: true });
    await it.client.read('a:b', { meta: { 'com.example/as': 'bob' } });
    expect(times()).toBe(4);
    it.server.line.notify('notifications/resources/updated', { uri: 'a:b' });
    await settled();
    await it.client.read('a:b');
    expect(times()).toBe(5);
  });
});

describe('getting a prompt', () => {
  test('getPrompt() sends its arguments as strings', async () => {
    verifies('PROMPT-11');
    const messages = [{ role: 'user', content: text('hi') }];
    await using it = await opened({ on: { 'prompts/get': () => ({ messages, description: 'd' }) } });
    expect(await it.client.getPrompt('p', { a: 'x', b: 2, c: true, d: undefined } as never)).toEqual({
      messages,
      description: 'd',
      meta: {},
    });
    expect(it.server.params('prompts/get')[0]).toMatchObject({ name: 'p', arguments: { a: 'x', b: '2', c: 'true' } });
    expect(it.server.params('prompts/get')[0]?.['arguments']).not.toHaveProperty('d');
    await it.client.getPrompt('p');
    expect(it.server.params('prompts/get')[1]?.['arguments']).toEqual({});
    await expect(it.client.getPrompt('p', { a: {} } as never)).rejects.toThrow('arguments of prompts are strings');
    await expect(it.client.getPrompt('p', ['x'] as never)).rejects.toThrow('"args" must be an object, not a list');
  });
});

describe('completing an argument', () => {
  const completion = { completion: { values: ['ada'], total: 1, hasMore: false } };
  const ref = { type: 'ref/prompt', name: 'p' } as const;

  test('complete() sends the reference, the argument and the known arguments', async () => {
    verifies('COMP-3', 'COMP-4');
    await using it = await opened({ on: { 'completion/complete': () => completion } });
    const argument = { name: 'who', value: 'a' };
    expect(await it.client.complete(ref, argument, { context: { city: 'Paris' } })).toEqual(completion.completion);
    await it.client.complete({ type: 'ref/resource', uri: 'a:{who}' }, argument);
    const [first, second] = it.server.params('completion/complete');
    expect(first).toMatchObject({ ref, argument, context: { arguments: { city: 'Paris' } } });
    expect(second).toMatchObject({ ref: { type: 'ref/resource', uri: 'a:{who}' } });
    expect(second).not.toHaveProperty('context');
  });

  test('complete() omits the context in revisions without it, and is sent in revisions without a capability for it', async () => {
    const fake = { revision: '2024-11-05', capabilities: {} };
    await using it = await opened({ ...fake, on: { 'completion/complete': () => completion } });
    await it.client.complete(ref, { name: 'who', value: '' }, { context: { city: 'Paris' } });
    expect(it.server.params('completion/complete')).toEqual([{ ref, argument: { name: 'who', value: '' } }]);
    await using none = await opened(fake);
    await expect(none.client.complete(ref, { name: 'who', value: '' })).rejects.toMatchObject({
      code: 'MCP_NOT_OFFERED',
    });
  });
});
