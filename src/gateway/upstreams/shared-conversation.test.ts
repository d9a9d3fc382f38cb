/** A conversation with an upstream that several callers share. */
import { expect, test } from 'vitest';
import { FakeServer, silence } from '../../../test/support/fake-server.ts';
import { open, STATELESS } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { connect } from '../../connect/index.ts';
import { createServer, tool } from '../../index.ts';
import { LOG_LEVEL } from '../../model/names.ts';
import { memoryTransport } from '../../transport/memory.ts';
import { createGateway } from '../index.ts';

const HANDSHAKE = '2025-11-25';

const ofAll = { keyFor: () => 'team', authFor: () => undefined };

test.each([
  [HANDSHAKE, 'without credentials', {}],
  ['2026-07-28', 'without credentials', {}],
  [HANDSHAKE, 'with credentials of their own', { auth: ofAll }],
  ['2026-07-28', 'with credentials of their own', { auth: ofAll }],
])(
  'callers in %s that share a conversation with a handshake, %s, can call, and the upstream can ask none of them',
  async (revision, _which, credentials) => {
    const ask = tool({
      name: 'ask',
      run: (_input, ctx) => ctx.confirm('sure', 'Sure?').then(String, (error: Error) => error.message),
    });
    const server = createServer({ name: 'old', version: '1', parts: [ask], revisions: [HANDSHAKE] });
    const old = { transport: memoryTransport(server), isolate: 'shared', ...credentials } as const;
    await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { old } });
    let asked = 0;
    const elicit = (): { action: 'accept'; content: { confirm: true } } => {
      asked++;
      return { action: 'accept', content: { confirm: true } };
    };
    await using client = await connect(gateway, { revisions: [revision], elicit });
    expect((await client.call('old__ask')).text).toContain('does not support elicitation/create');
    expect(asked).toBe(0);
  },
);

test('the log level that a call wanted holds after the connection was lost', async () => {
  const upstream = new FakeServer({
    revision: HANDSHAKE,
    on: {
      'tools/list': () => ({ tools: [{ name: 'find', inputSchema: { type: 'object' } }] }),
      'tools/call': () => ({ content: [] }),
      'logging/setLevel': () => ({}),
    },
  });
  await using gateway = createGateway({
    name: 'acme',
    version: '1',
    upstreams: { old: { transport: upstream.transport, isolate: 'shared' } },
    onWarning: () => undefined,
  });
  const raw = await open(gateway);
  const call = () => raw.result('tools/call', { name: 'old__find' }, { meta: { [LOG_LEVEL]: 'debug' } });
  await call();
  await call();
  expect(upstream.params('logging/setLevel')).toEqual([{ level: 'debug' }]);
  upstream.line.die();
  await call();
  expect(upstream.lines).toHaveLength(2);
  expect(upstream.params('logging/setLevel')).toEqual([{ level: 'debug' }, { level: 'debug' }]);
});

test.each([HANDSHAKE, STATELESS])(
  'a log message of a call to an upstream in %s reaches its caller while a list is fetched',
  async (revision) => {
    let fetched = 0;
    const upstream = new FakeServer({
      revision,
      capabilities: { tools: { listChanged: revision === HANDSHAKE }, logging: {} },
      on: {
        'tools/list': () =>
          ++fetched > 1 ? silence : { ttlMs: 0, tools: [{ name: 'find', inputSchema: { type: 'object' } }] },
        'tools/call': (_params, line) => {
          line.notify('notifications/message', { level: 'error', data: 'Something is wrong' });
          return { resultType: 'complete', content: [] };
        },
        'logging/setLevel': () => ({}),
      },
    });
    await using gateway = createGateway({
      name: 'acme',
      version: '1',
      upstreams: { old: { transport: upstream.transport, isolate: 'shared', timeouts: { listMs: 1 } } },
      onWarning: () => undefined,
    });
    const raw = await open(gateway);
    await raw.result('tools/list');
    if (revision === HANDSHAKE) upstream.line.notify('notifications/tools/list_changed');
    else await raw.result('tools/list');
    await soon(() => expect(fetched).toBe(2));
    await raw.result('tools/call', { name: 'old__find' }, { meta: { [LOG_LEVEL]: 'debug' } });
    expect(raw.heard).toMatchObject([{ method: 'notifications/message', params: { data: 'Something is wrong' } }]);
  },
);
