import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type FakeLine, type Handler, silence } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, opened } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { RpcError } from '../errors.ts';
import type { JsonObject, RpcRequest } from '../jsonrpc/message.ts';
import type { Change } from '../model/change.ts';
import { Deferred } from '../peer/wait.ts';
import type { OpenWatch, Watch } from './watch.ts';

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};
const ID = 'io.modelcontextprotocol/subscriptionId';

/** Grants the requested filter, and keeps the stream open. */
const listening: Handler = (params, line, { id }) => {
  line.notify('notifications/subscriptions/acknowledged', {
    notifications: params['notifications'],
    _meta: { [ID]: id },
  });
  return silence;
};
const lastListen = (line: FakeLine): RpcRequest =>
  line.heard.filter((m) => 'method' in m && m.method === 'subscriptions/listen').at(-1) as RpcRequest; // the test opened one

function collected(watch: Watch): { news: Change[]; end: Promise<unknown> } {
  const news: Change[] = [];
  const read = async (): Promise<unknown> => {
    for await (const one of watch) news.push(one);
    return 'end';
  };
  return { news, end: read().catch((error: unknown) => error) };
}

describe('watching on a stream of its own', () => {
  test('a watch sends its filter, and gets the changes of its own stream', async () => {
    verifies('SUBS-002', 'SUBS-007', 'SUBS-009', 'SUBS-010', 'STDIO-014');
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const tools = it.client.watch({ tools: true });
    const files = it.client.watch({ resources: ['file:///a'] });
    const [heardTools, heardFiles] = [collected(tools), collected(files)];
    expect(await tools.granted).toEqual({ toolsListChanged: true });
    expect(await files.granted).toEqual({ resourceSubscriptions: ['file:///a'] });
    const [first, second] = it.server.line.heard.filter(
      (m) => 'method' in m && m.method === 'subscriptions/listen',
    ) as RpcRequest[]; // both are requests
    expect(first?.params?.['notifications']).toEqual({ toolsListChanged: true });
    it.server.line.notify('notifications/tools/list_changed', { _meta: { [ID]: first?.id } });
    it.server.line.notify('notifications/resources/updated', { uri: 'file:///a/b', _meta: { [ID]: second?.id } });
    await settled();
    expect(heardTools.news).toEqual([{ kind: 'tools' }]);
    expect(heardFiles.news).toEqual([{ kind: 'resource', uri: 'file:///a/b' }]);
  });

  test('a watch has no timeout, and its end cancels the request on the server', async () => {
    verifies('SUBS-016');
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const stop = new AbortController();
    const { end } = collected(it.client.watch({ tools: true }, { signal: stop.signal }));
    await it.clock.advance(10_000_000);
    expect(it.server.methods).not.toContain('notifications/cancelled');
    stop.abort();
    expect(await end).toBe('end');
    await settled();
    expect(it.server.params('notifications/cancelled')).toEqual([
      expect.objectContaining({ requestId: lastListen(it.server.line).id }),
    ]);
  });

  test('a watch ends when reading stops', async () => {
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const watch = it.client.watch({ tools: true });
    await watch.granted;
    it.server.line.notify('notifications/tools/list_changed', { _meta: { [ID]: lastListen(it.server.line).id } });
    for await (const _ of watch) break;
    await settled();
    expect(it.server.params('notifications/cancelled')).toHaveLength(1);
  });

  test.each([
    [
      'a result',
      (line: FakeLine, id: unknown): void => line.say({ jsonrpc: '2.0', id, result: { _meta: { [ID]: id } } }),
    ],
    [
      'a cancellation',
      (line: FakeLine, requestId: unknown): void => line.notify('notifications/cancelled', { requestId }),
    ],
  ])('a watch resumes after the server ended the stream with %s, but not indefinitely', async (_name, finish) => {
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const { news, end } = collected(it.client.watch({ tools: true }));
    const ended: unknown[] = [];
    void end.then((how) => ended.push(how));
    const streams = (): number => it.server.params('subscriptions/listen').length;
    await settled();
    // Occasional restarts of the server.
    for (let restart = 1; restart <= 10; restart++) {
      await it.clock.advance(60_000);
      finish(it.server.line, lastListen(it.server.line).id);
      await settled();
      expect(streams()).toBe(restart);
      await it.clock.advance(2_000);
      expect(streams()).toBe(restart + 1);
      expect(news).toHaveLength(restart);
    }
    for (let round = 0; round < 10 && ended.length === 0; round++) {
      finish(it.server.line, lastListen(it.server.line).id);
      await it.clock.advance(29_000);
    }
    expect(ended).toEqual(['end']);
    expect(streams()).toBe(15);
  });

  test('a watch resumes after a restart of the server, and reports a change of everything', async () => {
    verifies('STDIO-023', 'SUBS-014', 'SUBS-015');
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const { news } = collected(it.client.watch({ tools: true, resources: ['a:b'] }));
    await settled();
    it.server.line.die();
    await it.clock.advance(30_000);
    expect(it.server.lines).toHaveLength(2);
    expect(it.server.params('subscriptions/listen')).toHaveLength(2);
    expect(news).toEqual([{ kind: 'tools' }, { kind: 'resource', uri: 'a:b' }]);
  });

  test.each([[5], [{ toolsListChanged: 'yes', resourceSubscriptions: 5 }], [{ resourceSubscriptions: [5, 'x:y'] }]])(
    'a watch is granted nothing by the malformed acknowledgement %j, and survives it after a restart',
    async (notifications) => {
      const odd: Handler = (_, line, { id }) => {
        line.notify('notifications/subscriptions/acknowledged', { notifications, _meta: { [ID]: id } });
        return silence;
      };
      await using it = await opened({ capabilities, on: { 'subscriptions/listen': odd } });
      const watch = it.client.watch({ tools: true, resources: ['a:b'] });
      const { news } = collected(watch);
      expect(Object.values(await watch.granted).flat()).toEqual([]);
      it.server.line.die();
      await it.clock.advance(30_000);
      expect(it.server.params('subscriptions/listen')).toHaveLength(2);
      expect(news).toEqual([]);
    },
  );

  test('a watch resumes on a new connection after the server was replaced by one of another revision', async () => {
    let replacements = 1;
    const replaced: Handler = (params, line, request) =>
      replacements-- > 0 ? new RpcError(-32022, 'Unsupported', { supported: [] }) : listening(params, line, request);
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': replaced } });
    const watch = it.client.watch({ tools: true });
    expect(await watch.granted).toEqual({ toolsListChanged: true });
    expect(it.server.lines).toHaveLength(2);
    await expect(it.server.lines[0]?.closed).resolves.toBeUndefined();
    replacements = Number.POSITIVE_INFINITY;
    await expect(it.client.watch({ tools: true }).granted).rejects.toMatchObject({ code: -32022 });
    expect(it.server.lines).toHaveLength(3);
  });

  test('a watch fails when the server rejects the subscription', async () => {
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': () => new RpcError(-32603, 'Full') } });
    const watch = it.client.watch({ tools: true });
    await expect(watch.granted).rejects.toThrow('Full');
    expect(await collected(watch).end).toMatchObject({ code: -32603 });
  });

  test('a watch ends when the client closes', async () => {
    const it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const { end } = collected(it.client.watch({ tools: true }));
    await settled();
    await it.client.close();
    expect(await end).toBe('end');
  });

  test('a change that happens often before it is read is delivered once', async () => {
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const watch = it.client.watch({ tools: true, prompts: true });
    await watch.granted;
    const { id } = lastListen(it.server.line);
    for (let i = 0; i < 50; i++) it.server.line.notify('notifications/tools/list_changed', { _meta: { [ID]: id } });
    it.server.line.notify('notifications/prompts/list_changed', { _meta: { [ID]: id } });
    const { news } = collected(watch);
    await settled();
    expect(news).toEqual([{ kind: 'tools' }, { kind: 'prompts' }]);
  });

  test('a reader that is a thousand changes of resources behind still gets the change of a list', async () => {
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const watch = it.client.watch({ tools: true, resources: ['a:b'] });
    await watch.granted;
    const _meta = { [ID]: lastListen(it.server.line).id };
    for (let n = 0; n < 1_500; n++)
      it.server.line.notify('notifications/resources/updated', { uri: `a:b/${n}`, _meta });
    it.server.line.notify('notifications/tools/list_changed', { _meta });
    const { news } = collected(watch);
    await settled();
    expect(news.filter(({ kind }) => kind === 'resource')).toHaveLength(1_000);
    expect(news.at(-1)).toEqual({ kind: 'tools' });
  });

  test('a change can be awaited alone, the watch stays open, and `await using` ends it', async () => {
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    {
      await using watch = it.client.watch({ tools: true, prompts: true });
      await watch.granted;
      const next = watch.nextChange();
      const { id } = lastListen(it.server.line);
      it.server.line.notify('notifications/tools/list_changed', { _meta: { [ID]: id } });
      it.server.line.notify('notifications/prompts/list_changed', { _meta: { [ID]: id } });
      expect(await next).toEqual({ kind: 'tools' });
      expect(await watch.nextChange()).toEqual({ kind: 'prompts' });
      expect(it.server.methods).not.toContain('notifications/cancelled');
    }
    await settled();
    expect(it.server.params('notifications/cancelled')).toHaveLength(1);
  });

  test('waiting for a change ends with undefined when the watch ends, and throws when it failed', async () => {
    await using it = await opened({ capabilities, on: { 'subscriptions/listen': listening } });
    const stop = new AbortController();
    const watch = it.client.watch({ tools: true }, { signal: stop.signal });
    await watch.granted;
    const next = watch.nextChange();
    stop.abort();
    expect(await next).toBeUndefined();
    await using full = await opened({
      capabilities,
      on: { 'subscriptions/listen': () => new RpcError(-32603, 'Full') },
    });
    await expect(full.client.watch({ tools: true }).nextChange()).rejects.toThrow('Full');
  });
});

describe('watching in a session', () => {
  const on = { 'resources/subscribe': (): object => ({}), 'resources/unsubscribe': (): object => ({}) } as Record<
    string,
    Handler
  >;
  const uris = (it: { server: { params(method: string): unknown[] } }, method: string): unknown[] =>
    it.server.params(`resources/${method}`);

  test('a watch in a session gets pushed list changes that match its filter', async () => {
    await using it = await opened({ revision: HANDSHAKE, capabilities, on });
    const watch = it.client.watch({ prompts: true });
    const { news } = collected(watch);
    expect(await watch.granted).toEqual({ promptsListChanged: true });
    for (const kind of ['tools', 'prompts', 'resources']) it.server.line.notify(`notifications/${kind}/list_changed`);
    await settled();
    expect(news).toEqual([{ kind: 'prompts' }]);
  });

  test('a watch subscribes to resources, and gets changes of their sub-resources', async () => {
    verifies('RES-12');
    await using it = await opened({ revision: HANDSHAKE, capabilities, on });
    const { news } = collected(it.client.watch({ resources: ['a:b'] }));
    await settled();
    expect(uris(it, 'subscribe')).toEqual([{ uri: 'a:b' }]);
    for (const uri of ['a:b', 'a:b/c', 'a:x']) it.server.line.notify('notifications/resources/updated', { uri });
    await settled();
    expect(news).toEqual([
      { kind: 'resource', uri: 'a:b' },
      { kind: 'resource', uri: 'a:b/c' },
    ]);
  });

  test('the last watch of a resource unsubscribes', async () => {
    await using it = await opened({ revision: HANDSHAKE, capabilities, on });
    const [first, second] = [new AbortController(), new AbortController()];
    it.client.watch({ resources: ['a:b'] }, { signal: first.signal });
    it.client.watch({ resources: ['a:b', 'c:d'] }, { signal: second.signal });
    await settled();
    expect(uris(it, 'subscribe')).toEqual([{ uri: 'a:b' }, { uri: 'c:d' }]);
    first.abort();
    await settled();
    expect(uris(it, 'unsubscribe')).toEqual([]);
    second.abort();
    await settled();
    expect(uris(it, 'unsubscribe')).toEqual([{ uri: 'a:b' }, { uri: 'c:d' }]);
  });

  test('a rejected subscription fails every watch of its resource, and the next watch asks again', async () => {
    let isRejected = true;
    const picky: Handler = () => (isRejected ? new RpcError(-32602, 'Not that one') : {});
    await using it = await opened({
      ...{ revision: HANDSHAKE, capabilities },
      on: { ...on, 'resources/subscribe': picky },
    });
    const watches = [1, 2].map(() => it.client.watch({ resources: ['a:b'] }));
    for (const { granted } of watches) await expect(granted).rejects.toThrow('Not that one');
    isRejected = false;
    expect(await it.client.watch({ resources: ['a:b'] }).granted).toEqual({ resourceSubscriptions: ['a:b'] });
    expect(uris(it, 'subscribe')).toHaveLength(2);
    expect(uris(it, 'unsubscribe')).toEqual([]);
  });

  test('a watch that fails unsubscribes from the resources that it had subscribed to', async () => {
    const picky: Handler = ({ uri }) => (uri === 'c:d' ? new RpcError(-32602, 'Not that one') : {});
    await using it = await opened({
      ...{ revision: HANDSHAKE, capabilities },
      on: { ...on, 'resources/subscribe': picky },
    });
    await expect(it.client.watch({ resources: ['a:b', 'c:d', 'e:f'] }).granted).rejects.toThrow('Not that one');
    await settled();
    expect(uris(it, 'subscribe')).toEqual([{ uri: 'a:b' }, { uri: 'c:d' }]);
    expect(uris(it, 'unsubscribe')).toEqual([{ uri: 'a:b' }]);
  });

  test('a watch that ends while it subscribes leaves the subscription to the other watches', async () => {
    const accepted = new Deferred<JsonObject>();
    const slow = (): Promise<JsonObject> => accepted.promise;
    await using it = await opened({
      ...{ revision: HANDSHAKE, capabilities },
      on: { ...on, 'resources/subscribe': slow },
    });
    const first = it.client.watch({ resources: ['a:b'] });
    const second = it.client.watch({ resources: ['a:b'] });
    await settled();
    await first[Symbol.asyncDispose]();
    await settled();
    expect(it.server.methods).not.toContain('notifications/cancelled');
    accepted.resolve({});
    expect(await second.granted).toEqual({ resourceSubscriptions: ['a:b'] });
    await second[Symbol.asyncDispose]();
    await settled();
    expect([uris(it, 'subscribe'), uris(it, 'unsubscribe')]).toEqual([[{ uri: 'a:b' }], [{ uri: 'a:b' }]]);
  });

  test('a watch subscribes again only after the end of the last subscription to its resource', async () => {
    const ended = new Deferred<JsonObject>();
    const slow = (): Promise<JsonObject> => ended.promise;
    await using it = await opened({
      ...{ revision: HANDSHAKE, capabilities },
      on: { ...on, 'resources/unsubscribe': slow },
    });
    const first = it.client.watch({ resources: ['a:b'] });
    await first.granted;
    await first[Symbol.asyncDispose]();
    const second = it.client.watch({ resources: ['a:b'] });
    await settled();
    expect([uris(it, 'subscribe'), uris(it, 'unsubscribe')]).toEqual([[{ uri: 'a:b' }], [{ uri: 'a:b' }]]);
    ended.resolve({});
    expect(await second.granted).toEqual({ resourceSubscriptions: ['a:b'] });
    await it.client.watch({ resources: ['a:b'] }).granted;
    expect(uris(it, 'subscribe')).toHaveLength(2);
  });

  test('a watch is granted only capabilities that the server declared', async () => {
    verifies('SUBS-007');
    await using it = await opened({
      revision: HANDSHAKE,
      capabilities: { tools: { listChanged: true }, resources: {} },
      on,
    });
    const watch = it.client.watch({ tools: true, prompts: true, resources: ['a:b'] });
    expect(await watch.granted).toEqual({ toolsListChanged: true });
    expect(uris(it, 'subscribe')).toEqual([]);
  });

  test('a watch in a session subscribes again after a restart of the server', async () => {
    await using it = await opened({ revision: HANDSHAKE, capabilities, on });
    const { news } = collected(it.client.watch({ resources: ['a:b'] }));
    await settled();
    it.server.line.die();
    await it.clock.advance(30_000);
    expect(uris(it, 'subscribe')).toEqual([{ uri: 'a:b' }, { uri: 'a:b' }]);
    expect(news).toEqual([{ kind: 'resource', uri: 'a:b' }]);
    it.server.line.notify('notifications/resources/updated', { uri: 'a:b' });
    await settled();
    expect(news).toHaveLength(2);
  });

  test('a server that responds and then exits is restarted with a backoff', async () => {
    const dying: Handler = (_params, line) => {
      queueMicrotask(() => setImmediate(() => line.die()));
      return {};
    };
    await using it = await opened({ revision: HANDSHAKE, capabilities, on: { ...on, 'resources/subscribe': dying } });
    const watch = it.client.watch({ resources: ['a:b'] });
    collected(watch);
    for (let n = 0; n < 50; n++) await settled();
    expect(it.server.lines.length).toBeLessThanOrEqual(3);
    await it.clock.advance(60_000);
    expect(it.server.lines.length).toBeGreaterThan(3);
    expect(it.server.lines.length).toBeLessThan(60);
    // At most one listener, for the current stream or backoff: earlier ones removed theirs.
    expect(getEventListeners((watch as OpenWatch).stopped, 'abort').length).toBeLessThanOrEqual(1);
  });
});
