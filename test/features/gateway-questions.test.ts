/** Interim results of a server behind a gateway: what is forwarded to callers, and what is not. */
import { expect, test } from 'vitest';
import { RpcError } from '../../src/errors.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { FakeServer } from '../support/fake-server.ts';
import { open, type Raw, type RawOptions, STATELESS, textOf } from '../support/raw.ts';
import { verifies } from '../support/verifies.ts';

const form = (name: string, field: JsonObject = { type: 'string' }): JsonObject => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: { [name]: field } } },
});
const sample = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
const asks = (inputRequests: JsonObject, requestState?: string): JsonObject => ({
  resultType: 'input_required',
  ...(Object.keys(inputRequests).length === 0 ? {} : { inputRequests }),
  ...(requestState === undefined ? {} : { requestState }),
});
const done = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };

interface Scene {
  readonly raw: Raw;
  /** Params of the calls that the server received. */
  readonly sent: JsonObject[];
}
/** A server that answers calls with these results in order, and repeats the last one. */
async function scene(results: readonly JsonObject[], options: RawOptions = {}): Promise<Scene> {
  const sent: JsonObject[] = [];
  const tool = { name: 'ask', inputSchema: { type: 'object' } };
  const server = new FakeServer({
    revision: STATELESS,
    on: {
      'tools/list': () => ({ resultType: 'complete', tools: [tool], ttlMs: 60_000, cacheScope: 'public' }),
      'tools/call': (params) => {
        sent.push(params);
        return results[Math.min(sent.length, results.length) - 1] ?? done;
      },
    },
  });
  const gateway = createGateway({
    name: 'acme',
    version: '1',
    upstreams: { dock: { transport: server.transport } },
    onWarning: () => undefined,
  });
  const raw = await open(gateway, { revision: STATELESS, capabilities: { elicitation: { form: {} } }, ...options });
  return { raw, sent };
}
const call = { name: 'dock__ask', arguments: {} };

test.each<[string, JsonObject]>([
  ['a question that the caller did not declare', sample],
  [
    'a mode that the caller did not declare',
    { method: 'elicitation/create', params: { mode: 'url', message: 'x', url: 'https://a.example' } },
  ],
  ['a secret', form('password')],
  ['a secret by its title', form('x', { type: 'string', title: 'Credit card number' })],
  ['a malformed form', { method: 'elicitation/create', params: { message: 'x' } }],
  ['an unknown method', { method: 'tools/list', params: {} }],
])(
  'a server that asks for %s fails its call with −32603, in both eras, and the caller sees no question',
  async (_what, question) => {
    verifies('ELIC-5', 'SAMP-3');
    for (const revision of [STATELESS, '2025-11-25']) {
      const { raw, sent } = await scene([asks({ fine: form('name'), q: question })], {
        revision,
        answer: () => ({ action: 'accept', content: {} }),
      });
      const error = await raw.error('tools/call', call);
      expect(error).toMatchObject({
        code: -32603,
        message: expect.stringMatching(
          /^"dock" asked a question that this caller cannot answer|dock did not answer tools\/call \(MCP_CANNOT_ASK\)$/,
        ),
      });
      expect([sent.length, raw.asked.filter(({ method }) => method !== 'elicitation/create')]).toEqual([1, []]);
    }
  },
);

test('the state of the server comes back to it byte for byte, with the answers under its own keys, and none is made up', async () => {
  verifies('MRTR-023', 'MRTR-025', 'MRTR-022');
  const { raw, sent } = await scene([asks({ 'a key': form('name') }, 'théir st4te'), asks({ b: form('name') }), done]);
  const first = await raw.result('tools/call', call);
  expect(first).toMatchObject({ inputRequests: { 'a key': { params: { message: '[dock] Who?' } } } });
  expect(first['requestState']).not.toContain('st4te');
  const answer = { action: 'accept', content: { name: 'Ada' } };
  const inputResponses = { 'a key': answer, unknown: 1 };
  const second = await raw.result('tools/call', { ...call, inputResponses, requestState: first['requestState'] });
  await raw.result('tools/call', { ...call, inputResponses: { b: answer }, requestState: second['requestState'] });
  expect(sent.map(({ inputResponses: got, requestState }) => [got, requestState])).toEqual([
    [undefined, undefined],
    [inputResponses, 'théir st4te'],
    [{ b: answer }, undefined],
  ]);
});

test('a result without questions is relayed with a state alone', async () => {
  verifies('MRTR-004');
  const { raw } = await scene([asks({}, 's'), done]);
  const first = await raw.result('tools/call', call);
  expect([first['inputRequests'], typeof first['requestState']]).toEqual([undefined, 'string']);
  expect(textOf(await raw.result('tools/call', { ...call, requestState: first['requestState'] }))).toBe('done');
});

test('a server that asks in a twenty-first round fails its call', async () => {
  const { raw, sent } = await scene([asks({ a: form('name') })], {
    answer: () => ({ action: 'accept', content: { name: 'x' } }),
  });
  await expect(raw.complete('tools/call', call)).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('more than 20 times'),
  });
  expect(sent.length).toBe(21);
});

test.each<[string, JsonObject, unknown]>([
  ['declines a form', { action: 'decline' }, { action: 'decline' }],
  ['answers a form with an error', new RpcError(-1, 'no') as never, { action: 'cancel' }],
  ['answers nonsense', { action: 'maybe' }, { action: 'cancel' }],
])('a caller with a handshake that %s answers the server with an action', async (_what, answer, got) => {
  const { raw, sent } = await scene([asks({ a: form('name') }), done], {
    revision: '2025-11-25',
    answer: () => answer,
  });
  expect(textOf(await raw.result('tools/call', call))).toBe('done');
  expect(sent[1]?.['inputResponses']).toEqual({ a: got });
});

test('a caller with a handshake that rejects sampling ends the call with a text, since there is no answer for it', async () => {
  const options = { revision: '2025-11-25', capabilities: { sampling: {} }, answer: () => new RpcError(-1, 'no') };
  const { raw, sent } = await scene([asks({ a: sample }), done], options);
  const result = await raw.result('tools/call', call);
  expect([result['isError'], textOf(result), sent.length]).toEqual([
    true,
    expect.stringContaining('sampling/createMessage was not answered'),
    1,
  ]);
});

test('a caller with plain forms is asked once more for an answer that does not fit, and then the form is cancelled', async () => {
  const colors = { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } };
  const given = ['green', 'red, blue', 'green', 'green'];
  const answer = (): JsonObject => ({ action: 'accept', content: { colors: given.shift() } });
  const options = { revision: '2025-06-18', capabilities: { elicitation: {} }, answer };
  const { raw, sent } = await scene(
    [asks({ a: form('colors', colors) }), asks({ b: form('colors', colors) }), done],
    options,
  );
  await raw.result('tools/call', call);
  expect(raw.asked.map(({ params }) => params?.['requestedSchema'])).toEqual(
    Array(4).fill({
      type: 'object',
      properties: { colors: { type: 'string', description: expect.stringContaining('red, blue') } },
    }),
  );
  expect(sent.map(({ inputResponses }) => inputResponses)).toEqual([
    undefined,
    { a: { action: 'accept', content: { colors: ['red', 'blue'] } } },
    { b: { action: 'cancel' } },
  ]);
});
