import { describe, expect, test } from 'vitest';
import type { Handler } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { opened } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { ToolError } from '../errors.ts';
import { isRequest, type JsonObject } from '../jsonrpc/message.ts';
import type { ConnectOptions } from './options.ts';

const form = (name: string): JsonObject => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: `What is ${name}?`,
    requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } } },
  },
});
const sampling: JsonObject = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
const elicit: ConnectOptions['elicit'] = ({ message }) => ({
  action: 'accept',
  content: { [message.slice(8, -1)]: 'x' },
});

/** Asks in the first round, and accepts any answer in the second. */
const asking =
  (
    inputRequests: JsonObject | undefined,
    requestState: string | undefined,
    result: JsonObject = { content: [] },
  ): Handler =>
  (params) =>
    params['inputResponses'] !== undefined || params['requestState'] !== undefined
      ? result
      : { resultType: 'input_required', inputRequests, requestState };

describe('a result that asks for input', () => {
  test('a request that asks for input is repeated unchanged, with answers under the same keys', async () => {
    verifies('MRTR-020', 'MRTR-022', 'MRTR-023', 'MRTR-024', 'MRTR-026', 'MRTR-028', 'TOOL-71');
    const state = ' opaque "ü\u0000" ';
    const on = { 'tools/call': asking({ a: form('a'), 'b/2': form('b'), __proto__x: form('c') }, state) };
    await using it = await opened({ on }, { elicit });
    await it.client.call('t', { n: 1 }, { meta: { 'com.example/x': 1 } });
    const [first, second] = it.server.heard.filter(isRequest).slice(1);
    expect(second?.id).not.toBe(first?.id);
    expect(second?.params).toMatchObject({ name: 't', arguments: { n: 1 } });
    expect(second?.params?.['requestState']).toBe(state);
    expect(second?.params?.['inputResponses']).toEqual({
      a: { action: 'accept', content: { a: 'x' } },
      'b/2': { action: 'accept', content: { b: 'x' } },
      __proto__x: { action: 'accept', content: { c: 'x' } },
    });
    const metaOf = (params: JsonObject | undefined): JsonObject => ({
      ...(params?.['_meta'] as JsonObject),
      progressToken: 0,
    }); // a request has one
    expect(metaOf(second?.params)).toEqual(metaOf(first?.params));
  });

  test.each(['resources/read', 'prompts/get'])('input requests are answered for %s', async (method) => {
    const on = { [method]: asking({ a: form('a') }, 's', { contents: [], messages: [] }) };
    await using it = await opened({ on }, { elicit });
    await (method === 'prompts/get' ? it.client.getPrompt('p') : it.client.read('x:y'));
    expect(it.server.params(method)[1]).toMatchObject({
      requestState: 's',
      inputResponses: { a: { action: 'accept' } },
    });
  });

  test('a result with only a state is repeated at once, without answers', async () => {
    verifies('MRTR-021');
    await using it = await opened({ on: { 'tools/call': asking(undefined, 'only') } });
    await it.client.call('t');
    expect(it.server.params('tools/call')[1]).toMatchObject({ requestState: 'only' });
    expect(it.server.params('tools/call')[1]).not.toHaveProperty('inputResponses');
  });

  test('an input request without a method is skipped', async () => {
    const asked = { a: form('a'), none: null, text: 'x', list: [form('b')], empty: {}, odd: { method: 7, params: {} } };
    await using it = await opened({ on: { 'tools/call': asking(asked, 's') } }, { elicit });
    await it.client.call('t');
    expect(it.server.params('tools/call')[1]?.['inputResponses']).toEqual({
      a: { action: 'accept', content: { a: 'x' } },
    });
  });

  test('a question that is repeated under the same key is asked again', async () => {
    const put: string[] = [];
    const ask = (cost: number): JsonObject => ({
      resultType: 'input_required',
      inputRequests: { price: form(`${cost}`) },
      requestState: `s${cost}`,
    });
    const results = [ask(5), ask(500)];
    const on = { 'tools/call': (): JsonObject => results.shift() ?? { content: [] } };
    await using it = await opened(
      { on },
      {
        elicit: ({ message }) => {
          put.push(message);
          return put.length === 1 ? { action: 'accept', content: { '5': 'yes' } } : { action: 'decline' };
        },
      },
    );
    await it.client.call('t');
    expect(put).toEqual(['What is 5?', 'What is 500?']);
    expect(it.server.params('tools/call')[2]?.['inputResponses']).toEqual({ price: { action: 'decline' } });
  });

  test('state and answers are sent only in the retry of their own request', async () => {
    verifies('MRTR-027');
    const seen: [string, unknown, unknown][] = [];
    const ask: Handler = (params, line, request) => {
      const { name, inputResponses, requestState } = params as Record<string, JsonObject>;
      seen.push([String(name), inputResponses && Object.keys(inputResponses).join(), requestState]);
      return asking({ [`key-${String(name)}`]: form('a') }, `state-${String(name)}`)(params, line, request);
    };
    const on: Record<string, Handler> = { 'tools/call': ask, 'tools/list': () => ({ tools: [] }) };
    await using it = await opened({ on }, { elicit });
    await Promise.all([it.client.call('a'), it.client.call('b'), it.client.list('tools').all()]);
    await it.client.call('a');
    await it.client.list('tools').all();
    const round = (name: string): unknown[] => [
      [name, undefined, undefined],
      [name, `key-${name}`, `state-${name}`],
    ];
    expect(seen.filter(([name]) => name === 'a')).toEqual([...round('a'), ...round('a')]);
    expect(seen.filter(([name]) => name === 'b')).toEqual(round('b'));
    const others = it.server.heard.filter((message) => !('method' in message && message.method === 'tools/call'));
    expect(others.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(others)).not.toMatch(/state-|key-|inputResponses|requestState/);
  });

  test('a result without a state is repeated without one', async () => {
    verifies('MRTR-025');
    await using it = await opened({ on: { 'tools/call': asking({ a: form('a') }, undefined) } }, { elicit });
    await it.client.call('t');
    expect(it.server.params('tools/call')[1]).not.toHaveProperty('requestState');
  });

  test('the questions of one round are asked concurrently', async () => {
    let open = 0;
    let most = 0;
    const slow: ConnectOptions['elicit'] = async () => {
      most = Math.max(most, ++open);
      await settled();
      open--;
      return { action: 'decline' };
    };
    await using it = await opened(
      { on: { 'tools/call': asking({ a: form('a'), b: form('b') }, 's') } },
      { elicit: slow },
    );
    await it.client.call('t');
    expect(most).toBe(2);
    expect(it.server.params('tools/call')[1]?.['inputResponses']).toEqual({
      a: { action: 'decline' },
      b: { action: 'decline' },
    });
  });

  test('a call fails with MCP_TOO_MANY_ROUNDS after limits.maxRounds', async () => {
    verifies('MRTR-030');
    const never: Handler = () => ({ resultType: 'input_required', requestState: 's' });
    await using it = await opened({ on: { 'tools/call': never } }, { limits: { maxRounds: 3 } });
    await expect(it.client.call('t')).rejects.toMatchObject({ code: 'MCP_TOO_MANY_ROUNDS', details: { rounds: 3 } });
    expect(it.server.params('tools/call')).toHaveLength(4);
  });

  test.each<[string, JsonObject]>([
    ['nothing at all', {}],
    ['no question', { inputRequests: {} }],
    ['what is no question', { inputRequests: { a: 'roots/list' } }],
    ['a state that is no text', { requestState: 7 }],
  ])('an input_required result with %s is malformed, and the request is not repeated', async (_what, members) => {
    const on = { 'tools/call': (): JsonObject => ({ resultType: 'input_required', ...members }) };
    await using it = await opened({ on }, { elicit });
    await expect(it.client.call('t')).rejects.toMatchObject({ code: 'MCP_BAD_RESULT' });
    expect(it.server.params('tools/call')).toHaveLength(1);
  });

  test('a result with more questions than a server can have open at once is rejected, and none is asked', async () => {
    const questions = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`q${at}`, form('a')]));
    let asked = 0;
    const count: ConnectOptions['elicit'] = () => {
      asked++;
      return { action: 'decline' };
    };
    await using it = await opened({ on: { 'tools/call': asking(questions(1_025), 's') } }, { elicit: count });
    await expect(it.client.call('t')).rejects.toMatchObject({
      code: 'MCP_BAD_RESULT',
      message: expect.stringContaining('it asks 1025 questions at once'),
    });
    expect(asked).toBe(0);
    await using other = await opened({ on: { 'tools/call': asking(questions(1_024), 's') } }, { elicit: count });
    await other.client.call('t');
    expect(asked).toBe(1_024);
  });

  test('an input_required result is malformed for methods that cannot ask', async () => {
    const on = { 'tools/list': asking({ a: form('a') }, 's', { tools: [] }) };
    await using it = await opened({ on }, { elicit });
    await expect(it.client.list('tools').all()).rejects.toMatchObject({ code: 'MCP_BAD_RESULT' });
    expect(it.server.params('tools/list')).toHaveLength(1);
  });

  test('request() returns an input_required result unchanged', async () => {
    await using it = await opened({ on: { 'tools/call': asking({ a: form('a') }, 's') } }, { elicit });
    expect(await it.client.request('tools/call', { name: 't' })).toMatchObject({ resultType: 'input_required' });
  });

  test('results of calls that asked for input are not cached', async () => {
    verifies('MRTR-029', 'CACHE-5');
    const result = { contents: [], ttlMs: 1000, cacheScope: 'public' };
    await using it = await opened({ on: { 'resources/read': asking({ a: form('a') }, 's', result) } }, { elicit });
    await it.client.read('x:y');
    await it.client.read('x:y');
    expect(it.server.params('resources/read')).toHaveLength(4);
  });
});

describe('a question without an answer', () => {
  const failing = async (question: JsonObject, options: ConnectOptions): Promise<unknown> => {
    await using it = await opened({ on: { 'tools/call': asking({ q: question }, 's') } }, options);
    const error = await it.client.call('t').catch((reason: unknown) => reason);
    expect(it.server.params('tools/call')).toHaveLength(1);
    return error;
  };

  test('an unanswered question fails the call, which is not repeated', async () => {
    verifies('SAMP-35', 'ROOT-9');
    expect(await failing(sampling, {})).toMatchObject({ code: 'MCP_CANNOT_ASK', details: { capability: 'sampling' } });
    expect(await failing({ method: 'roots/list', params: {} }, {})).toMatchObject({ code: 'MCP_CANNOT_ASK' });
    expect(await failing({ method: 'tools/list', params: {} }, {})).toMatchObject({ code: 'MCP_CANNOT_ASK' });
  });

  test('a call that fails because the user declined says so', async () => {
    const refuse = (): never => {
      throw new ToolError('Not today');
    };
    for (const [sample, why] of [
      [() => 'declined' as const, 'User rejected'],
      [refuse, 'Not today'],
    ] as const) {
      const error = await failing(sampling, { sample });
      expect(error).toMatchObject({ code: 'MCP_CANCELLED', message: expect.stringContaining(why) });
    }
  });

  test('a call fails with the reason if a question or its answer is malformed', async () => {
    const bad = { method: 'elicitation/create', params: { message: 'x' } };
    expect(await failing(bad, { elicit })).toMatchObject({
      message: expect.stringContaining('"requestedSchema" must be'),
    });
    const wrong = (): { action: 'accept'; content: { z: number } } => ({ action: 'accept', content: { z: 1 } });
    expect(await failing(form('a'), { elicit: wrong })).toMatchObject({
      message: expect.stringContaining('"z" was not asked'),
    });
  });

  test('an unanswered question cancels the other questions of its round', async () => {
    const aborted: unknown[] = [];
    const wait: ConnectOptions['elicit'] = (_request, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason);
          resolve({ action: 'cancel' });
        });
      });
    await using it = await opened(
      { on: { 'tools/call': asking({ a: form('a'), b: sampling }, 's') } },
      { elicit: wait },
    );
    await expect(it.client.call('t')).rejects.toMatchObject({ code: 'MCP_CANNOT_ASK' });
    expect(aborted).toHaveLength(1);
  });

  test('cancelling the call cancels its questions', async () => {
    const wait = (): Promise<never> => new Promise(() => undefined);
    await using it = await opened({ on: { 'tools/call': asking({ a: form('a') }, 's') } }, { elicit: wait });
    const stop = new AbortController();
    const calling = it.client.call('t', {}, { signal: stop.signal });
    await settled();
    stop.abort(new Error('too slow'));
    await expect(calling).rejects.toMatchObject({
      code: 'MCP_CANCELLED',
      message: expect.stringContaining('too slow'),
    });
  });
});

test('a result with an unknown resultType is rejected', async () => {
  verifies('BASE-026', 'EXT-10', 'BASE-025');
  const on = { 'tools/call': (): JsonObject => ({ resultType: 'task', content: [] }) };
  await using strict = await opened({ on });
  await expect(strict.client.call('t')).rejects.toMatchObject({ code: 'MCP_UNKNOWN_RESULT_TYPE' });
  verifies('EXT-1', 'EXT-2');
  const extensions = { 'com.example/tasks': { settings: { a: 1 }, resultTypes: ['task'] } };
  await using open = await opened({ on }, { extensions });
  await expect(open.client.call('t')).resolves.toMatchObject({ content: [] });
  expect(open.server.params('tools/call')[0]?.['_meta']).toMatchObject({
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'com.example/tasks': { a: 1 } } },
  });
});

describe('a raw request', () => {
  test('a raw request with `ask` is repeated with its answers, and one without returns the result that asks', async () => {
    await using it = await opened({ on: { 'tools/call': asking({ a: form('a') }, 's') } });
    const answer = { action: 'accept', content: { a: 'own' } };
    expect(await it.client.request('tools/call', { name: 't' }, { ask: async () => answer })).toMatchObject({
      content: [],
    });
    expect(it.server.params('tools/call')[1]).toMatchObject({ inputResponses: { a: answer }, requestState: 's' });
    expect(await it.client.request('tools/call', { name: 't' }, {})).toMatchObject({ resultType: 'input_required' });
    expect(it.server.params('tools/call')).toHaveLength(3);
  });
});
