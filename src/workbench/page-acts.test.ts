/** PageActs: limits, ids, cancellation, outcomes, and errors as pages get them. */
import { expect, test } from 'vitest';
import { McpError, RpcError } from '../errors.ts';
import { MASK, maskSecretsIn } from '../model/secrets.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import { PageActs } from './page-acts.ts';
import type { DecisionRow } from './protocol-rows.ts';
import type { WorkbenchCore } from './workbench-core.ts';
import type { WorkbenchServers } from './workbench-servers.ts';

interface FakeSpan {
  readonly id: number;
  readonly server: string;
  readonly method: string;
  readonly subject?: string;
  readonly from: number;
  readonly to?: number;
}

function setUp(spans: readonly FakeSpan[] = []) {
  const clock = virtualClock();
  const acts: [string, string][] = [];
  const last: { at?: number } = {};
  const told: [string, object][] = [];
  const bench = {
    clock,
    refs: { run: <T>(_: string, run: () => Promise<T>): Promise<T> => run() },
    queueNewest: (_: string, name: string, params: object) => void told.push([name, params]),
    scrub: <T>(_: string, value: T): T =>
      maskSecretsIn(value, { text: (text) => text.replaceAll('hunter2', MASK), whole: false }) as T, // of the same shape
    history: {
      setAct: (ref: string, act: string) => void acts.push([ref, act]),
      spansOf: () => spans,
      spans: () => spans,
      lastFrom: () => (last.at === undefined ? undefined : { at: last.at }),
    },
    questions: { waitedMs: () => 0 },
    decisions: { find: (act: string) => ({ act }) },
  } as unknown as WorkbenchCore; // the members that are used
  const servers = { ensureReady: async () => undefined } as unknown as WorkbenchServers; // the members that are used
  const pages = new PageActs(bench, servers);
  const decided = (ref: string, act: string, kind: string): void =>
    pages.noteDecision(ref, { act, kind } as DecisionRow);
  return { pages, clock, acts, decided, last, told };
}

const never = (): Promise<never> => new Promise(() => undefined);

test('500 acts run at a time, each under an id of its own, and an id is free again when its act has ended', async () => {
  const { pages } = setUp();
  const run = (ref: string, what: () => Promise<unknown> = never) => pages.run({ server: 'shop', ref }, what);
  void run('same');
  await expect(run('same')).rejects.toMatchObject({ code: -32600 });
  for (let n = 1; n < 499; n++) void run(`act ${n}`);
  expect(await run('last', async () => 'done')).toMatchObject({ ref: 'last', result: 'done' });
  void run('last');
  await expect(run('one more')).rejects.toMatchObject({ code: -32600 });
  await expect(pages.run({ server: 'shop' }, never)).rejects.toMatchObject({ code: -32600 });
});

test('an act that a page cancels ends with that reason, and one that is not running cannot be cancelled', async () => {
  const { pages } = setUp();
  const running = pages.run({ server: 'shop', ref: 'a' }, async ({ signal }) => {
    if (signal.aborted) throw new McpError('MCP_CANCELLED', { method: 'tools/call', why: String(signal.reason) });
  });
  expect([pages.cancel('b'), pages.cancel('__proto__'), pages.cancel('a')]).toEqual([false, false, true]);
  const message = 'The call was cancelled: you cancelled it';
  expect(await running).toMatchObject({ error: { code: 'MCP_CANCELLED', message } });
  expect(pages.cancel('a')).toBe(false);
});

test('outcome() returns the last 20 outcomes by id, also to other pages', async () => {
  const { pages } = setUp();
  const first = pages.run({ server: 'shop', ref: 'first' }, async () => 'done');
  const again = pages.outcome('first');
  expect(await again).toBe(await first);
  for (let n = 0; n < 20; n++) await pages.run({ server: 'shop' }, async () => n);
  expect([pages.outcome('first'), pages.outcome('__proto__')]).toEqual([undefined, undefined]);
});

test('the act of a page action is its first decision that is not about opening the server', async () => {
  const { pages, decided, acts } = setUp();
  const outcome = await pages.run({ server: 'shop', ref: 'r' }, async () => {
    decided('r', 'a1', 'spawn');
    decided('r', 'a2', 'connect');
    decided('other', 'a3', 'tool');
    decided('r', 'a4', 'tool');
    decided('r', 'a5', 'tool');
  });
  expect([outcome.act, outcome.decision, acts]).toEqual(['a4', { act: 'a4' }, [['r', 'a4']]]);
  const opened = await pages.run({ server: 'shop', ref: 's' }, async () => decided('s', 'b1', 'spawn'));
  expect([opened.act, opened.decision]).toEqual([undefined, undefined]);
});

test.each<[string[], number | undefined]>([
  [['tools/list', 'tools/call'], 1],
  [['subscriptions/listen', 'prompts/get', 'tools/call'], 1],
  [['tools/list', 'prompts/list'], 0],
  [[], undefined],
])('of the requests %j, the span of an act is number %s', async (methods, expected) => {
  const spans = methods.map((method, id): FakeSpan => ({ id, server: 'shop', method, from: 0 }));
  const { pages } = setUp(spans);
  expect((await pages.run({ server: 'shop' }, async () => undefined)).span).toBe(expected);
});

test.each<[unknown, object]>([
  [new Error('broken'), { message: 'broken', code: undefined, rpc: undefined }],
  ['broken', { message: 'broken', code: undefined, rpc: undefined }],
  [new RpcError(-32602, 'no', { a: 1 }), { message: 'no', rpc: { code: -32602, message: 'no', data: { a: 1 } } }],
  [new McpError('MCP_CLOSED', { why: 'x' }), { code: 'MCP_CLOSED', unknownOutcome: true }],
  [new McpError('MCP_CANCELLED', { method: 'a', why: 'x' }), { code: 'MCP_CANCELLED' }],
])('failure() turns %s into %j', (error, expected) => {
  const failure = setUp().pages.failure('shop', error);
  expect(failure).toMatchObject(expected);
  expect(Object.keys(failure).toSorted()).toEqual(
    ['code', 'message', 'rpc', ...('unknownOutcome' in expected ? ['remedy', 'unknownOutcome'] : [])].toSorted(),
  );
});

test('errors and progress reports reach a page without secrets', async () => {
  const { pages, told } = setUp();
  const outcome = await pages.run({ server: 'shop', ref: 'a' }, async ({ onProgress }) => {
    onProgress?.({ progress: 1, message: 'hunter2 is half done' });
    throw new RpcError(-32_000, 'hunter2 is wrong', { token: 'hunter2' });
  });
  expect(told).toEqual([['progress', { ref: 'a', progress: 1, message: `${MASK} is half done` }]]);
  const message = `${MASK} is wrong`;
  expect(outcome.error).toMatchObject({ message, rpc: { code: -32_000, message, data: { token: MASK } } });
});

test('the error of a timeout lists up to 20 open requests of the server, and the time of its last message', async () => {
  const open = (id: number, more: Partial<FakeSpan> = {}): FakeSpan => ({
    id,
    server: 'shop',
    method: 'tools/call',
    from: 0,
    ...more,
  });
  const [late, few] = [
    new McpError('MCP_TIMEOUT', { method: 'tools/call', ms: 5, setting: 'timeoutMs' }),
    [open(1, { subject: 'pay' }), open(2, { to: 3 }), open(3, { server: 'bank' }), open(4, { from: 2 })],
  ];
  const { pages, clock, last } = setUp(few);
  await clock.advance(5);
  const now = clock.wall();
  const shifted = few.map(({ from }) => now - from);
  expect(pages.failure('shop', late).outstanding).toEqual([
    `tools/call pay: open for ${shifted[0]} ms`,
    `tools/call: open for ${shifted[3]} ms`,
    'no message from the server so far',
  ]);
  last.at = now - 1;
  expect(pages.failure('bank', late).outstanding?.at(-1)).toBe('last message from the server: 1 ms ago');
  const many = setUp(Array.from({ length: 30 }, (_, id) => open(id)));
  expect(many.pages.failure('shop', late).outstanding).toHaveLength(21);
});

test('an action gets the _meta of its request, and none without it', async () => {
  const { pages } = setUp();
  const seen: object[] = [];
  const run = async (options: object): Promise<void> => void seen.push(options);
  await pages.run({ server: 'shop', meta: { a: 1 } }, run);
  await pages.run({ server: 'shop' }, run);
  expect(seen.map((options) => ('meta' in options ? options.meta : 'none'))).toEqual([{ a: 1 }, 'none']);
});

test('the outcome of an action is unknown only for an error of ours, whatever else was thrown', () => {
  const { pages } = setUp();
  for (const thrown of [Object.assign(new Error('x'), { kind: 'exit' }), undefined, null, 'x'])
    expect(pages.failure('shop', thrown)).not.toHaveProperty('unknownOutcome');
});

test('the span of an action is that of its first request that is no list and no stream, by the end of the method', async () => {
  const about = { server: 'shop', from: 0 };
  const methods = ['tools/list', 'subscriptions/listen', 'listeners/get', 'tools/call'];
  const { pages } = setUp(methods.map((method, at) => ({ id: at + 1, method, ...about })));
  expect((await pages.run({ server: 'shop' }, async () => 'done')).span).toBe(3);
});
