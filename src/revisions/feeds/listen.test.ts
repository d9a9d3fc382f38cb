/** Streams of change notifications: acknowledged first, filtered, tagged, several at once, ended with a result. */
import { expect, test } from 'vitest';
import { open, type Raw, type Started } from '../../../test/support/raw.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { ACKNOWLEDGED, LISTEN, SERVER_INFO, SUBSCRIPTION_ID } from '../../model/names.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { Part } from '../../server/part.ts';
import { prompt } from '../../server/prompt.ts';
import { resource } from '../../server/resource.ts';
import { createServer } from '../../server/server.ts';
import type { Server } from '../../server/server-interface.ts';
import { tool } from '../../server/tool.ts';

const t = (name: string): Part => tool({ name, run: () => 'x' });
const p = (name: string): Part => prompt({ name, render: () => 'x' });
const r = (uri: string): Part => resource({ uri, read: () => 'x' });
const serverOf = (parts: readonly Part[] = [t('t'), p('p'), r('a:b')], maxListeners = 1_024): Server =>
  createServer({ name: 'dock', version: '1', maxListeners, parts });
const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['a:b', 'a:c'],
};
const listen = async (raw: Raw, notifications: JsonObject, id: string | number = 'l'): Promise<Started> => {
  const started = raw.start(LISTEN, { notifications }, { id });
  await nextTurn();
  return started;
};
const tagged = (id: string | number): JsonObject => ({ [SUBSCRIPTION_ID]: id });
const methods = (stream: Started): string[] => stream.heard.map(({ method }) => method.replace('notifications/', ''));

/** Makes every kind of change on the server. */
async function happen(server: Server): Promise<void> {
  server.add(t('t2'));
  server.add(p('p2'));
  server.add(r('a:d'));
  for (const uri of ['a:b', 'a:c', 'a:d']) server.updated(uri);
  await nextTurn();
}

test('the first message of a stream acknowledges the granted filter', async () => {
  verifies('SUBS-003', 'SUBS-004', 'SUBS-006', 'SUBS-008');
  const server = serverOf();
  const raw = await open(server);
  const started = raw.start(LISTEN, { notifications: everything }, { id: 'l' });
  await happen(server);
  expect(started.heard[0]).toEqual({
    jsonrpc: '2.0',
    method: ACKNOWLEDGED,
    params: { notifications: everything, _meta: tagged('l') },
  });
  expect(methods(started)).toEqual([
    'subscriptions/acknowledged',
    'tools/list_changed',
    'prompts/list_changed',
    'resources/list_changed',
    'resources/updated',
    'resources/updated',
  ]);
  for (const { params } of started.heard) expect(params?.['_meta']).toEqual(tagged('l'));
});

test('only changes that the server declares are acknowledged and sent', async () => {
  verifies('SUBS-006', 'RES-8', 'PROMPT-6', 'TOOL-8');
  const raw = await open(serverOf([t('t')]));
  expect((await listen(raw, everything)).heard).toMatchObject([
    { params: { notifications: { toolsListChanged: true } } },
  ]);
  const none = await listen(await open(serverOf([])), everything);
  expect(none.heard[0]?.params).toEqual({ notifications: {}, _meta: tagged('l') });
});

test('changes that were not acknowledged are never sent', async () => {
  verifies('SUBS-001', 'SUBS-006');
  const server = serverOf([t('t')]);
  const stream = await listen(await open(server), everything);
  await happen(server);
  expect(methods(stream)).toEqual(['subscriptions/acknowledged', 'tools/list_changed']);
});

test.each<[JsonObject, string[]]>([
  [{}, []],
  [{ toolsListChanged: false }, []],
  [{ toolsListChanged: true }, ['tools/list_changed']],
  [{ promptsListChanged: true }, ['prompts/list_changed']],
  [{ resourcesListChanged: true }, ['resources/list_changed']],
  [{ resourceSubscriptions: ['a:c'] }, ['resources/updated']],
  [{ resourceSubscriptions: [] }, []],
])('a stream with the filter %j gets %j', async (filter, told) => {
  verifies('SUBS-001', 'RES-13', 'RES-8', 'PROMPT-6', 'TOOL-8');
  const server = serverOf();
  const stream = await listen(await open(server), filter);
  await happen(server);
  expect(methods(stream).slice(1)).toEqual(told);
  if (told[0] === 'resources/updated') expect(stream.heard[1]?.params).toEqual({ uri: 'a:c', _meta: tagged('l') });
});

test('without a stream, no notification is sent', async () => {
  verifies('TOOL-8', 'RES-8', 'RES-13', 'PROMPT-6');
  const server = serverOf();
  const raw = await open(server);
  await raw.result('tools/list');
  await happen(server);
  expect([...raw.heard, ...raw.pushed]).toEqual([]);
});

test.each([0, '', '1', 1, -7, 'ünï'])(
  'the subscription id is the request id %j, with the same JSON type',
  async (id) => {
    verifies('SUBS-008', 'SUBS-013', 'RES-14');
    const server = serverOf();
    const stream = await listen(await open(server), everything, id);
    server.updated('a:b');
    await nextTurn();
    server.close();
    const response = await stream.response;
    for (const { params } of stream.heard) expect(params?.['_meta']).toStrictEqual(tagged(id));
    expect(response).toMatchObject({ id, result: { _meta: tagged(id) } });
  },
);

test('each of several open streams gets its own copy of a notification', async () => {
  verifies('SUBS-005', 'SUBS-010', 'SUBS-008');
  const server = serverOf();
  const raw = await open(server);
  const one = await listen(raw, { toolsListChanged: true }, 1);
  const text = await listen(raw, { toolsListChanged: true, promptsListChanged: true }, '1');
  const other = await listen(await open(server), { toolsListChanged: true }, 1);
  server.add(t('t2'));
  await nextTurn();
  for (const [stream, id] of [
    [one, 1],
    [text, '1'],
    [other, 1],
  ] as const) {
    expect(stream.heard.slice(1)).toStrictEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: tagged(id) } },
    ]);
  }
  one.abort('enough');
  server.add(t('t3'));
  await nextTurn();
  expect([one, text, other].map((stream) => stream.heard.length)).toEqual([2, 3, 3]);
});

test('changes in one event-loop turn become one notification', async () => {
  const server = serverOf();
  const stream = await listen(await open(server), everything);
  for (let i = 0; i < 50; i++) {
    server.add(t(`t${i}`));
    server.updated('a:b');
  }
  server.remove('t7');
  await nextTurn();
  expect(methods(stream).slice(1)).toEqual(['tools/list_changed', 'resources/updated']);
});

test('a stream ends with a result when the server closes, and when its conversation does', async () => {
  verifies('SUBS-012', 'SUBS-013', 'BASE-023');
  const server = serverOf();
  const [first, second] = [await open(server), await open(server)];
  const streams = [await listen(first, everything, 1), await listen(second, everything, 2)] as const;
  first.close();
  const last = (id: number): JsonObject => ({
    jsonrpc: '2.0',
    id,
    result: { resultType: 'complete', _meta: { ...tagged(id), [SERVER_INFO]: { name: 'dock', version: '1' } } },
  });
  expect(await streams[0].response).toEqual(last(1));
  server.updated('a:b');
  await nextTurn();
  expect(streams.map((stream) => stream.heard.length)).toEqual([1, 2]);
  server.close();
  expect(await streams[1].response).toEqual(last(2));
  server.updated('a:b');
  await nextTurn();
  expect(streams.map((stream) => stream.heard.length)).toEqual([1, 2]);
});

test('a stream that the client cancelled gets no more notifications, and frees its place', async () => {
  const server = serverOf([t('t')], 2);
  const raw = await open(server);
  const stream = await listen(raw, everything, 1);
  await listen(raw, everything, 2);
  expect(await raw.error(LISTEN, { notifications: {} })).toEqual({
    code: -32603,
    message: 'Too many subscriptions: 2 are open (maxListeners)',
  });
  stream.abort('enough');
  await stream.response;
  const third = await listen(raw, everything, 3);
  server.add(t('t2'));
  await nextTurn();
  expect([stream, third].map((one) => one.heard.length)).toEqual([1, 2]);
});

test('a client that cancels before the stream opens is not retained', async () => {
  const server = serverOf([t('t')], 1);
  const raw = await open(server);
  const gone = raw.start(LISTEN, { notifications: everything }, { id: 1 });
  gone.abort('at once');
  await gone.response;
  expect((await listen(raw, everything, 2)).heard).toHaveLength(1);
});

test('sessions do not count towards the limit of streams', async () => {
  const server = serverOf([t('t')], 1);
  for (let i = 0; i < 3; i++) await open(server, { revision: '2025-11-25' });
  expect((await listen(await open(server), everything)).heard).toHaveLength(1);
});

test.each<[string, JsonObject]>([
  ['nothing', {}],
  ['a filter that is a list', { notifications: [] }],
  ['a switch that is a word', { notifications: { toolsListChanged: 'yes' } }],
  ['addresses that are one', { notifications: { resourceSubscriptions: 'a:b' } }],
  ['addresses that are none', { notifications: { resourceSubscriptions: [7] } }],
])('%s opens no stream', async (_what, params) => {
  const raw = await open(serverOf());
  expect((await raw.error(LISTEN, params)).code).toBe(-32602);
  expect(raw.heard).toEqual([]);
});

test('progress and log messages of a request are never sent on a stream', async () => {
  verifies('SUBS-011', 'LOG-9', 'PROGRESS-013');
  const noisy = tool({
    name: 'noisy',
    run: (_input, ctx) => {
      ctx.progress(1);
      return String(ctx.log('info', 'x'));
    },
  });
  const raw = await open(createServer({ name: 'dock', version: '1', onWarning: () => undefined, parts: [noisy] }));
  const stream = await listen(raw, everything);
  const meta = { progressToken: 'l', 'io.modelcontextprotocol/logLevel': 'debug' };
  const call = raw.start('tools/call', { name: 'noisy' }, { meta });
  await call.response;
  expect(call.heard).toHaveLength(2);
  expect(stream.heard).toHaveLength(1);
});

test('a stream rejects more resource subscriptions than the limit', async () => {
  const raw = await open(serverOf());
  const uris = (length: number): JsonObject => ({ resourceSubscriptions: Array.from({ length }, (_, n) => `a:${n}`) });
  expect(await raw.error(LISTEN, { notifications: uris(1_025) })).toEqual({
    code: -32602,
    message: 'A subscription watches at most 1024 resources',
  });
  expect((await listen(raw, uris(1_024))).heard).toHaveLength(1);
});
