/** Questions as requests to the client: the handler waits while the client answers, rejects, or sends an invalid response. */
import { expect, test } from 'vitest';
import {
  type Answerer,
  hello,
  open,
  type Raw,
  type RawOptions,
  textOf,
  withHandshake,
} from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { Context } from '../../server/context.ts';
import { prompt } from '../../server/prompt.ts';
import { resource } from '../../server/resource.ts';
import { createServer } from '../../server/server.ts';
import type { Server } from '../../server/server-interface.ts';
import { tool } from '../../server/tool.ts';

type Run = (ctx: Context) => Promise<string>;
const reported: unknown[] = [];
const serve = (run: Run): Server =>
  createServer({
    name: 'dock',
    version: '1',
    parts: [tool({ name: 'ask', run: (_input, ctx) => run(ctx) })],
    onError: (error) => void reported.push(error),
  });
const asked = (run: Run, options: RawOptions): Promise<Raw> =>
  open(serve(run), { revision: '2025-11-25', capabilities: { elicitation: {}, sampling: {}, roots: {} }, ...options });
const call = async (run: Run, options: RawOptions): Promise<JsonObject> =>
  (await asked(run, options)).result('tools/call', { name: 'ask' });

const nameForm = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const askName: Run = async (ctx) => JSON.stringify(await ctx.ask('name', 'Who?', nameForm));
const accept =
  (content: JsonObject): Answerer =>
  () => ({ action: 'accept', content });

test.each(['2025-06-18', '2025-11-25'])(
  'elicitation sends the form, and the handler continues with the answer, in %s',
  async (revision) => {
    verifies('ELIC-17', 'ELIC-63');
    const raw = await asked(askName, { revision, answer: accept({ name: 'Ada' }) });
    const result = await raw.result('tools/call', { name: 'ask' });
    expect(textOf(result)).toBe('{"action":"accept","accepted":true,"value":{"name":"Ada"}}');
    const params = { message: 'Who?', requestedSchema: nameForm };
    expect(raw.asked).toEqual([
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'elicitation/create',
        params: revision === '2025-06-18' ? params : { mode: 'form', ...params },
      },
    ]);
  },
);

test.each(['decline', 'cancel'])('the action %s reaches the handler', async (action) => {
  verifies('ELIC-38');
  const result = await call(askName, { answer: () => ({ action }) });
  expect(textOf(result)).toBe(`{"action":"${action}","accepted":false}`);
});

test('a URL elicitation returns only whether the user agreed', async () => {
  verifies('ELIC-25');
  const run: Run = async (ctx) => JSON.stringify(await ctx.ask('pay', 'Pay', { url: 'https://dock.example/pay' }));
  const capabilities = { elicitation: { url: {} } };
  const raw = await asked(run, { capabilities, answer: accept({ card: '4111' }) });
  const result = await raw.result('tools/call', { name: 'ask' });
  expect(textOf(result)).toBe('{"action":"accept","accepted":true}');
  expect(raw.asked[0]?.params).toEqual({
    mode: 'url',
    message: 'Pay',
    url: 'https://dock.example/pay',
    elicitationId: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  const no = await call(run, { capabilities, answer: () => ({ action: 'decline' }) });
  expect(textOf(no)).toBe('{"action":"decline","accepted":false}');
});

test('the completion of a visit is notified once to its client, only in the revision that has the notification', async () => {
  verifies('ELIC-28', 'ELIC-29', 'ELIC-36');
  let late: () => void = () => undefined;
  const run: Run = async (ctx) => {
    const visit = await ctx.ask('pay', 'Pay', { url: 'https://dock.example/pay' });
    if (!visit.accepted) return 'no';
    visit.completed();
    visit.completed();
    late = () => visit.completed();
    return 'paid';
  };
  const server = serve(run);
  const options = { capabilities: { elicitation: { url: {} } }, answer: accept({}) };
  const [ada, bob, eve] = [
    await open(server, { ...options, revision: '2025-11-25' }),
    await open(server, { ...options, revision: '2025-11-25' }),
    await open(server, options),
  ];
  await ada.result('tools/call', { name: 'ask' });
  const elicitationId = ada.asked[0]?.params?.['elicitationId'];
  expect(ada.heard).toEqual([
    { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } },
  ]);
  late();
  expect([ada.heard.length, bob.heard.length, bob.pushed.length]).toEqual([1, 0, 0]);
  expect(textOf(await eve.complete('tools/call', { name: 'ask' }))).toBe('paid');
  expect([...eve.heard, ...eve.pushed]).toEqual([]);
});

test('a URL elicitation rejects an invalid URL', async () => {
  verifies('ELIC-25', 'ELIC-26');
  const run: Run = async (ctx) => JSON.stringify(await ctx.ask('pay', 'Pay', { url: '/pay' }));
  const raw = await asked(run, { capabilities: { elicitation: { url: {} } } });
  reported.length = 0;
  expect(await raw.result('tools/call', { name: 'ask' })).toMatchObject({ isError: true });
  expect(raw.asked).toEqual([]);
  expect(reported).toMatchObject([{ code: 'MCP_BAD_DEFINITION', details: { why: '"/pay" is no absolute URL' } }]);
});

test.each<[JsonObject, boolean]>([
  [{ action: 'accept', content: { confirm: true } }, true],
  [{ action: 'accept', content: { confirm: false } }, false],
  [{ action: 'accept', content: { confirm: 'yes' } }, false],
  [{ action: 'accept' }, false],
  [{ action: 'decline' }, false],
  [{ action: 'cancel', content: { confirm: true } }, false],
])('confirm() with the answer %j returns %j', async (answer, yes) => {
  const result = await call(async (ctx) => String(await ctx.confirm('sure', 'Sure?')), { answer: () => answer });
  expect(textOf(result)).toBe(String(yes));
});

test('confirm() sends a form with one boolean', async () => {
  const raw = await asked(async (ctx) => String(await ctx.confirm('sure', 'Sure?')), { answer: accept({}) });
  await raw.result('tools/call', { name: 'ask' });
  expect(raw.asked[0]?.params?.['requestedSchema']).toEqual({
    type: 'object',
    properties: { confirm: { type: 'boolean', title: 'Confirm', description: 'Sure?', default: false } },
    required: ['confirm'],
  });
});

const message = { role: 'assistant', content: { type: 'text', text: 'Ahoy' }, model: 'm', stopReason: 'endTurn' };
const sample: Run = async (ctx) =>
  JSON.stringify(
    await ctx.sample('greet', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet' } }],
      maxTokens: 10,
    }),
  );

test.each(withHandshake)('sampling and roots/list are sent in %s', async (revision) => {
  verifies('SAMP-3');
  const raw = await asked(async (ctx) => `${await sample(ctx)} ${JSON.stringify(await ctx.roots())}`, {
    revision,
    answer: (method) =>
      method === 'roots/list' ? { roots: [{ uri: 'file:///a', name: 'a' }, { name: 'no uri' }, 'x'] } : message,
  });
  const result = await raw.result('tools/call', { name: 'ask' });
  expect(textOf(result)).toBe(`${JSON.stringify(message)} [{"uri":"file:///a","name":"a"}]`);
  expect(raw.asked.map((one) => [one.method, one.params])).toEqual([
    [
      'sampling/createMessage',
      { messages: [{ role: 'user', content: { type: 'text', text: 'Greet' } }], maxTokens: 10 },
    ],
    ['roots/list', undefined],
  ]);
});

test.each<[string, Run, string]>([
  ['2024-11-05', askName, 'elicitation/create: revision 2024-11-05 lacks it'],
  ['2025-03-26', askName, 'elicitation/create: revision 2025-03-26 lacks it'],
  [
    '2025-06-18',
    sample,
    'sampling/createMessage (sampling). In Mooring, pass "sample" to connect(), or "model" to createHost()',
  ],
  [
    '2025-11-25',
    async (ctx) => String(await ctx.roots()),
    'roots/list (roots). In Mooring, pass "roots" to connect() or createHost()',
  ],
])('a client of %s without the capability is not asked, and the model gets the reason', async (revision, run, why) => {
  verifies('SAMP-3', 'ELIC-5', 'LIFE-015', 'LIFE-016', 'LIFE-018', 'SEED-13', 'SEEDF-11', 'HOST-15');
  const capabilities = revision < '2025-06-18' ? { elicitation: {} } : {};
  const raw = await asked(run, { revision, capabilities });
  expect(await raw.result('tools/call', { name: 'ask' })).toEqual({
    content: [{ type: 'text', text: `The client does not support ${why}` }],
    isError: true,
  });
  expect(raw.asked).toEqual([]);
});

test.each<[string, JsonObject]>([
  ['includes context', { includeContext: 'allServers' }],
  ['asks for none', { includeContext: 'none' }],
])('a sampling request that %s is sent only to a client that declared it', async (_what, more) => {
  verifies('SAMP-13');
  const run: Run = async (ctx) => {
    await ctx.sample('s', { messages: [], maxTokens: 1, ...more });
    return 'done';
  };
  const sent = async (revision: string, sampling: JsonObject): Promise<unknown> => {
    const raw = await asked(run, { revision, capabilities: { sampling }, answer: () => message });
    await raw.result('tools/call', { name: 'ask' });
    return raw.asked[0]?.params?.['includeContext'];
  };
  const wide = more['includeContext'] === 'none' ? undefined : 'allServers';
  expect(await sent('2025-11-25', {})).toBeUndefined();
  expect(await sent('2025-11-25', { context: {} })).toBe(wide);
  expect(await sent('2025-06-18', {})).toBe(wide);
});

test.each([
  ['end_turn', 'endTurn'],
  ['stop_sequence', 'stopSequence'],
  ['max_tokens', 'maxTokens'],
  ['tool_use', 'toolUse'],
  ['endTurn', 'endTurn'],
  ['a word of the provider', 'a word of the provider'],
])('the stopReason %s is decoded as %s', async (stopReason, read) => {
  verifies('SEEDF-18');
  const result = await call(sample, { answer: () => ({ ...message, stopReason }) });
  expect(JSON.parse(textOf(result))).toEqual({ ...message, stopReason: read });
});

test('an error response of the client rejects in the handler', async () => {
  const answer: Answerer = () => new RpcError(-1, 'User rejected sampling request');
  expect(await call(sample, { answer })).toEqual({
    content: [{ type: 'text', text: 'The client rejected sampling/createMessage: User rejected sampling request' }],
    isError: true,
  });
  const patient: Run = (ctx) => sample(ctx).catch((error: Error) => `${error.name}: went on`);
  expect(textOf(await call(patient, { answer }))).toBe('ToolError: went on');
});

test.each<[string, Run, JsonObject, string]>([
  ['an action', askName, { action: 'maybe' }, 'must have an "action": accept, decline or cancel'],
  ['content', askName, { action: 'accept', content: 'x' }, 'has a "content" that is not an object'],
  ['a message', sample, { role: 'system', content: {}, model: 'm' }, 'must have "role", "content" and "model"'],
  ['blocks', sample, { ...message, content: ['x'] }, 'must have "role", "content" and "model"'],
  ['a block in its list', sample, { ...message, content: [null] }, 'must have "role", "content" and "model"'],
  ['a block', sample, { ...message, content: null }, 'must have "role", "content" and "model"'],
  ['a model', sample, { ...message, model: undefined }, 'must have "role", "content" and "model"'],
  ['roots', async (ctx) => String(await ctx.roots()), { roots: 'x' }, 'must have a list of "roots"'],
])('an answer without %s is rejected before it reaches the handler', async (_what, run, answer, why) => {
  verifies('SAMP-37');
  const result = await call(run, { answer: () => answer });
  expect(result['isError']).toBe(true);
  expect(textOf(result)).toContain(why);
});

test('an answer that violates the form is rejected with the reason', async () => {
  verifies('ELIC-63');
  const result = await call(askName, { answer: accept({ name: 7 }) });
  expect(result['isError']).toBe(true);
  expect(textOf(result)).toMatch(/^The answer to question "name" of tool "ask" does not fit the form: name: /);
});

test('multiple choice that is sent as text reaches the handler as a list', async () => {
  verifies('ELIC-19');
  const items = { type: 'string', enum: ['red', 'green'] };
  const schema = { type: 'object', properties: { colours: { type: 'array', items } } };
  const run: Run = async (ctx) => JSON.stringify((await ctx.ask('c', 'Which?', schema)).value);
  const raw = await asked(run, { revision: '2025-06-18', answer: accept({ colours: 'red, green' }) });
  expect(textOf(await raw.result('tools/call', { name: 'ask' }))).toBe('{"colours":["red","green"]}');
  const wrong = await call(run, { revision: '2025-06-18', answer: accept({ colours: 'blue' }) });
  expect(wrong['isError']).toBe(true);
});

test('no question is sent before the client is ready', async () => {
  verifies('LIFE-007');
  const raw = await open(serve(askName), { revision: undefined, answer: accept({ name: 'Ada' }) });
  await raw.result('initialize', hello('2025-11-25', { elicitation: {} }));
  expect(await raw.error('tools/call', { name: 'ask' })).toEqual({
    code: -32600,
    message: 'notifications/initialized must come before a request that leads to elicitation/create',
  });
  expect(raw.asked).toEqual([]);
  await raw.say('notifications/initialized');
  expect(await raw.result('tools/call', { name: 'ask' })).not.toHaveProperty('isError');
});

test('a repeated key returns the same answer, and a different question under it is rejected', async () => {
  const run: Run = async (ctx) => {
    const [first, second] = await Promise.all([ctx.confirm('sure', 'Sure?'), ctx.confirm('sure', 'Sure?')]);
    const other = await ctx.confirm('sure', 'Really?').catch((error: Error) => error.message);
    return `${first} ${second} ${other}`;
  };
  const raw = await asked(run, { answer: accept({ confirm: true }) });
  expect(textOf(await raw.result('tools/call', { name: 'ask' }))).toBe(
    'true true tools/call uses the key "sure" for two different questions. Give each its own key',
  );
  expect(raw.asked).toHaveLength(1);
});

test('ctx.once() runs a step once per call, also if it is reached concurrently', async () => {
  let runs = 0;
  const step = (): Promise<number> => Promise.resolve(++runs);
  const run: Run = async (ctx) =>
    String(await Promise.all([ctx.once('a', step), ctx.once('a', step), ctx.once('b', step)]));
  const raw = await asked(run, {});
  expect(textOf(await raw.result('tools/call', { name: 'ask' }))).toBe('1,1,2');
  expect(textOf(await raw.result('tools/call', { name: 'ask' }))).toBe('3,3,4');
});

test('each call asks for the roots again', async () => {
  verifies('ROOT-17');
  let uri = 'file:///a';
  const raw = await asked(async (ctx) => JSON.stringify(await ctx.roots()), { answer: () => ({ roots: [{ uri }] }) });
  expect(textOf(await raw.result('tools/call', { name: 'ask' }))).toContain('file:///a');
  uri = 'file:///b';
  await raw.say('notifications/roots/list_changed');
  expect(textOf(await raw.result('tools/call', { name: 'ask' }))).toContain('file:///b');
});

test('prompts and resources can ask', async () => {
  const name = async (ctx: Context): Promise<string> =>
    String((await ctx.ask('name', 'Who?', nameForm)).value?.['name']);
  const parts = [
    prompt({ name: 'greet', render: async (_args, ctx) => `Hello ${await name(ctx)}` }),
    resource({ uri: 'me:name', read: (_variables, ctx) => name(ctx) }),
  ];
  const server = createServer({ name: 'dock', version: '1', parts });
  const raw = await open(server, {
    revision: '2025-11-25',
    capabilities: { elicitation: {} },
    answer: accept({ name: 'Ada' }),
  });
  expect(await raw.result('prompts/get', { name: 'greet' })).toEqual({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello Ada' } }],
  });
  expect(await raw.result('resources/read', { uri: 'me:name' })).toEqual({
    contents: [{ uri: 'me:name', mimeType: 'text/plain', text: 'Ada' }],
  });
  const mute = await open(server, { revision: '2025-11-25' });
  expect(await mute.error('prompts/get', { name: 'greet' })).toEqual({
    code: -32603,
    message: `The client does not support elicitation/create (elicitation.form). In Mooring, pass "elicit" to connect(), or "questions" to createHost()`,
  });
});

test('a question that the handler does not await causes no unhandled rejection', async () => {
  const strays: unknown[] = [];
  const stray = (reason: unknown): void => void strays.push(reason);
  process.on('unhandledRejection', stray);
  try {
    const run: Run = (ctx) => {
      void ctx.confirm('sure', 'Sure?');
      void ctx.roots();
      void sample(ctx);
      void ctx.once('x', () => Promise.reject(new Error('not awaited')));
      return Promise.resolve('done');
    };
    const result = await call(run, { answer: () => new RpcError(-1, 'no') });
    expect(textOf(result)).toMatch(/^Internal error/);
    for (let i = 0; i < 4; i++) await nextTurn();
  } finally {
    process.off('unhandledRejection', stray);
  }
  expect(strays).toEqual([]);
});

test('a step gets an idempotency key, and returns its result after a JSON round trip', async () => {
  const keys: string[] = [];
  const run: Run = async (ctx) => {
    const step = ({ idempotencyKey }: { readonly idempotencyKey: string }): Date => {
      keys.push(idempotencyKey);
      return new Date(0);
    };
    const [date, same, none] = await Promise.all([
      ctx.once('s', step),
      ctx.once('s', step),
      ctx.once('v', () => undefined),
    ]);
    return JSON.stringify([date, same, typeof date, typeof none]);
  };
  const raw = await asked(run, {});
  const epoch = '1970-01-01T00:00:00.000Z';
  const expected = JSON.stringify([epoch, epoch, 'string', 'undefined']);
  expect(textOf(await raw.result('tools/call', { name: 'ask' }))).toBe(expected);
  expect(textOf(await raw.result('tools/call', { name: 'ask' }))).toBe(expected);
  expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}:s$/), expect.stringMatching(/^[\da-f-]{36}:s$/)]);
  expect(new Set(keys).size).toBe(2);
});
