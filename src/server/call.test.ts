/** The context of a handler: log, progress, caller and environment, and the notifications that the client gets. */
import { expect, onTestFinished, test } from 'vitest';
import {
  clientInfo,
  everyRevision,
  hello,
  open,
  type Raw,
  type RawOptions,
  STATELESS,
  textOf,
  withHandshake,
} from '../../test/support/raw.ts';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject, RpcNotification } from '../jsonrpc/message.ts';
import { loggingLevels } from '../model/logging.ts';
import { LOG_LEVEL, MESSAGE, PROGRESS } from '../model/names.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import type { Context } from './context.ts';
import { createServer } from './server.ts';
import type { ServerSpec } from './settings.ts';
import { tool } from './tool.ts';
import { withEnv } from './with-env.ts';

type Run = (ctx: Context) => unknown;
const serving = (run: Run, options: RawOptions = {}, spec: Partial<ServerSpec> = {}): Promise<Raw> => {
  const parts = [tool({ name: 't', run: async (_input, ctx) => (await run(ctx)) as string })];
  return open(createServer({ name: 'dock', version: '1', onWarning: () => undefined, ...spec, parts }), options);
};
const logAll: Run = (ctx) => loggingLevels.map((level) => ctx.log(level, `a ${level}`)).length.toString();
const levelsIn = (heard: readonly RpcNotification[]): unknown[] => heard.map(({ params }) => params?.['level']);

test.each(withHandshake)('a session of %s gets log lines from level info until it sets a level', async (revision) => {
  verifies('LOG-1', 'LOG-2', 'LOG-4', 'LOG-5');
  const raw = await serving(logAll, { revision });
  await raw.result('tools/call', { name: 't' });
  expect(levelsIn(raw.heard)).toEqual(loggingLevels.slice(1));
  for (const [at, level] of loggingLevels.entries()) {
    raw.heard.length = 0;
    expect(await raw.result('logging/setLevel', { level })).toEqual({});
    await raw.result('tools/call', { name: 't' });
    expect(levelsIn(raw.heard)).toEqual(loggingLevels.slice(at));
  }
  expect(raw.heard[0]).toEqual({
    jsonrpc: '2.0',
    method: MESSAGE,
    params: { level: 'emergency', data: 'a emergency' },
  });
});

test.each(['warn', 'WARNING', '', 7, null, undefined])('the log level %j is rejected', async (level) => {
  verifies('LOG-2', 'LOG-6', 'LOG-10');
  const session = await serving(logAll, { revision: '2025-11-25' });
  expect((await session.error('logging/setLevel', { level })).code).toBe(-32602);
  expect(session.session.logLevel).toBeUndefined();
  if (level === undefined) return;
  const raw = await serving(logAll);
  const error = await raw.error('tools/call', { name: 't' }, { meta: { [LOG_LEVEL]: level } });
  expect(error).toEqual({ code: -32602, message: `Unknown log level ${JSON.stringify(level)} in _meta` });
  expect(raw.heard).toEqual([]);
});

test.each(['2025-06-18', '2025-11-25', STATELESS])(
  'no value under a reserved key of _meta changes what a server answers, in %s',
  async (revision) => {
    verifies('BASE-042');
    const raw = await serving(() => 'x', { revision });
    const plain = await raw.result('tools/call', { name: 't' });
    for (const odd of [null, 7, 'x', [], {}, { deep: [{}] }]) {
      const meta = {
        'io.modelcontextprotocol/clientInfo': odd,
        'io.modelcontextprotocol/serverInfo': odd,
        'io.modelcontextprotocol/related-task': odd,
        'io.modelcontextprotocol/subscriptionId': odd,
        'io.modelcontextprotocol/unknown': odd,
        'modelcontextprotocol.io/other': odd,
        'tools.mcp.com/x': odd,
      };
      expect(await raw.result('tools/call', { name: 't' }, { meta })).toEqual(plain);
      expect(await raw.request('tools/list', {}, { meta })).toHaveProperty('result.tools');
    }
  },
);

test('a stateless request gets log lines of the level that it requests, and none by default', async () => {
  verifies('LOG-7', 'LOG-8', 'LOG-9', 'BASE-051');
  const raw = await serving(logAll);
  await raw.result('tools/call', { name: 't' });
  expect(raw.heard).toEqual([]);
  const [quiet, loud, silent] = [
    raw.start('tools/call', { name: 't' }, { meta: { [LOG_LEVEL]: 'error' } }),
    raw.start('tools/call', { name: 't' }, { meta: { [LOG_LEVEL]: 'debug' } }),
    raw.start('tools/call', { name: 't' }),
  ];
  await Promise.all([quiet.response, loud.response, silent.response]);
  expect(levelsIn(quiet.heard)).toEqual(['error', 'critical', 'alert', 'emergency']);
  expect(levelsIn(loud.heard)).toEqual(loggingLevels);
  expect(silent.heard).toEqual([]);
  expect(raw.pushed).toEqual([]);
});

test('the log level of a session does not apply to a stateless request on the same connection', async () => {
  verifies('LOG-7', 'LIFE-037');
  const raw = await serving(logAll, { revision: STATELESS });
  await raw.result('initialize', hello('2025-11-25'), {
    meta: { 'io.modelcontextprotocol/protocolVersion': undefined },
  });
  await raw.result(
    'logging/setLevel',
    { level: 'debug' },
    { meta: { 'io.modelcontextprotocol/protocolVersion': undefined } },
  );
  await raw.result('tools/call', { name: 't' });
  expect(raw.session.logLevel).toBe('debug');
  expect(raw.heard).toEqual([]);
});

test('a log line can carry data in addition to its message', async () => {
  const raw = await serving((ctx) => ctx.log('info', 'sold', { left: 3 }), { revision: '2025-11-25' });
  await raw.result('tools/call', { name: 't' });
  expect(raw.heard).toMatchObject([{ params: { level: 'info', data: { message: 'sold', left: 3 } } }]);
});

test('a handler in a loop does not flood its caller', async () => {
  verifies('LOG-13', 'PROGRESS-009');
  const clock = virtualClock();
  const flood: Run = (ctx) => {
    for (let i = 0; i < 10_000; i++) ctx.log('info', 'x');
    for (let i = 0; i < 10_000; i++) ctx.progress(i);
    return 'done';
  };
  const raw = await serving(flood, { revision: '2025-11-25' }, { clock });
  await raw.result('tools/call', { name: 't' }, { meta: { progressToken: 1 } });
  expect(raw.heard).toHaveLength(2_000);
});

test.each(everyRevision)('progress is sent to a caller that asked for it, as %s spells it', async (revision) => {
  verifies('PROGRESS-001', 'PROGRESS-006', 'PROGRESS-007', 'PROGRESS-013');
  const raw = await serving((ctx) => ctx.progress(1, 2, 'half'), { revision });
  await raw.result('tools/call', { name: 't' });
  expect(raw.heard).toEqual([]);
  const message = revision === '2024-11-05' ? {} : { message: 'half' };
  for (const progressToken of [0, '', 'a', 7]) {
    const call = raw.start('tools/call', { name: 't' }, { meta: { progressToken } });
    await call.response;
    expect(call.heard).toEqual([
      { jsonrpc: '2.0', method: PROGRESS, params: { progressToken, progress: 1, total: 2, ...message } },
    ]);
  }
  expect(raw.pushed).toEqual([]);
});

test.each([null, 1.5, true, {}, []])('the progress token %j is rejected', async (progressToken) => {
  verifies('PROGRESS-001');
  const raw = await serving((ctx) => ctx.progress(1));
  expect(await raw.error('tools/call', { name: 't' }, { meta: { progressToken } })).toEqual({
    code: -32602,
    message: 'Invalid params for tools/call: "params._meta.progressToken" must be a string or an integer',
  });
});

test('progress only ever grows, and is a number', async () => {
  verifies('PROGRESS-003', 'PROGRESS-004');
  const steps = [0, 0, 1, 0.5, 1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, -3, 2, 2.5];
  const raw = await serving((ctx) => steps.map((step) => ctx.progress(step, Number.NaN)).length.toString());
  const call = raw.start('tools/call', { name: 't' }, { meta: { progressToken: 1 } });
  await call.response;
  expect(call.heard.map(({ params }) => params)).toEqual(
    [0, 1, 1.5, 2, 2.5].map((progress) => ({ progressToken: 1, progress })),
  );
});

test('progress may begin below zero', async () => {
  const raw = await serving((ctx) => [ctx.progress(-2), ctx.progress(-1)].length.toString());
  const call = raw.start('tools/call', { name: 't' }, { meta: { progressToken: 1 } });
  await call.response;
  expect(call.heard).toHaveLength(2);
});

test('no notification of a request is sent after its response', async () => {
  verifies('PROGRESS-010', 'PROGRESS-006', 'LOG-8');
  let late: () => void = () => undefined;
  const raw = await serving(
    (ctx) => {
      late = () => {
        ctx.progress(9);
        ctx.log('emergency', 'late');
      };
      return 'done';
    },
    { revision: '2025-11-25' },
  );
  await raw.result('tools/call', { name: 't' }, { meta: { progressToken: 1 } });
  late();
  expect(raw.heard).toEqual([]);
});

test('a handler gets its caller, the verified identity, and a signal that aborts when the caller cancels', async () => {
  const auth = { subject: 'ada', scopes: ['read'] };
  let seen: unknown;
  const raw = await serving(
    async (ctx) => {
      seen = { caller: ctx.caller, auth: ctx.auth };
      await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
      return String(ctx.signal.reason);
    },
    { auth, capabilities: { roots: {} } },
  );
  const call = raw.start('tools/call', { name: 't' });
  await Promise.resolve();
  call.abort('enough');
  expect(await call.response).toMatchObject({ result: { content: [{ text: 'enough' }] } });
  expect(seen).toEqual({ caller: { info: clientInfo, capabilities: { roots: {} } }, auth });
});

test('ctx.auth is undefined for a caller without credentials', async () => {
  const raw = await serving((ctx) => String(ctx.auth));
  expect(textOf(await raw.result('tools/call', { name: 't' }))).toBe('undefined');
});

test('the environment is a value, or is made once per call from who is calling', async () => {
  const { tool: envTool } = withEnv<{ user: string; n: number }>();
  const part = envTool({ name: 't', run: (_input, { env }) => `${env.user} ${env.n}` });
  const twice = envTool({
    name: 'twice',
    run: (_input, ctx) => `${ctx.env.n} ${ctx.env.n} ${Object.is(ctx.env, ctx.env)}`,
  });
  const fixed = createServer({ name: 'dock', version: '1', parts: [part], env: { user: 'all', n: 1 } });
  expect(textOf(await (await open(fixed)).result('tools/call', { name: 't' }))).toBe('all 1');
  let made = 0;
  const each = createServer({
    name: 'dock',
    version: '1',
    parts: [part, twice],
    env: ({ auth, caller }) => ({ user: `${auth?.subject} of ${caller.info?.name}`, n: ++made }),
  });
  const raw = await open(each, { auth: { subject: 'ada', scopes: [] } });
  expect(textOf(await raw.result('tools/call', { name: 't' }))).toBe('ada of raw 1');
  expect(textOf(await raw.result('tools/call', { name: 'twice' }))).toBe('2 2 true');
});

test('an environment that cannot be made is a fault of the call', async () => {
  const { tool: envTool } = withEnv<{ n: number }>();
  const part = envTool({ name: 't', run: (_input, { env }) => `${env.n}` });
  const env = (): never => {
    throw new Error('no database');
  };
  const server = createServer({ name: 'dock', version: '1', parts: [part], env, onError: () => undefined });
  expect(await (await open(server)).result('tools/call', { name: 't' })).toMatchObject({ isError: true });
});

const sampling = { messages: [], maxTokens: 1 };

test('what the newest revision deprecates is warned about once, and only there', async () => {
  verifies('EXT-13', 'BASE-091');
  const use: Run = async (ctx) => {
    ctx.log('info', 'x');
    ctx.log('info', 'y');
    await Promise.all([ctx.roots(), ctx.sample('s', sampling)]);
    return 'done';
  };
  const warnings: string[] = [];
  const spec = { onWarning: (warning: string): void => void warnings.push(warning) };
  const capabilities = { roots: {}, sampling: {} };
  const answer = (method: string): JsonObject =>
    method === 'roots/list' ? { roots: [] } : { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' };
  const old = await serving(use, { revision: '2025-11-25', capabilities, answer }, spec);
  await old.result('tools/call', { name: 't' });
  const unwarned = warnings.splice(0);
  expect(unwarned).toEqual(['Tool "t" has no description. Add one: models choose tools by it']);
  const raw = await serving(use, { capabilities, answer }, spec);
  warnings.length = 0;
  const meta = { [LOG_LEVEL]: 'debug' };
  await raw.complete('tools/call', { name: 't' }, { meta });
  await raw.complete('tools/call', { name: 't' }, { meta });
  expect(warnings).toEqual(
    ['logging', 'roots', 'sampling'].map(
      (feature) => `MCP revision 2026-07-28 deprecates ${feature} (SEP-2577); a later one drops it`,
    ),
  );
});

test('without a listener, the warning is one of the process', async () => {
  verifies('EXT-13', 'BASE-091');
  const part = tool({ name: 't', run: (_input, ctx) => String(ctx.log('info', 'x')) });
  const raw = await open(createServer({ name: 'dock', version: '1', parts: [part] }));
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  await raw.result('tools/call', { name: 't' }, { meta: { [LOG_LEVEL]: 'debug' } });
  expect(await warned).toMatchObject({ name: 'MooringWarning', message: expect.stringContaining('SEP-2577') });
});

test.each<[string, JsonObject]>([
  [
    'a use without result',
    { messages: [{ role: 'assistant', content: { type: 'tool_use', id: 'a', name: 't', input: {} } }] },
  ],
  ['a priority beyond 1', { modelPreferences: { costPriority: 2 } }],
  ['another role', { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] }],
])('%s is never sent to a model', async (_what, more) => {
  verifies('SAMP-16', 'SAMP-18', 'SAMP-19', 'SAMP-20', 'SAMP-21', 'SAMP-32');
  const reported: unknown[] = [];
  const raw = await serving(
    (ctx) => ctx.sample('s', { ...sampling, ...more } as typeof sampling),
    { revision: '2025-11-25', capabilities: { sampling: { tools: {} } } },
    { onError: (error) => void reported.push(error) },
  );
  expect(await raw.result('tools/call', { name: 't' })).toMatchObject({ isError: true });
  expect(raw.asked).toEqual([]);
  expect(reported).toMatchObject([{ code: 'MCP_BAD_DEFINITION', details: { what: 'question "s" of tool "t"' } }]);
});

test('a resource that a handler reads without waiting for it can fail, and the process goes on', async () => {
  const unhandled: unknown[] = [];
  const note = (thrown: unknown): void => void unhandled.push(thrown);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const raw = await serving((ctx) => {
    void ctx.read('nowhere:x');
    return 'done';
  });
  expect(textOf(await raw.result('tools/call', { name: 't' }))).toBe('done');
  await new Promise((resolve) => void setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

test('a handler can take the methods out of its context', async () => {
  const whyNot = ({ message }: Error): string => message;
  const raw = await serving(
    async ({ ask, confirm, detach, log, once, progress, read, roots, sample }) => {
      log('error', 'on');
      progress(1);
      await detach();
      const questions = [
        confirm('a', 'Sure?'),
        ask('b', 'Go?', { url: 'https://a.test' }),
        sample('c', { messages: [], maxTokens: 1 }),
        roots(),
      ];
      const rejected = await Promise.all(
        [read('a:b'), ...questions].map((promise: Promise<unknown>) => promise.catch(whyNot)),
      );
      return [await once('step', () => 'done'), ...rejected].join('\n');
    },
    { revision: '2025-11-25' },
  );
  const result = await raw.result('tools/call', { name: 't' }, { meta: { progressToken: 1 } });
  expect(textOf(result).split('\n')).toEqual([
    'done',
    'Resource not found',
    ...Array(4).fill(expect.stringContaining('The client does not support')),
  ]);
  expect(raw.heard.map(({ method }) => method)).toEqual([MESSAGE, PROGRESS]);
});
