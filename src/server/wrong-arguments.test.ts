/** What a program without types is told about its mistakes when it defines a server. */
import { expect, test } from 'vitest';
import { connect } from '../connect/index.ts';
import { type Context, createServer, prompt, rateLimit, resource, tool } from '../index.ts';

/** Whatever it takes: the compiler would report what is wrong here. */
type Untyped = (...args: readonly unknown[]) => unknown;
const made =
  (make: unknown, ...args: readonly unknown[]) =>
  () =>
    (make as Untyped)(...args);

const run = (): string => 'hi';
const say = tool({ name: 'say', run });
const whole = '"name" and "version" must be text, and "parts" a list';
const from = 'not made by tool(), resource() or prompt()';

test.each([
  [undefined, `server "undefined": ${whole}`],
  [{ name: 'shop', version: '1' }, `server "shop": ${whole}`],
  [{ name: 'shop', version: '1', parts: say }, `server "shop": ${whole}`],
  [{ name: 'shop', version: 1, parts: [] }, `server "shop": ${whole}`],
  [{ name: 'shop', version: '1', parts: [], tols: [] }, 'server "shop": there is no "tols" here; there is'],
  [{ name: 'shop', version: '1', parts: [undefined] }, `The part undefined: ${from}`],
  [{ name: 'shop', version: '1', parts: [Promise.resolve(say)] }, `The part [object Promise]: ${from}`],
  [{ name: 'shop', version: '1', parts: [{ name: 'say', run }] }, `The part say: ${from}`],
])('createServer says what is missing: %#', (spec, why) => {
  expect(made(createServer, spec)).toThrow(why);
});

test.each([
  [tool, {}, 'tool "undefined": a tool name has 1 to 128 letters'],
  [tool, 'say', 'tool "undefined": a tool name has 1 to 128 letters'],
  [tool, { name: 'say' }, 'tool "say": "run" must be a function'],
  [tool, { name: 'say', run, inputSchema: {} }, 'tool "say": there is no "inputSchema" here; there is'],
  [tool, { name: 'say', handler: run }, 'tool "say": there is no "handler" here; there is title, '],
  [prompt, {}, 'prompt "undefined": a prompt needs a name'],
  [prompt, { name: 'greet' }, 'prompt "greet": "render" must be a function'],
  [prompt, { name: 'greet', arguments: {}, render: run }, 'there is no "arguments" here; there is'],
  [resource, {}, 'resource "undefined": not a URI (scheme:rest, RFC 3986)'],
  [resource, { uri: 'a:b' }, 'resource "a:b": "read" must be a function'],
  [resource, { uri: 'a:b', read: run, mime: 'x' }, 'there is no "mime" here; there is'],
])('a part says what is missing: %#', (define, spec, why) => {
  expect(made(define, spec)).toThrow(why);
});

test.each([[{}], [{ calls: 10, per: 'hour' }], [{ calls: 'ten', perMs: 1 }]])(
  'rateLimit needs numbers: %j',
  (limits) => {
    expect(made(rateLimit, limits)).toThrow('rateLimit: "calls" and "perMs" must be numbers');
  },
);

test.each([
  ['confirm', ['Sure?'], 'it needs a key and a message, such as ctx.confirm'],
  ['ask', ['trip', 'Where?'], 'question "trip" of tool "t": ctx.ask(key, message, schema) needs a schema, or { url }'],
  ['ask', ['Where?'], 'it needs a key and a message, such as ctx.confirm'],
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
