/** Questions inside results: rounds, replays, and everything that a client can send instead of an answer. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import {
  all,
  answer,
  asking,
  askName,
  call,
  nameForm,
  params,
  type Run,
  reported,
} from '../../../test/support/asking.ts';
import { type Answerer, open, textOf } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { type RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { CLIENT_CAPABILITIES } from '../../model/names.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { Context } from '../../server/context.ts';
import { prompt } from '../../server/prompt.ts';
import { resource } from '../../server/resource.ts';
import { createServer } from '../../server/server.ts';

const refusal = { code: -32602, message: 'requestState was not issued by this server for this request' };

test('a question suspends the handler with an interim result, and the retry with the answer resumes it', async () => {
  verifies('MRTR-001', 'MRTR-002', 'MRTR-004', 'MRTR-006', 'TOOL-70', 'ELIC-6', 'BASE-020', 'BASE-024', 'CACHE-2');
  const raw = await asking(async (ctx) => `Hello ${await askName(ctx, 'ada')}`);
  const interim = await call(raw);
  expect(interim).toEqual({
    resultType: 'input_required',
    inputRequests: {
      ada: { method: 'elicitation/create', params: { mode: 'form', message: 'ada?', requestedSchema: nameForm } },
    },
    requestState: expect.any(String),
    _meta: expect.any(Object),
  });
  const final = await call(raw, raw.answers(interim));
  expect(final).toMatchObject({ resultType: 'complete', content: [{ type: 'text', text: 'Hello ada' }] });
  expect(final).not.toHaveProperty('requestState');
  expect(raw.asked).toEqual([]);
});

test('questions asked together share a round, those asked one after the other do not', async () => {
  verifies('MRTR-005', 'MRTR-009', 'SAMP-4', 'ROOT-5');
  const raw = await asking(async (ctx) => {
    const [a, b] = await Promise.all([
      askName(ctx, 'a'),
      ctx.sample('b', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 }),
    ]);
    const roots = await ctx.roots();
    return `${a} ${b.model} ${roots.length}`;
  });
  const rounds: string[][] = [];
  let result = await call(raw);
  while (result['resultType'] === 'input_required') {
    const asked = result['inputRequests'] as Record<string, JsonObject>; // an interim result
    // Sorted: the order of questions is not tested here.
    rounds.push(
      Object.entries(asked)
        .map(([key, one]) => `${key} ${String(one['method'])}`)
        .toSorted(),
    );
    for (const one of Object.values(asked)) expect(Object.keys(one)).toEqual(['method', 'params']);
    result = await call(raw, raw.answers(result));
  }
  expect(rounds).toEqual([['a elicitation/create', 'b sampling/createMessage'], ['roots roots/list']]);
  expect(textOf(result)).toBe('a m 1');
});

test('questions that are asked within one event-loop turn share a round, in any async function', async () => {
  const raw = await asking(async (ctx) => {
    const late = async (): Promise<string> => {
      for (let i = 0; i < 20; i++) await Promise.resolve();
      return askName(ctx, 'late');
    };
    return String(await Promise.all([askName(ctx, 'early'), late()]));
  });
  expect(Object.keys((await call(raw))['inputRequests'] as JsonObject).toSorted()).toEqual(['early', 'late']);
});

test('a suspended call is garbage collected while its client does not retry', async () => {
  verifies('MRTR-008');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // the flag makes it
  const held: WeakRef<object>[] = [];
  const raw = await asking(async (ctx) => {
    held.push(new WeakRef(ctx), new WeakRef(ctx.signal));
    return askName(ctx, 'a');
  });
  for (let i = 0; i < 50; i++) expect(await call(raw)).toHaveProperty('inputRequests');
  // The last calls may still be on the stack. If the server retained suspended calls, there would be fifty.
  await nextTurn();
  collect();
  expect(held.filter((one) => one.deref() !== undefined).length).toBeLessThan(10);
});

test('a suspended call leaves no state on the server', async () => {
  verifies('MRTR-008');
  const seen: string[] = [];
  const raw = await asking(async (ctx) => {
    seen.push('begun');
    try {
      return await askName(ctx, 'a');
    } finally {
      seen.push('ended');
    }
  });
  const first = await call(raw);
  // The handler has ended before the client gets the question, so it holds no resources meanwhile.
  expect(seen).toEqual(['begun', 'ended']);
  expect(Object.keys((await call(raw))['inputRequests'] as JsonObject)).toEqual(['a']);
  expect(seen).toEqual(['begun', 'ended', 'begun', 'ended']);
  expect(textOf(await call(raw, raw.answers(first)))).toBe('a');
});

test('any process with the same key resumes the call', async () => {
  verifies('LIFE-039');
  const spec = { stateKeys: [new Uint8Array(32).fill(7)] };
  const run: Run = async (ctx) => `${await ctx.once('n', () => 1)} ${await askName(ctx, 'a')}`;
  const [here, there, elsewhere] = [await asking(run, { spec }), await asking(run, { spec }), await asking(run)];
  const interim = await call(here);
  const more = here.answers(interim);
  expect(textOf(await call(there, more))).toBe('1 a');
  expect(await elsewhere.error('tools/call', { ...params, ...more })).toEqual(refusal);
  const rotated = await asking(run, { spec: { stateKeys: [new Uint8Array(32).fill(8), ...spec.stateKeys] } });
  expect(textOf(await call(rotated, more))).toBe('1 a');
});

test('answers to questions that were not asked are ignored', async () => {
  verifies('MRTR-018');
  const raw = await asking(async (ctx) => `${await askName(ctx, 'a')} ${await askName(ctx, 'b')}`);
  const { requestState } = await call(raw);
  const inputResponses = JSON.parse(
    '{"a":{"action":"accept","content":{"name":"A"}},"b":{"action":"accept","content":{"name":"forged"}},"c":7,"__proto__":{}}',
  ) as JsonObject;
  const second = await call(raw, { requestState, inputResponses });
  expect(Object.keys(second['inputRequests'] as JsonObject)).toEqual(['b']);
  // A question of an earlier round cannot be answered again.
  const late = {
    a: { action: 'accept', content: { name: 'forged' } },
    b: { action: 'accept', content: { name: 'B' } },
  };
  expect(textOf(await call(raw, { requestState: second['requestState'], inputResponses: late }))).toBe('A B');
});

test('a first request can bring answers to questions that it knows, and others are asked', async () => {
  verifies('MRTR-018', 'MRTR-017');
  const raw = await asking(async (ctx) => `${await askName(ctx, 'a')} ${await askName(ctx, 'b')}`);
  const known = { a: { action: 'accept', content: { name: 'A' } }, z: { action: 'accept', content: { name: 'Z' } } };
  const first = await call(raw, { inputResponses: known });
  expect(Object.keys(first['inputRequests'] as JsonObject)).toEqual(['b']);
  expect(textOf(await call(raw, raw.answers(first)))).toBe('A b');
  const error = await raw.error('tools/call', { ...params, inputResponses: { a: 7 } });
  expect([error.code, error.message]).toEqual([-32602, '"params.inputResponses.a" must be an object']);
});

test('a question without an answer is asked again', async () => {
  verifies('MRTR-019', 'MRTR-009');
  const raw = await asking(async (ctx) => String(await Promise.all([askName(ctx, 'a'), askName(ctx, 'b')])));
  const { requestState } = await call(raw);
  const second = await call(raw, { requestState, inputResponses: { b: answer('', {}, 'b') } });
  expect(Object.keys(second['inputRequests'] as JsonObject)).toEqual(['a']);
  const third = await call(raw, { requestState: second['requestState'] });
  expect(Object.keys(third['inputRequests'] as JsonObject)).toEqual(['a']);
  expect(textOf(await call(raw, raw.answers(third)))).toBe('a,b');
});

test.each<[string, unknown, string]>([
  ['null', null, '"params.inputResponses.k" must be an object'],
  ['a list', [], '"params.inputResponses.k" must be an object'],
  ['an empty object', {}, '"params.inputResponses.k" must have an "action": accept, decline or cancel'],
  ['an envelope', { jsonrpc: '2.0', id: 1, result: {} }, '"params.inputResponses.k" must have an "action"'],
  ['odd content', { action: 'accept', content: [] }, '"params.inputResponses.k" has a "content" that is not an object'],
])('an answer to a form is rejected if it is %s', async (_what, value, why) => {
  verifies('MRTR-017');
  const raw = await asking((ctx) => askName(ctx, 'k'));
  const { requestState } = await call(raw);
  const error = await raw.error('tools/call', { ...params, requestState, inputResponses: { k: value } });
  expect(error.code).toBe(-32602);
  expect(error.message).toContain(why);
});

test.each<[string, JsonObject]>([
  ['inputResponses that are a list', { inputResponses: [] }],
  ['inputResponses that are null', { inputResponses: null }],
  ['a state that is null', { requestState: null }],
  ['a state that is a number', { requestState: 7 }],
  ['an empty state', { requestState: '' }],
  ['a huge state', { requestState: 'A'.repeat(65 * 1024) }],
])('the request is rejected with %s, even if the tool never asks', async (_what, more) => {
  verifies('MRTR-010', 'MRTR-012', 'MRTR-017');
  const raw = await asking(() => Promise.resolve('never asks'));
  expect((await raw.error('tools/call', { ...params, ...more })).code).toBe(-32602);
});

test('an answer that violates the form is an error for the client', async () => {
  verifies('ELIC-63', 'MRTR-017');
  const raw = await asking((ctx) => askName(ctx, 'k'), {
    answer: () => ({ action: 'accept', content: { name: 7 } }),
  });
  const result = await raw.complete('tools/call', params);
  expect(result['isError']).toBe(true);
  expect(textOf(result)).toMatch(/^The answer to question "k" of tool "ask" does not fit the form: name: /);
});

test.each(['decline', 'cancel'])('the action %s reaches the handler', async (action) => {
  verifies('ELIC-38');
  const raw = await asking(async (ctx) => (await ctx.ask('k', '?', nameForm)).action, { answer: () => ({ action }) });
  expect(textOf(await raw.complete('tools/call', params))).toBe(action);
});

test('a state opens only for the same request of the same caller', async () => {
  verifies('MRTR-010', 'MRTR-011', 'MRTR-012', 'MRTR-013', 'MRTR-015');
  const run: Run = (ctx) => askName(ctx, 'k');
  const spec = { stateKeys: [new Uint8Array(32)] };
  const ada = { issuer: 'i', subject: 'ada', scopes: [] };
  const raw = await asking(run, { spec, auth: ada });
  const more = raw.answers(await call(raw));
  expect(textOf(await call(raw, more))).toBe('k');
  // The order of keys does not matter.
  expect(textOf(await raw.result('tools/call', { ...more, arguments: { a: 1 }, name: 'ask' }))).toBe('k');
  for (const other of [
    { ...params, arguments: { a: 2 } },
    { ...params, arguments: { a: 1, b: 1 } },
    { ...params, arguments: undefined },
    { ...params, extra: 1 },
  ]) {
    expect(await raw.error('tools/call', { ...other, ...more })).toEqual(refusal);
  }
  for (const method of ['tools/list', 'prompts/get', 'resources/read']) {
    expect((await raw.error(method, { ...params, ...more })).code).toBeLessThan(-32600);
  }
  for (const auth of [undefined, { ...ada, subject: 'bob' }, { ...ada, issuer: 'j' }, { ...ada, clientId: 'c' }]) {
    const other = await asking(run, { spec, ...(auth === undefined ? {} : { auth }) });
    expect(await other.error('tools/call', { ...params, ...more })).toEqual(refusal);
  }
  const text = String(more['requestState']);
  const tampered = `${text.slice(0, 40)}${text[40] === 'A' ? 'B' : 'A'}${text.slice(41)}`;
  expect(await raw.error('tools/call', { ...params, ...more, requestState: tampered })).toEqual(refusal);
});

test('a state lasts ten minutes', async () => {
  verifies('MRTR-014');
  let time = 1_000_000;
  const clock = { now: () => time, wall: () => time, after: () => () => undefined };
  const raw = await asking((ctx) => askName(ctx, 'k'), { spec: { clock } });
  const more = raw.answers(await call(raw));
  time += 10 * 60_000;
  expect(textOf(await call(raw, more))).toBe('k');
  time += 1;
  expect(await raw.error('tools/call', { ...params, ...more })).toEqual({
    code: -32602,
    message: 'requestState has expired',
  });
});

test('a client without the capability gets −32021 with the required capability', async () => {
  verifies('LIFE-031', 'LIFE-032', 'MRTR-007', 'ROOT-6', 'SAMP-3', 'ELIC-5', 'BASE-037');
  const missing = async (run: Run, capabilities: JsonObject): Promise<unknown> => {
    const raw = await asking(run, { capabilities });
    const error = await raw.error('tools/call', params);
    expect(error.code).toBe(-32021);
    return error.data;
  };
  const ask: Run = (ctx) => askName(ctx, 'k');
  const visit: Run = async (ctx) => String((await ctx.ask('k', '?', { url: 'https://dock.example' })).action);
  const roots: Run = async (ctx) => String(await ctx.roots());
  const sample: Run = async (ctx) =>
    (await ctx.sample('k', { messages: [], maxTokens: 1, toolChoice: { mode: 'none' } })).model;
  expect(await missing(ask, {})).toEqual({ requiredCapabilities: { elicitation: { form: {} } } });
  expect(await missing(ask, { elicitation: { url: {} } })).toEqual({
    requiredCapabilities: { elicitation: { form: {} } },
  });
  expect(await missing(visit, { elicitation: {} })).toEqual({ requiredCapabilities: { elicitation: { url: {} } } });
  expect(await missing(roots, {})).toEqual({ requiredCapabilities: { roots: {} } });
  expect(await missing(sample, { sampling: {} })).toEqual({ requiredCapabilities: { sampling: { tools: {} } } });
});

test('capabilities are those of the request, never those of an earlier one', async () => {
  verifies('LIFE-031', 'LIFE-037');
  const raw = await asking((ctx) => askName(ctx, 'k'));
  expect(await call(raw)).toHaveProperty('inputRequests');
  const error = await raw.error('tools/call', params, { meta: { [CLIENT_CAPABILITIES]: {} } });
  expect(error.code).toBe(-32021);
});

test('of two concurrent questions, one without a capability fails the call', async () => {
  verifies('MRTR-007');
  const both: Run = async (ctx) => String(await Promise.all([askName(ctx, 'a'), ctx.roots()]));
  const raw = await asking(both, { capabilities: { elicitation: {} } });
  expect((await raw.error('tools/call', params)).code).toBe(-32021);
});

test('a handler can catch the error of a question that cannot be asked', async () => {
  const run: Run = (ctx) => askName(ctx, 'k').catch((error: RpcError) => `went on after ${error.code}`);
  const raw = await asking(run, { capabilities: {} });
  expect(textOf(await call(raw))).toBe('went on after -32021');
});

test('finally blocks run when the handler is suspended', async () => {
  const log: string[] = [];
  const raw = await asking(async (ctx) => {
    log.push('open');
    try {
      return await askName(ctx, 'k');
    } finally {
      log.push('close');
    }
  });
  await raw.complete('tools/call', params);
  expect(log).toEqual(['open', 'close', 'open', 'close']);
});

test('a handler can wrap and rethrow the suspension', async () => {
  const raw = await asking(async (ctx) => {
    try {
      return await askName(ctx, 'k');
    } catch (cause) {
      throw new Error('while asking', { cause });
    }
  });
  expect(textOf(await raw.complete('tools/call', params))).toBe('k');
});

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('in %s', (revision) => {
  const decline: Answerer = () => ({ action: 'decline' });

  test.each<[string, (ctx: Context) => Promise<unknown>]>([
    ['ctx.confirm', (ctx) => ctx.confirm('k', 'Sure?')],
    ['ctx.ask', (ctx) => ctx.ask('k', 'Who?', nameForm)],
    ['ctx.sample', (ctx) => ctx.sample('k', { messages: [], maxTokens: 1 })],
    ['ctx.roots', (ctx) => ctx.roots('k')],
  ])('a handler that does not await %s fails, so that its caller is not told that it succeeded', async (_what, ask) => {
    const raw = await asking(async (ctx) => ((ask(ctx) as unknown) ? 'deleted' : 'kept'), {
      revision,
      answer: decline,
    });
    const result = await call(raw);
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toMatch(/^Internal error/);
    expect(reported).toMatchObject([{ code: 'MCP_SUSPENSION_SWALLOWED', details: { what: 'tool "ask"', key: 'k' } }]);
  });

  test('a handler can return a question, wait for several, and stop waiting for one', async () => {
    const raw = await asking(
      async (ctx) => {
        const first = Promise.all([askName(ctx, 'a'), ctx.roots('r')]);
        const [[a, roots], c] = await Promise.all([first, Promise.race([ctx.confirm('c', 'Sure?')])]);
        return `${a} ${roots.length} ${c}`;
      },
      { revision, answer },
    );
    expect(textOf(await raw.complete('tools/call', params))).toMatch(/^a? 1 true$/);
    expect(reported).toEqual([]);
  });
});

test.each<[string, Run]>([
  ['goes on', (ctx) => askName(ctx, 'k').catch(() => 'went on')],
  [
    'does not wait',
    (ctx) => {
      void askName(ctx, 'k').catch(() => undefined);
      return Promise.resolve('did not wait');
    },
  ],
])('a handler that is suspended and %s is reported, and its result is not sent', async (_what, run) => {
  const raw = await asking(run);
  const result = await call(raw);
  expect(result).toMatchObject({ isError: true, resultType: 'complete' });
  expect(textOf(result)).toMatch(/^Internal error \([\da-f]{8}\)$/);
  expect(reported).toMatchObject([{ code: 'MCP_SUSPENSION_SWALLOWED', details: { what: 'tool "ask"', key: 'k' } }]);
});

test('an exception from the handler wins over an open question', async () => {
  const raw = await asking(async (ctx) => {
    const name = askName(ctx, 'k');
    await Promise.resolve();
    if (name !== undefined) throw new ToolError('The tide is out');
    return 'never';
  });
  const result = await call(raw);
  expect(result).toMatchObject({ isError: true });
  expect(textOf(result)).toBe('The tide is out');
});

test('two different questions under one key are rejected', async () => {
  verifies('MRTR-005');
  const raw = await asking(async (ctx) => {
    const same = [ctx.confirm('sure', 'Sure?'), ctx.confirm('sure', 'Sure?')];
    const other = await ctx.confirm('sure', 'Really?').catch((error: Error) => error.message);
    return `${await Promise.all(same)} ${other}`;
  });
  const interim = await call(raw);
  expect(Object.keys(interim['inputRequests'] as JsonObject)).toEqual(['sure']);
  expect(textOf(await call(raw, raw.answers(interim)))).toMatch(/^true,true .*two different questions/);
});

test('the same URL can be asked under two keys', async () => {
  verifies('ELIC-26');
  const visit = (ctx: Context): Promise<{ action: string }> => ctx.ask('v', 'Pay', { url: 'https://dock.example' });
  const raw = await asking(async (ctx) => (await Promise.all([visit(ctx), visit(ctx)])).map((v) => v.action).join());
  const interim = await call(raw);
  expect(interim['inputRequests']).toEqual({
    v: { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: 'https://dock.example' } },
  });
  expect(textOf(await call(raw, raw.answers(interim)))).toBe('accept,accept');
});

test('a key can be any string, including names such as __proto__', async () => {
  const keys = ['__proto__', 'constructor', '', 'toString', '0'];
  const raw = await asking(async (ctx) => String(await Promise.all(keys.map((key) => askName(ctx, key)))));
  const interim = await call(raw);
  expect(Object.keys(interim['inputRequests'] as JsonObject).toSorted()).toEqual(keys.toSorted());
  const wire = JSON.parse(JSON.stringify(interim)) as JsonObject;
  expect(textOf(await call(raw, raw.answers(wire)))).toBe(String(keys));
});

test('inherited members of objects do not count as answers', async () => {
  verifies('MRTR-019');
  const keys = ['constructor', 'toString'];
  const raw = await asking(async (ctx) => String(await Promise.all(keys.map((key) => askName(ctx, key)))));
  const { requestState } = await call(raw);
  const again = await call(raw, { requestState, inputResponses: {} });
  expect(Object.keys(again['inputRequests'] as JsonObject).toSorted()).toEqual(keys.toSorted());
});

test('a call can be suspended at most maxRounds times', async () => {
  const run: Run = async (ctx) => {
    for (let i = 0; ; i++) await askName(ctx, `k${i}`);
  };
  const raw = await asking(run, { spec: { maxRounds: 3 } });
  let result = await call(raw);
  for (let round = 1; round < 3; round++) result = await call(raw, raw.answers(result));
  const error = await raw.error('tools/call', { ...params, ...raw.answers(result) });
  expect(error.code).toBe(-32603);
  expect(error.message).toMatch(/^Internal error \([\da-f]{8}\)$/);
  expect(reported).toMatchObject([{ code: 'MCP_TOO_MANY_ROUNDS', details: { rounds: 3, setting: 'maxRounds' } }]);
});

test('the state of a call is at most 64 KiB', async () => {
  const run =
    (length: number): Run =>
    async (ctx) => {
      await ctx.once('big', () => 'x'.repeat(length));
      return askName(ctx, 'k');
    };
  expect(textOf(await (await asking(run(40_000))).complete('tools/call', params))).toBe('k');
  const raw = await asking(run(64 * 1024));
  expect((await raw.error('tools/call', params)).code).toBe(-32603);
  expect(reported).toMatchObject([{ code: 'MCP_TOO_LARGE', details: { limit: 65_536 } }]);
});

test('prompts and resources ask in the same way, lists and completion never', async () => {
  verifies('MRTR-002', 'MRTR-003', 'PROMPT-13', 'RES-35', 'COMP-17', 'CACHE-2');
  const parts = [
    prompt({
      name: 'greet',
      args: { type: 'object', properties: { a: { type: 'string' } } },
      complete: { a: () => ['x'] },
      render: async (_args, ctx) => `Hello ${await askName(ctx, 'ada')}`,
    }),
    resource({ uri: 'me:name', cache: { ttlMs: 5, cacheScope: 'public' }, read: (_v, ctx) => askName(ctx, 'bob') }),
  ];
  const raw = await open(createServer({ name: 'dock', version: '1', parts }), { capabilities: all, answer });
  const interim = await raw.result('resources/read', { uri: 'me:name' });
  expect(Object.keys(interim)).toEqual(['resultType', 'inputRequests', 'requestState', '_meta']);
  expect(await raw.complete('resources/read', { uri: 'me:name' })).toMatchObject({
    resultType: 'complete',
    contents: [{ uri: 'me:name', text: 'bob' }],
    ttlMs: 5,
    cacheScope: 'public',
  });
  expect(await raw.result('prompts/get', { name: 'greet' })).toHaveProperty('inputRequests');
  expect(await raw.complete('prompts/get', { name: 'greet' })).toMatchObject({
    messages: [{ role: 'user', content: { text: 'Hello ada' } }],
  });
  const complete = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'a', value: '' } };
  for (const result of [
    await raw.result('completion/complete', complete),
    await raw.result('prompts/list'),
    await raw.result('resources/list'),
    await raw.result('resources/templates/list'),
    await raw.result('server/discover'),
  ]) {
    expect(result['resultType']).toBe('complete');
    expect(result).not.toHaveProperty('inputRequests');
  }
});

test('a question that the handler does not await does not end the process', async () => {
  const strays: unknown[] = [];
  const stray = (reason: unknown): void => void strays.push(reason);
  process.on('unhandledRejection', stray);
  try {
    const raw = await asking((ctx) => {
      void ctx.confirm('a', '?');
      void ctx.ask('b', '?', nameForm);
      void ctx.ask('c', '?', { url: 'https://dock.example' });
      void ctx.sample('d', { messages: [], maxTokens: 1 });
      void ctx.sample('e', { messages: [], maxTokens: Number.NaN });
      void ctx.roots();
      void ctx.ask('f', '?', { type: 'string' });
      // An async function of the handler that asks, and that the handler does not await.
      void askName(ctx, 'g');
      return Promise.resolve('done');
    });
    expect((await call(raw))['isError']).toBe(true);
    for (let i = 0; i < 4; i++) await nextTurn();
  } finally {
    process.off('unhandledRejection', stray);
  }
  expect(strays).toEqual([]);
});

test('with singleUse, a repeated round is rejected', async () => {
  verifies('MRTR-016');
  const raw = await asking(async (ctx) => String(await ctx.confirm('sure', 'Sure?')), {
    revision: '2026-07-28',
    capabilities: all,
    spec: { singleUse: true },
  });
  const first = await raw.result('tools/call', { name: 'ask', arguments: {} });
  const again = {
    name: 'ask',
    arguments: {},
    requestState: first['requestState'],
    inputResponses: { sure: { action: 'accept', content: { confirm: true } } },
  };
  expect(textOf(await raw.result('tools/call', again))).toBe('true');
  expect(await raw.error('tools/call', again)).toEqual({ code: -32602, message: 'requestState was used before' });
});

test('a failing log of used states asks the caller to retry later, and is reported to onError', async () => {
  const errors: unknown[] = [];
  const away = new Error('The database is away');
  const raw = await asking(async (ctx) => String(await ctx.confirm('sure', 'Sure?')), {
    revision: '2026-07-28',
    capabilities: all,
    spec: { singleUse: { spend: () => Promise.reject(away) }, onError: (error) => void errors.push(error) },
  });
  const { requestState } = await raw.result('tools/call', { name: 'ask', arguments: {} });
  const again = { name: 'ask', arguments: {}, requestState, inputResponses: { sure: { action: 'decline' } } };
  expect(await raw.error('tools/call', again)).toMatchObject({ code: -32603, data: { retryAfterMs: 1_000 } });
  expect(errors).toEqual([away]);
});
