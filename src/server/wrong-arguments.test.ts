/** Error texts for callers without TypeScript that define a server with mistakes. */
import { expect, test, vi } from 'vitest';
import { connect } from '../connect/index.ts';
import {
  type Context,
  createServer,
  type Layer,
  type Part,
  prompt,
  RpcError,
  rateLimit,
  resource,
  ToolError,
  tool,
  use,
} from '../index.ts';

/** Accepts anything, because the compiler would report the mistakes here. */
type Untyped = (...args: readonly unknown[]) => unknown;
const made =
  (make: unknown, ...args: readonly unknown[]) =>
  () =>
    (make as Untyped)(...args);

const run = (): string => 'hi';
const say = tool({ name: 'say', run });
const asking = tool({ name: 'asking', run: async (_input, ctx) => String(await ctx.confirm('sure', 'Sure?')) });
const one = 'createServer({ name, version, parts }): expected one object';
const from = 'not made by tool(), resource() or prompt()';

test.each([
  [undefined, one],
  ['shop', one],
  [[say], one],
  [{ version: '1', parts: [] }, 'server "undefined": "name" must be text, not undefined'],
  [{ name: 'shop', parts: [] }, 'server "shop": "version" must be text, not undefined'],
  [{ name: 'shop', version: 1, parts: [] }, 'server "shop": "version" must be text, not number'],
  [{ name: 'shop', version: '1' }, 'server "shop": "parts" is missing'],
  [{ name: 'shop', version: '1', parts: say }, 'server "shop": "parts" must be a list'],
  [{ name: 'shop', version: '1', tools: [] }, 'server "shop": unknown member "tools"; use "parts"'],
  [{ name: 'shop', version: '1', parts: [], prompts: [] }, 'server "shop": unknown member "prompts"; use "parts"'],
  [{ name: 'shop', version: '1', part: [] }, 'server "shop": unknown member "part"; available: name, version, parts,'],
  [{ name: 'shop', version: '1', parts: [], instructions: ['a'] }, '"instructions" must be text, not object'],
  [{ name: 'shop', version: '1', parts: [], title: 4 }, 'server "shop": "title" must be text, not number'],
  [{ name: 'shop', version: '1', parts: [], icons: 'i.png' }, 'server "shop": "icons" must be a list'],
  [{ name: 'shop', version: '1', parts: [], stateKeys: 'secret' }, '"stateKeys" must be keys of 32 bytes each'],
  [
    { name: 'shop', version: '1', parts: [], tasks: { stores: {} } },
    'unknown member "stores"; available: store, code,',
  ],
  [{ name: 'shop', version: '1', parts: [], tasks: { store: 'redis://a' } }, '"store" must be a task store'],
  [{ name: 'shop', version: '1', parts: [], tasks: { store: {} } }, '"store" must be a task store'],
  [{ name: 'shop', version: '1', parts: [undefined] }, `The part [object Undefined]: ${from}`],
  [{ name: 'shop', version: '1', parts: [[say]] }, `The part [object Array]: ${from}`],
  [{ name: 'shop', version: '1', parts: [() => 'hi'] }, `The part [object Function]: ${from}`],
  [{ name: 'shop', version: '1', parts: [run] }, `The part run: ${from}`],
  [{ name: 'shop', version: '1', parts: [Promise.resolve(say)] }, `The part [object Promise]: ${from}`],
  [{ name: 'shop', version: '1', parts: [{ name: 'say', run }] }, `The part say: ${from}`],
])('createServer says what is missing: %#', (spec, why) => {
  expect(made(createServer, spec)).toThrow(why);
});

test.each([
  [tool, {}, 'tool "undefined": a tool name has 1 to 128 letters'],
  [tool, undefined, 'tool({ name, run }): expected one object'],
  [tool, 'say', 'tool({ name, run }): expected one object'],
  [tool, { name: 5, run }, 'tool "5": a tool name has 1 to 128 letters'],
  [tool, { name: 'say', run, scopes: 'orders:write' }, 'tool "say": "scopes" must be a list'],
  [tool, { name: 'say' }, 'tool "say": "run" must be a function'],
  [tool, { name: 'say', run, task: { require: true } }, 'tool "say": unknown member "require"; available: required,'],
  [tool, { name: 'say', run, task: 'always' }, 'tool "say": unknown member "0"; available: required,'],
  [tool, { name: 'say', run, description: 4 }, 'tool "say": "description" must be text, not number'],
  [tool, { name: 'say', run, title: null }, 'tool "say": "title" must be text, not object'],
  [tool, { name: 'say', run, icons: { src: 'https://dock.example/i.png' } }, 'tool "say": "icons" must be a list'],
  [tool, { name: 'say', run, icons: ['i.png'] }, 'tool "say": an icon\'s src begins with https://'],
  [tool, { name: 'say', run, output: { type: 'object' }, text: 'hi' }, 'tool "say": "text" must be a function'],
  [tool, { name: 'say', run, input: null }, 'it must be a Standard Schema or a JSON Schema object'],
  [tool, { name: 'say', run, output: null }, 'it must be a Standard Schema or a JSON Schema object'],
  [tool, { name: 'say', run, inputSchema: {} }, 'tool "say": unknown member "inputSchema"; use "input"'],
  [tool, { name: 'say', run, parameters: {} }, 'tool "say": unknown member "parameters"; use "input"'],
  [tool, { name: 'say', run, annotations: {} }, 'tool "say": unknown member "annotations"; use "effects"'],
  [tool, { name: 'say', handler: run }, 'tool "say": unknown member "handler"; use "run"'],
  [tool, { name: 'say', run, schema: {} }, 'unknown member "schema"; available: name, input, output, run, effects, '],
  [prompt, undefined, 'prompt({ name, render }): expected one object'],
  [prompt, {}, 'prompt "undefined": a prompt needs a name'],
  [prompt, { name: 'greet' }, 'prompt "greet": "render" must be a function'],
  [prompt, { name: 'greet', render: run, description: {} }, 'prompt "greet": "description" must be text, not object'],
  [prompt, { name: 'greet', render: run, complete: ['a'] }, 'prompt "greet": unknown member "0"; available: none'],
  [prompt, { name: 'greet', arguments: {}, render: run }, 'prompt "greet": unknown member "arguments"; use "args"'],
  [prompt, { name: 'greet', run }, 'prompt "greet": unknown member "run"; use "render"'],
  [prompt, { name: 'greet', text: 'x' }, 'unknown member "text"; available: name, args, complete, render,'],
  [resource, undefined, 'resource({ uri, read }): expected one object'],
  [resource, { uri: new URL('a:b'), read: run }, 'resource "a:b": not a URI (scheme:rest, RFC 3986)'],
  [resource, { read: run }, 'resource "undefined": not a URI (scheme:rest, RFC 3986)'],
  [resource, { uriTemplate: 'a:{b}', read: run }, 'unknown member "uriTemplate"; use "uri"'],
  [resource, { uri: 'a:b', load: run }, 'resource "a:b": unknown member "load"; use "read"'],
  [resource, { uri: 'a:b' }, 'resource "a:b": "read" must be a function'],
  [resource, { uri: 'a:b', read: run, mimeType: 4 }, 'resource "a:b": "mimeType" must be text, not number'],
  [resource, { uri: 'a:b', read: run, name: 4 }, 'resource "a:b": "name" must be text, not number'],
  [resource, { uri: 'a:{b}', read: run, complete: { b: ['c'] } }, 'resource "a:{b}": "b" must be a function'],
  [
    resource,
    { uri: 'a:b', read: run, mime: 'x' },
    'resource "a:b": unknown member "mime"; available: uri, name, mimeType,',
  ],
])('a part says what is missing: %#', (define, spec, why) => {
  expect(made(define, spec)).toThrow(why);
});

test.each([
  ['registerTool', 'server.add(part), made by tool(), resource() or prompt()'],
  ['tool', 'server.add(part), made by tool(), resource() or prompt()'],
  ['registerResource', 'server.add(part), made by tool(), resource() or prompt()'],
  ['prompt', 'server.add(part), made by tool(), resource() or prompt()'],
  ['connect', 'serveStdio(server) or serveHttp(server)'],
])('a server names the equivalent of %s, which is a method of the official SDK', (name, equivalent) => {
  const server = createServer({ name: 'shop', version: '1', parts: [] });
  expect(made(Reflect.get(server, name))).toThrow(`server.${name}(): use ${equivalent}`);
  expect(Object.keys(server)).not.toContain(name);
});

test.each<[string, Untyped, string]>([
  ['throws', () => () => Promise.reject(new Error('a mistake')), 'Error: a mistake'],
  ['is no function of a function', () => undefined, 'TypeError: layered is not a function'],
])('the exception of a layer that %s is written to standard error', async (_what, layer, thrown) => {
  using written = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const server = createServer({ name: 'a', version: '1', parts: [say] });
  const guarded = use(server, layer as unknown as Layer); // the compiler would report it
  await expect(connect(guarded)).rejects.toThrow('Internal error');
  expect(written.mock.calls[0]?.map(String)).toEqual(['mooring: a layer failed', thrown]);
});

test('a layer that rejects a message, or stops because its caller cancelled, has not failed', async () => {
  using written = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const server = createServer({ name: 'a', version: '1', parts: [say] });
  const abort = new AbortController();
  const guard: Layer = (next) => async (message, link) => {
    if (!('method' in message) || message.method !== 'tools/call') return next(message, link);
    if (message.params?.['arguments']) throw new RpcError(-32000, 'Busy');
    abort.abort();
    await new Promise((resolve) => link.onAbort?.(resolve));
    throw new Error('cancelled');
  };
  await using client = await connect(use(server, guard));
  await expect(client.request('tools/call', { name: 'say', arguments: {} })).rejects.toThrow('Busy');
  await expect(client.request('tools/call', { name: 'say' }, { signal: abort.signal })).rejects.toThrow();
  expect(written).not.toHaveBeenCalled();
});

test('a layer that is not asynchronous, and returns nothing, answers nothing', async () => {
  const server = createServer({ name: 'a', version: '1', parts: [say] });
  const forgetful = use(server, (() => () => undefined) as unknown as Layer); // as above
  await expect(connect(forgetful)).rejects.toThrow('the other side sent no response');
});

test.each([[undefined], [true], [{ confirm: true }]])(
  'an elicit that returns %j is told what to return',
  async (answer) => {
    const server = createServer({ name: 'a', version: '1', parts: [asking] });
    await using client = await connect(server, { elicit: (() => answer) as never }); // as above
    const why = `"action" must be accept, decline or cancel, not undefined; return { action: 'accept', content }`;
    await expect(client.call('asking')).rejects.toThrow(why);
  },
);

test('use needs a server', () => {
  expect(made(use, {})).toThrow('use(server, …layers): expected a server and functions');
});

test.each([[undefined], [{}], [{ calls: 10, per: 'hour' }], [{ calls: 'ten', perMs: 1 }]])(
  'rateLimit needs numbers: %j',
  (limits) => {
    expect(made(rateLimit, limits)).toThrow('rateLimit: "calls" and "perMs" must be numbers');
  },
);

test.each([
  ['confirm', ['Sure?'], 'its first arguments must be a key and a message, both text'],
  ['ask', ['trip', 'Where?'], 'question "trip" of tool "t": ctx.ask(key, message, schema) needs a schema, or { url }'],
  ['ask', ['Where?'], 'its first arguments must be a key and a message, both text'],
] as const)('a question of a handler says what is missing: %#', async (method, args, why) => {
  const reported: unknown[] = [];
  const ask = (_input: unknown, ctx: Context): Promise<string> =>
    Promise.resolve((ctx[method] as Untyped).call(ctx, ...args)).then(String); // the compiler would report it
  const parts = [tool({ name: 't', run: ask })];
  const server = createServer({ name: 'a', version: '1', parts, onError: (error) => void reported.push(error) });
  await using client = await connect(server, { elicit: () => ({ action: 'accept', content: {} }) });
  await expect(client.call('t')).rejects.toThrow('Internal error');
  expect(String(reported[0])).toContain(why);
});

test.each([
  [new Map([['a', 1]]), '[object Map]'],
  [new Set([1]), '[object Set]'],
  [Number.NaN, 'NaN'],
  [{ mean: Number.NaN }, 'NaN at /mean'],
  [{ rows: [{ ratio: Number.NEGATIVE_INFINITY }] }, '-Infinity at /rows/0/ratio'],
  [{ byName: new Map([['a', 1]]) }, '[object Map] at /byName'],
  [{ empty: {}, rows: [[], { total: Promise.resolve(1) }] }, '[object Promise] at /rows/1/total'],
  [run, '[object Function]'],
  [Symbol('a'), '[object Symbol]'],
  [(function* () {})(), '[object Generator]'],
  [new Response('a'), '[object Response]'],
  [new Uint8Array(2), '[object Uint8Array]'],
  [Buffer.from('a'), '[object Uint8Array]'],
])('a tool that returns what JSON cannot express fails: %s', async (value, shown) => {
  const why = `tool "t": it returned ${shown}, which JSON cannot express. Return text, an object or a list`;
  expect(await reportedBy(tool({ name: 't', run: () => value as never }))).toEqual([why]);
});

test('empty objects and lists, and objects that define their own JSON, are data at any depth', async () => {
  const value = { none: {}, rows: [[], {}, Object.create(null)], at: new Date(0), own: { toJSON: () => ({}) } };
  await using client = await connect(
    createServer({ name: 'a', version: '1', parts: [tool({ name: 't', run: () => value })] }),
  );
  expect((await client.call('t')).text).toBe('{"none":{},"rows":[[],{},{}],"at":"1970-01-01T00:00:00.000Z","own":{}}');
});

test('a tool that returns a BigInt, or an object within itself, fails with its name and the reason of JSON.stringify', async () => {
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  const begins = 'tool "t": its return value cannot be written as JSON:';
  const returning = (value: unknown): Promise<readonly string[]> =>
    reportedBy(tool({ name: 't', run: () => value as never }));
  expect(await returning(5n)).toEqual([`${begins} Do not know how to serialize a BigInt`]);
  expect(await returning({ total: 5n })).toEqual([`${begins} Do not know how to serialize a BigInt`]);
  expect(await returning(loop)).toEqual([expect.stringContaining(`${begins} Converting circular structure to JSON`)]);
});

test('a resource that returns what JSON cannot express fails', async () => {
  const read = (): never => new Map([['a', 1]]) as never;
  const why = 'resource "a:b": it returned [object Map], which JSON cannot express. Return text, an object or a list';
  expect(await reportedBy(resource({ uri: 'a:b', read }))).toEqual([why]);
});

test.each([
  [{}],
  [Object.create(null)],
  [
    new (class Point {
      x: undefined;
    })(),
  ],
])('a tool can return an object without anything in it: %#', async (value) => {
  expect(await reportedBy(tool({ name: 't', run: () => value }))).toEqual([]);
});

test('a ToolError without a message is a result with an empty text', async () => {
  const fail = (): never => {
    throw new (ToolError as unknown as new () => ToolError)(); // the compiler would report it
  };
  const parts = [tool({ name: 't', run: fail })];
  await using client = await connect(createServer({ name: 'a', version: '1', parts }));
  expect((await client.attempt('t')).content).toEqual([{ type: 'text', text: '' }]);
});

test('ctx.progress needs a number, also where the caller did not ask for progress', async () => {
  const half = tool({ name: 't', run: (_input, ctx) => (ctx.progress as Untyped).call(ctx, 'half') as never });
  const why = 'tool "t": ctx.progress(done, total, message) needs a number, not string';
  expect(await reportedBy(half)).toEqual([why]);
});

test('a completer that returns a text fails', async () => {
  const part = resource({ uri: 'a:{b}', complete: { b: () => 'abc' as never }, read: run });
  expect(await reportedBy(part)).toEqual(['completion of "b": it must return a list of texts']);
});

test('use needs layers', () => {
  const server = createServer({ name: 'a', version: '1', parts: [] });
  const why = 'use(server, …layers): expected a server and functions, such as telemetry().server';
  expect(made(use, undefined)).toThrow(why);
  expect(made(use, server, undefined)).toThrow(why);
  expect(made(use, server, { server: run })).toThrow(why);
});

/** The errors reported to the author when the part is used. */
async function reportedBy(part: Part): Promise<readonly string[]> {
  const reported: string[] = [];
  const onError = (error: unknown): void => void reported.push((error as Error).message);
  await using client = await connect(createServer({ name: 'a', version: '1', parts: [part], onError }));
  if (part.kind === 'tool') await client.attempt('t');
  else if ('uri' in part && part.uri === 'a:b') await client.read('a:b').catch(() => undefined);
  else await client.complete({ type: 'ref/resource', uri: 'a:{b}' }, { name: 'b', value: '' }).catch(() => undefined);
  return reported;
}
