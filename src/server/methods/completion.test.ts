/** `completion/complete`: suggestions for arguments of prompts and variables of templates. */
import { expect, test } from 'vitest';
import { everyRevision, open, type Raw, STATELESS } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Completer, Part } from '../part.ts';
import { prompt } from '../prompt.ts';
import { resource } from '../resource.ts';
import { createServer } from '../server.ts';
import { withEnv } from '../with-env.ts';

const serving = (parts: readonly Part[], revision = STATELESS): Promise<Raw> =>
  open(createServer({ name: 'dock', version: '1', parts, onError: () => undefined }), { revision });
const args = { type: 'object', properties: { city: { type: 'string' }, street: { type: 'string' } } };
const trip = (city: Completer): Part => prompt({ name: 'trip', args, complete: { city }, render: () => 'x' });
const page = resource({
  uri: 'orders://{id}/{part}',
  complete: { id: (value) => [`${value}1`, `${value}2`] },
  read: () => 'x',
});
const ask = (name: string, value = '', more: JsonObject = {}): JsonObject => ({
  ref: { type: 'ref/prompt', name: 'trip' },
  argument: { name, value },
  ...more,
});

test.each(everyRevision)(
  'an argument of a prompt and a variable of a template are completed in %s',
  async (revision) => {
    verifies('COMP-3');
    const raw = await serving([trip((value) => [`${value}lin`, `${value}n`]), page], revision);
    expect((await raw.result('completion/complete', ask('city', 'Ber')))['completion']).toEqual({
      values: ['Berlin', 'Bern'],
      total: 2,
      hasMore: false,
    });
    for (const uri of ['orders://{id}/{part}', 'orders://a/b']) {
      const params = { ref: { type: 'ref/resource', uri }, argument: { name: 'id', value: 'A' } };
      expect((await raw.result('completion/complete', params))['completion']).toMatchObject({ values: ['A1', 'A2'] });
    }
  },
);

test('a completer gets the arguments that are filled in already', async () => {
  const seen: unknown[] = [];
  const raw = await serving([
    trip((value, others) => {
      seen.push([value, others]);
      return Promise.resolve([]);
    }),
  ]);
  await raw.result('completion/complete', ask('city', 'B', { context: { arguments: { street: 'Main' } } }));
  await raw.result('completion/complete', ask('city'));
  await raw.result('completion/complete', ask('city', '', { context: {} }));
  expect(seen).toEqual([
    ['B', { street: 'Main' }],
    ['', {}],
    ['', {}],
  ]);
});

test('a completer gets the caller and the environment, but no way to ask', async () => {
  const seen: unknown[] = [];
  const { prompt: promptOf } = withEnv<{ readonly folder: string }>();
  const part = promptOf({
    name: 'trip',
    args,
    complete: {
      city: (_value, _others, context) => {
        seen.push([context.auth?.subject, context.principal, context.env.folder]);
        seen.push([context.signal.aborted, 'capabilities' in context.caller, 'ask' in context]);
        return [];
      },
    },
    render: () => 'x',
  });
  const server = createServer({ name: 'dock', version: '1', parts: [part], env: { folder: '/a' } });
  const raw = await open(server, { auth: { subject: 'ada', scopes: [] } });
  await raw.result('completion/complete', ask('city'));
  expect(seen).toEqual([
    ['ada', expect.stringContaining('ada'), '/a'],
    [false, true, false],
  ]);
});

test('an argument without a completer has no suggestions', async () => {
  const raw = await serving([trip(() => ['x']), page]);
  expect((await raw.result('completion/complete', ask('street')))['completion']).toEqual({
    values: [],
    total: 0,
    hasMore: false,
  });
});

test.each<[string, JsonObject, string]>([
  ['an unknown prompt', ask('city', '', { ref: { type: 'ref/prompt', name: 'nope' } }), 'Unknown prompt: nope'],
  ['an unknown resource', ask('city', '', { ref: { type: 'ref/resource', uri: 'z:z' } }), 'Unknown resource: z:z'],
  ['an unknown argument', ask('country'), 'Unknown argument: country'],
  ['an argument of Object', ask('constructor'), 'Unknown argument: constructor'],
  [
    'no reference',
    { argument: { name: 'a', value: '' } },
    'Invalid params for completion/complete: "params.ref" must be an object',
  ],
  [
    'another reference',
    ask('city', '', { ref: { type: 'ref/tool', name: 't' } }),
    'Invalid params for completion/complete: "params.ref.type" must be one of ref/prompt, ref/resource',
  ],
  [
    'a reference to a prompt without its name',
    ask('city', '', { ref: { type: 'ref/prompt' } }),
    'Invalid params for completion/complete: "params.ref.name" must be a string',
  ],
  [
    'a reference to a resource without its URI',
    ask('city', '', { ref: { type: 'ref/resource', name: 'trip' } }),
    'Invalid params for completion/complete: "params.ref.uri" must be a string',
  ],
  [
    'no argument',
    { ref: { type: 'ref/prompt', name: 'trip' } },
    'Invalid params for completion/complete: "params.argument" must be an object',
  ],
  [
    'a value that is no string',
    ask('city', 7 as never),
    'Invalid params for completion/complete: "params.argument.value" must be a string',
  ],
  [
    'context that is none',
    ask('city', '', { context: { arguments: { a: 1 } } }),
    'Invalid params for completion/complete: "params.context.arguments" must be an object of strings',
  ],
])('%s is refused', async (_what, params, message) => {
  verifies('COMP-5', 'COMP-9', 'COMP-13', 'COMP-3');
  const raw = await serving([trip(() => ['x']), page]);
  const error = await raw.error('completion/complete', params);
  expect([error.code, error.message]).toEqual([-32602, message]);
});

test.each(everyRevision)('a server that completes nothing says so in %s', async (revision) => {
  verifies('COMP-5', 'BASE-032', 'SEEDF-1');
  const raw = await serving([prompt({ name: 'trip', args, render: () => 'x' })], revision);
  expect((await raw.error('completion/complete', ask('city'))).code).toBe(-32601);
});

test('a completer that fails is an internal error', async () => {
  verifies('COMP-5');
  const raw = await serving([trip(() => Promise.reject(new Error('hunter2')))]);
  expect(await raw.error('completion/complete', ask('city'))).toEqual({
    code: -32603,
    message: expect.stringMatching(/^Internal error \([\da-f]{8}\)$/),
  });
});

test('a completer for an unknown argument or variable is rejected', () => {
  const complete = { nope: () => [] } as object;
  expect(() => resource({ uri: 'a:{b}/{c}', complete, read: () => 'x' })).toThrow(
    'resource "a:{b}/{c}": unknown member "nope"; available: b, c',
  );
  expect(() => resource({ uri: 'a:b', complete, read: () => 'x' })).toThrow('unknown member "nope"; available: none');
  expect(() => prompt({ name: 'p', args, complete, render: () => 'x' })).toThrow(
    'unknown member "nope"; available: city, street',
  );
});
