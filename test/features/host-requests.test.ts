/** `_meta` and extension methods of requests in a session, in every revision. */
import { describe, expect, test } from 'vitest';
import { memoryAudit } from '../../src/host/audit/memory-audit.ts';
import type { ConsentQuestion } from '../../src/host/consent/consent.ts';
import { createHost } from '../../src/host/create-host.ts';
import type { HostOptions } from '../../src/host/host.ts';
import { rules } from '../../src/host/policy/rules.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { revisions } from '../../src/revisions/index.ts';
import { FakeServer } from '../support/fake-server.ts';

const trace = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'vendor=1',
};
const kept = { ttlMs: 0, cacheScope: 'private' };
const diary = 'Met the harbour master at nine in the morning. The code of the boat house is on the back of the door.';

const shop = (revision: string): FakeServer =>
  new FakeServer({
    revision,
    on: {
      'tools/list': () => ({ tools: [{ name: 'buy', inputSchema: { type: 'object' } }], ...kept }),
      'prompts/list': () => ({ prompts: [{ name: 'greet' }], ...kept }),
      'tools/call': () => ({ resultType: 'complete', content: [] }),
      'prompts/get': () => ({ resultType: 'complete', messages: [] }),
      'resources/read': () => ({ resultType: 'complete', contents: [{ uri: 'x://diary', text: diary }], ...kept }),
      'completion/complete': () => ({ resultType: 'complete', completion: { values: [] } }),
      'example.test/stock': ({ item }) => ({ resultType: 'complete', item, left: 3 }),
    },
  });

const open = (
  servers: Readonly<Record<string, FakeServer>>,
  options: Partial<HostOptions> = {},
): ReturnType<typeof createHost> =>
  createHost({
    servers: Object.fromEntries(Object.entries(servers).map(([label, { transport }]) => [label, transport])),
    policy: [rules.allow({})],
    health: false,
    onWarning: () => undefined,
    ...options,
  });

const metaOf = (server: FakeServer, method: string): unknown => server.params(method).at(-1)?.['_meta'];

describe.each(revisions.map(({ id }) => id))('with a server that speaks %s,', (revision) => {
  test('trace context goes along with every request of a session, and is on record', async () => {
    const [server, audit] = [shop(revision), memoryAudit()];
    await using host = open({ shop: server }, { audit });
    const session = host.session();
    await session.call('shop.buy', {}, { meta: trace });
    await session.read('shop', 'x://diary', { meta: trace });
    await session.prompt('shop.greet', {}, { meta: trace });
    const argument = { name: 'who', value: 'a' };
    await session.complete('shop', { type: 'ref/prompt', name: 'greet' }, { argument, meta: trace });
    await session.request('shop', 'example.test/stock', {}, { meta: trace });
    for (const method of ['tools/call', 'resources/read', 'prompts/get', 'completion/complete', 'example.test/stock'])
      expect(metaOf(server, method), method).toMatchObject(trace);
    const kinds = ['tool', 'resource', 'prompt', 'completion', 'extension'];
    const recorded = audit.records.filter(({ phase, act }) => phase === 'decided' && kinds.includes(act.kind));
    expect(recorded.map(({ act }) => act.meta)).toEqual(kinds.map(() => trace));
  });

  test('keys of the caller are shown to the user, and what is of the protocol is not taken', async () => {
    const server = shop(revision);
    const asked: ConsentQuestion[] = [];
    await using host = open(
      { shop: server },
      {
        policy: [rules.allow({ kind: 'connect' })],
        consent: (question) => {
          asked.push(question);
          return { allow: asked.length > 1 };
        },
      },
    );
    const session = host.session();
    const meta = { 'example.test/note': 'psst' };
    await expect(session.call('shop.buy', {}, { meta })).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(server.params('tools/call')).toEqual([]);
    await session.call('shop.buy', {}, { meta });
    expect(metaOf(server, 'tools/call')).toMatchObject(meta);
    expect(asked.map(({ act }) => act.meta)).toEqual([meta, meta]);
    const own = session.call('shop.buy', {}, { meta: { progressToken: 'x' } });
    await expect(own).rejects.toMatchObject({ code: 'MCP_BAD_DEFINITION' });
  });

  test('an approval for these arguments holds for another trace, and not for other keys', async () => {
    let asked = 0;
    await using host = open(
      { shop: shop(revision) },
      {
        policy: [rules.allow({ kind: 'connect' })],
        consent: () => {
          asked++;
          return { allow: true, remember: { for: 'these arguments', until: 'session' } };
        },
      },
    );
    const session = host.session();
    const { traceparent } = trace;
    const calls: (JsonObject | undefined)[] = [undefined, { traceparent }, { 'example.test/note': 'psst' }];
    const times: number[] = [];
    for (const meta of calls) {
      await session.call('shop.buy', {}, { meta });
      times.push(asked);
    }
    expect(times).toEqual([1, 1, 2]);
  });

  test('text of one server does not flow to another in _meta', async () => {
    const [notes, web] = [shop(revision), shop(revision)];
    const policy = [rules.noFlow('notes', 'web'), rules.allow({})];
    await using host = open({ notes, web }, { policy });
    const session = host.session();
    await session.read('notes', 'x://diary');
    const leak = session.call('web.buy', {}, { meta: { 'example.test/note': diary } });
    await expect(leak).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(web.params('tools/call')).toEqual([]);
  });

  test('a method of an extension is an act of its own kind, which rules decide on', async () => {
    const [server, audit] = [shop(revision), memoryAudit()];
    const policy = [
      rules.allow({ kind: 'connect' }),
      rules.deny({ kind: 'extension', arguments: { item: 'gold' } }),
      rules.allow({ kind: 'extension', server: 'shop', name: 'example.test/*' }),
    ];
    await using host = open({ shop: server }, { policy, audit });
    const session = host.session();
    expect(await session.request('shop', 'example.test/stock', { item: 'rope' })).toMatchObject({
      item: 'rope',
      left: 3,
    });
    const denied = [
      session.request('shop', 'example.test/stock', { item: 'gold' }),
      session.request('shop', 'other.test/stock', { item: 'rope' }),
    ];
    for (const one of denied) await expect(one).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(server.params('example.test/stock').map(({ item }) => item)).toEqual(['rope']);
    const decided = audit.records.filter(({ phase, act }) => phase === 'decided' && act.kind === 'extension');
    expect(decided.map(({ act, allowed }) => [act.name, act.arguments['item'], allowed])).toEqual([
      ['example.test/stock', 'rope', true],
      ['example.test/stock', 'gold', false],
      ['other.test/stock', 'rope', false],
    ]);
  });

  test.each(['tools/call', 'tools/list', 'initialize', 'notifications/cancelled'])(
    'a method of the protocol is no extension: %s',
    async (method) => {
      const server = shop(revision);
      await using host = open({ shop: server });
      const sending = host.session().request('shop', method, { name: 'buy', arguments: {} });
      await expect(sending).rejects.toMatchObject({ code: 'MCP_BAD_DEFINITION' });
      expect(server.lines).toEqual([]);
    },
  );
});
