import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { FakeServer } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { verifies } from '../../test/support/verifies.ts';
import { createServer, prompt, resource, tool } from '../index.ts';
import { revisions } from '../revisions/index.ts';
import * as transports from '../transport/index.ts';
import { type Change, type Client, type ConnectOptions, connect, McpError, type Target, ToolError } from './index.ts';

const everyRevision = revisions.map(({ id }) => id);
const Sum = z.object({ sum: z.number() });

const shop = createServer({
  name: 'shop',
  version: '1.0.0',
  instructions: 'Count well',
  parts: [
    tool({
      name: 'add',
      input: z.object({ a: z.number(), b: z.number().default(1) }),
      output: Sum,
      run({ a, b }, ctx) {
        ctx.progress(1, 2);
        return { sum: a + b };
      },
    }),
    tool({
      name: 'greet',
      input: z.object({ name: z.string().optional() }),
      run: ({ name = 'you' }) => `Hello ${name}`,
    }),
    tool({
      name: 'sure',
      run: async (_input, ctx) => ((await ctx.confirm('sure', 'Sure?')) ? 'yes' : 'no'),
    }),
    tool({
      name: 'broken',
      run: () => {
        throw new ToolError('Out of order');
      },
    }),
    resource({ uri: 'orders://{id}', name: 'order', read: ({ id }) => `Order ${id}` }),
    resource({ uri: 'shop://hours', name: 'hours', read: () => '9 to 5' }),
    prompt({ name: 'summarise', args: z.object({ id: z.string() }), render: ({ id }) => `Summarise ${id}` }),
  ],
});

describe.each(everyRevision)('a server in the same process, in %s', (revision) => {
  test('a server in the same process is called by the names of its tools', async () => {
    verifies('BASE-079');
    await using client = await connect(shop, { revisions: [revision] });
    expect(client.server).toMatchObject({ info: { name: 'shop' }, instructions: 'Count well', revision });
    const seen: number[] = [];
    const { data, text } = await client.call('add', { a: 2 }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(text).toContain('3');
    expect(data).toEqual(revision < '2025-06-18' ? undefined : { sum: 3 });
    expect(seen).toEqual([1]);
    expect((await client.call('greet')).text).toBe('Hello you');
    await expect(client.call('broken')).rejects.toThrow('Out of order');
    expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['add', 'greet', 'sure', 'broken']);
    expect((await client.list('templates').all())[0]?.uriTemplate).toBe('orders://{id}');
    expect((await client.read('orders://7')).text).toBe('Order 7');
    await expect(client.read('shop://nothing' as 'shop://hours')).rejects.toMatchObject({
      reason: 'resource-not-found',
    });
    expect((await client.getPrompt('summarise', { id: 'A1' })).messages[0]?.content).toMatchObject({
      text: 'Summarise A1',
    });
    await client.ping();
  });

  test('a server in the same process notifies of changes', async () => {
    const changing = createServer({ name: 'c', version: '1', parts: [tool({ name: 'a', run: () => 'a' })] });
    await using client = await connect(changing, { revisions: [revision] });
    const news: Change[] = [];
    const watch = client.watch({ tools: true });
    void (async () => {
      for await (const one of watch) news.push(one);
    })();
    expect(await watch.granted).toEqual({ toolsListChanged: true });
    changing.add(tool({ name: 'b', run: () => 'b' }));
    await settled();
    expect(news).toEqual([{ kind: 'tools' }]);
    expect(await client.list('tools').all()).toHaveLength(2);
  });
});

test.each(everyRevision.filter((id) => id >= '2025-06-18'))(
  'elicitation works as specified in %s',
  async (revision) => {
    const asked: string[] = [];
    const elicit: ConnectOptions['elicit'] = ({ message }, { server }) => {
      asked.push(`${server.info?.name}: ${message}`);
      return { action: 'accept', content: { confirm: true } };
    };
    await using client = await connect(shop, { revisions: [revision], elicit });
    expect((await client.call('sure')).text).toBe('yes');
    expect(asked).toEqual(['shop: Sure?']);
    await using refusing = await connect(shop, { revisions: [revision], elicit: () => ({ action: 'decline' }) });
    expect((await refusing.call('sure')).text).toBe('no');
  },
);

test('connect() negotiates the newest common revision', async () => {
  await using client = await connect(shop);
  expect(client.server.revision).toBe(everyRevision[0]);
  const old = createServer({ name: 'old', version: '1', revisions: ['2025-03-26'], parts: [] });
  await using other = await connect(old);
  expect(other.server.revision).toBe('2025-03-26');
});

test('the package exports the standard transports and one in memory, and no other', () => {
  verifies('SEED-11');
  expect(Object.keys(transports).filter((name) => name.endsWith('Transport'))).toEqual([
    'childTransport',
    'memoryTransport',
  ]);
});

describe('a target', () => {
  test('the target can be a custom transport', async () => {
    await using client = await connect(new FakeServer({ revision: '2025-06-18' }).transport);
    expect(client.server.revision).toBe('2025-06-18');
  });

  test('a command that cannot be started is reported', async () => {
    const connecting = connect({ command: 'mooring-no-such-command' });
    await expect(connecting).rejects.toMatchObject({ code: 'MCP_SPAWN_FAILED' });
  });

  test('the first stray line of a command is a warning', async () => {
    const script = `
      const twice = '{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}';
      console.log('{"jsonrpc":"2.0","id":99,"result":{}}\\n' + twice + '\\nListening');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id } = JSON.parse(line);
        const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });`;
    const warnings: string[] = [];
    const command = { command: process.execPath, args: ['-e', script] };
    const onWarning = (warning: string): void => void warnings.push(warning);
    await using _client = await connect(command, { revisions: ['2025-06-18'], onWarning });
    expect(warnings).toEqual([
      `${process.execPath} wrote a line to standard output that is not one JSON-RPC message: {"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}. It is skipped: a server writes one message per line, and everything else to standard error`,
    ]);
    const strays: string[] = [];
    const onStray = (_what: string, sample: string): void => void strays.push(sample);
    await using _other = await connect({ ...command, onStray }, { revisions: ['2025-06-18'], onWarning });
    expect([strays.length, warnings.length]).toEqual([3, 1]);
  });

  test('a late response of a command does not end it', async () => {
    const script = `console.log('{"jsonrpc":"2.0","id":99,"result":{}}'); process.exitCode = 3;`;
    const connecting = connect({ command: process.execPath, args: ['-e', script] }, { revisions: ['2025-06-18'] });
    const error: unknown = await connecting.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'MCP_SERVER_EXITED' });
    expect((error as Error).cause).toBeUndefined();
  });

  test.each(['http://127.0.0.1:1/mcp', new URL('http://127.0.0.1:1/mcp')])(
    'the target can be a URL: %s',
    async (url) => {
      const error = await connect(url).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(McpError);
      expect(error).toMatchObject({
        code: 'MCP_UNREACHABLE',
        message: expect.stringContaining('http://127.0.0.1:1/mcp'),
      });
    },
  );

  test.each(['a.example', 'ftp://a.example', 'https://user:secret@a.example/mcp', ''])(
    'the target is rejected unless it is an http(s) URL without credentials: %j',
    async (url) => {
      const error = await connect(url).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'MCP_BAD_DEFINITION' });
      expect(String(error)).not.toContain('secret');
    },
  );

  test('connect() rejects unknown options', async () => {
    const wrong = (options: unknown): Promise<unknown> => connect(shop, options as object); // the compiler would report it
    await expect(wrong({ timeotMs: 1 })).rejects.toThrow('there is no option "timeotMs"; did you mean timeoutMs?');
    await expect(wrong('2025-11-25')).rejects.toThrow(
      'connect(target, options): the options must be an object, not text',
    );
    await expect(wrong({ timeoutMs: '5' })).rejects.toThrow(
      '"timeoutMs" must be a number that is not negative, not text',
    );
    await expect(wrong({ headers: {} })).rejects.toThrow('The option "headers": tokens and headers are for the URL');
  });

  test.each(['token', 'bearer', 'apiKey'])(
    'connect() with the option "%s" names the option for a token',
    async (name) => {
      const options: object = { [name]: 'x' }; // as above
      await expect(connect('https://a.example/mcp', options)).rejects.toThrow(
        `there is no option "${name}"; a fixed token is headers: { authorization: "Bearer …" }`,
      );
    },
  );

  test.each([
    ['text', () => 'x'],
    ['undefined', () => undefined],
    ['an object', () => ({ authorization: 'Bearer x' })],
    ['an object', () => ({ headers: { authorization: 'Bearer x' }, onChallenge: () => false })],
  ])('connect() rejects a function "auth" that returns %s, before anything is sent', async (kind, auth) => {
    const options: object = { auth, fetch: () => Promise.reject(new Error('sent')) }; // as above
    await expect(connect('https://a.example/mcp', options)).rejects.toThrow(
      `The function "auth": it must return { headers(), onChallenge() }, as that of oauth() does, not ${kind}; a fixed`,
    );
  });

  test('connect() rejects handlers that are not functions, and revisions that are not a list', async () => {
    const wrong = (options: unknown): Promise<unknown> => connect(shop, options as object); // as above
    await expect(wrong({ elicit: true })).rejects.toThrow(
      'The option "elicit": it must be a function, or an object of functions, not true',
    );
    await expect(wrong({ revisions: '2025-06-18' })).rejects.toThrow('"revisions": it must be a list, not text');
  });

  test('connect() rejects a command whose "args" are not a list', async () => {
    const wrong = (command: unknown): Promise<unknown> => connect(command as { command: string }); // as above
    await expect(wrong({ command: 'node', args: 'a.js' })).rejects.toThrow(
      '"args" must be a list of strings, not text',
    );
    await expect(wrong({ command: 'node a.js' })).rejects.toThrow('put the words after it into "args"');
    await expect(connect('node a.js')).rejects.toThrow('a command is { command, args }');
  });

  test('list() rejects an unknown kind', async () => {
    await using client = await connect(shop);
    expect(() => client.list('tool' as 'tools')).toThrow('The list "tool": unknown list; did you mean tools?');
    expect(() => (client.list as (name?: unknown) => unknown)()).toThrow('The list "undefined": unknown list');
    const watch = client.watch as (filter?: unknown) => unknown; // as above
    const call = 'client.watch({ tools, prompts, resources }): ';
    expect(() => watch()).toThrow(`${call}the options must be an object, not undefined`);
    expect(() => watch('tools')).toThrow(`${call}the options must be an object, not text`);
    expect(() => watch({ resource: ['a:b'] })).toThrow(`${call}there is no option "resource"; did you mean resources?`);
    expect(() => client.list('toString' as 'tools')).toThrow('The list "toString": unknown list; available: ');
  });

  test.each([
    ['callTool', 'call(name, args)'],
    ['listTools', "list('tools').all()"],
    ['readResource', 'read(uri)'],
  ])('client.%s() of the official SDK throws an error with the equivalent', async (name, equivalent) => {
    await using client = await connect(shop);
    const methods = client as unknown as Record<string, () => unknown>; // the compiler would report it
    expect(() => methods[name]?.()).toThrow(`client.${name}: use client.${equivalent}`);
    expect(Object.keys(client)).not.toContain(name);
  });

  test('requests reject names that are not strings, arguments that are not objects, and unknown options', async () => {
    await using client = await connect(shop);
    const using = client as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>; // as above
    const thrown = (method: string, ...args: readonly unknown[]): Promise<unknown> =>
      (async () => using[method]?.(...args))().then(String, (error: Error) => error.message);
    const soon = 70_000;
    for (const method of ['call', 'attempt']) {
      expect(await thrown(method)).toBe('client.call(name, args): "name" must be text, not undefined');
      expect(await thrown(method, { name: 'greet', arguments: {} })).toBe(
        'client.call(name, args): "name" must be text, not an object',
      );
      expect(await thrown(method, 'greet', 'Ada')).toBe('client.call(name, args): "args" must be an object, not text');
      expect(await thrown(method, 'greet', ['Ada'])).toContain('"args" must be an object, not a list');
      expect(await thrown(method, 'greet', {}, soon)).toBe(
        'The options of a request: the options must be an object, not 70000',
      );
      expect(await thrown(method, 'greet', {}, { timeout: soon })).toContain(
        'The options of a request: there is no option "timeout"; did you mean timeoutMs',
      );
    }
    expect(await thrown('read', { uri: 'shop://hours' })).toBe('client.read(uri): "uri" must be text, not an object');
    expect(await thrown('getPrompt')).toBe('client.getPrompt(name, args): "name" must be text, not undefined');
    expect(await thrown('read', 'shop://hours', { frehs: true })).toContain('did you mean fresh?');
    expect(await thrown('list', 'tools', { timeout: soon })).toContain('there is no option "timeout"');
    expect(await thrown('setLogLevel', 'verbose')).toContain('available: debug, info');
  });

  test('connect() rejects a promise of a server, and a tool', async () => {
    const wrong = (target: unknown): Promise<unknown> => connect(target as typeof shop); // as above
    await expect(wrong(Promise.resolve(shop))).rejects.toThrow('not a promise; await it first');
    await expect(wrong({ kind: 'tool' })).rejects.toThrow('not a tool');
  });

  test('connect() rejects an object with a URL', async () => {
    const target = { url: 'http://127.0.0.1:1/mcp' } as unknown as typeof shop; // wrong on purpose
    await expect(connect(target)).rejects.toThrow('pass the URL alone, as in connect(url, { headers, auth })');
  });

  test('connect() rejects a token as "auth"', async () => {
    const auth = 's3cret' as never; // wrong on purpose
    const connecting = connect('http://127.0.0.1:1/mcp', { auth });
    await expect(connecting).rejects.toThrow('such as oauth(), not text; a fixed token is headers: { authorization:');
  });

  test('connect() rejects any other target', async () => {
    for (const target of [undefined, null, 7, {}])
      await expect(connect(target as unknown as typeof shop)).rejects.toThrow('it must be a URL, { command, args }'); // wrong on purpose
  });
});

describe('types', () => {
  const typed = undefined as unknown as Client<typeof shop>; // only its type is used
  const untyped = undefined as unknown as Client; // likewise

  test('the compiler infers names, arguments and results from the type of the server', () => {
    type Added = Awaited<ReturnType<typeof typed.call<'add'>>>['data'];
    expectTypeOf<Added>().toEqualTypeOf<{ sum: number }>();
    type Tried = Awaited<ReturnType<typeof typed.attempt<'add'>>>['data'];
    expectTypeOf<Tried>().toEqualTypeOf<{ sum: number } | undefined>();
    expectTypeOf<Parameters<typeof typed.read>[0]>().toEqualTypeOf<`orders://${string}` | 'shop://hours'>();
    const wrong = (): unknown[] => [
      // @ts-expect-error there is no such tool
      typed.call('subtract', { a: 1 }),
      // @ts-expect-error a number is wanted
      typed.call('add', { a: '1' }),
      // @ts-expect-error arguments are missing
      typed.call('add'),
      // @ts-expect-error there is no such tool
      typed.attempt('subtract', { a: 1 }),
      // @ts-expect-error a number is wanted
      typed.attempt('add', { a: '1' }),
      // @ts-expect-error there is no such argument
      typed.call('greet', { nme: 'Ada' }),
      // @ts-expect-error there is no such prompt
      typed.getPrompt('sumarise', { id: 'A1' }),
      // @ts-expect-error the argument is missing
      typed.getPrompt('summarise'),
      // @ts-expect-error there is no such resource
      typed.read('order://7'),
      // @ts-expect-error there is no such member in the result
      typed.call('add', { a: 1 }).then(({ data }) => data.total),
    ];
    expect(wrong).toBeTypeOf('function');
    const right = (): unknown[] => [
      typed.call('add', { a: 1 }),
      typed.call('greet'),
      typed.call('greet', {}, { timeoutMs: 1 }),
      typed.attempt('greet', {}, { timeoutMs: 1 }),
      typed.read('orders://7'),
      typed.getPrompt('summarise', { id: 'A1' }),
    ];
    expect(right).toBeTypeOf('function');
  });

  test('without a type of the server, calls take any name and JSON', () => {
    type Result = Awaited<ReturnType<typeof untyped.call>>['data'];
    expectTypeOf<Result>().toBeUnknown();
    const right = (): unknown[] => [
      untyped.call('anything'),
      untyped.call('anything', { at: 'all' }),
      untyped.read('any:thing'),
      untyped.getPrompt('anything', { a: 'b' }),
    ];
    expect(right).toBeTypeOf('function');
  });

  test('the type of a server in this process is inferred, and that of another is a type argument', () => {
    expectTypeOf(connect(shop, { signal: AbortSignal.abort() }).catch(() => typed)).resolves.toEqualTypeOf<
      Client<typeof shop>
    >();
    const named = (): Promise<Client<typeof shop>> => connect<typeof shop>({ command: 'shop' });
    const unnamed = (): Promise<Client> => connect({ command: 'shop' });
    const url = (): Promise<Client<typeof shop>> => connect<typeof shop>('https://a.example', { headers: { a: 'b' } });
    const again = (): Promise<Client<typeof shop>> => connect<typeof shop>(shop);
    const any = (target: Target): Promise<Client> => connect(target);
    // @ts-expect-error headers are for URLs
    const headers = (): Promise<Client> => connect({ command: 'shop' }, { headers: { a: 'b' } });
    // @ts-expect-error there is no such member of a command
    const misspelt = (): Promise<Client> => connect({ command: 'shop', arg: ['a'] });
    expect([named, unnamed, url, again, any, headers, misspelt]).toHaveLength(7);
  });
});
