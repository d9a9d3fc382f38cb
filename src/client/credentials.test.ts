/** How a client reacts when the credentials of its connection change. */
import { describe, expect, test } from 'vitest';
import { FakeServer, type Handler, silence } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, STATELESS } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Change } from '../model/change.ts';
import type { Transport } from '../peer/exchange.ts';
import { type VirtualClock, virtualClock } from '../testing/virtual-clock.ts';
import type { Client } from './client.ts';
import { openClient } from './open-client.ts';

interface Held extends AsyncDisposable {
  readonly client: Client;
  readonly server: FakeServer;
  readonly clock: VirtualClock;
  /** The transport's record of credentials; a test changes it, so that the next request uses others. */
  readonly credentials: { last: number; now(): Promise<number> };
  readonly warnings: string[];
}

async function held(on: Readonly<Record<string, Handler>>, revision = STATELESS): Promise<Held> {
  const server = new FakeServer({ revision, on });
  const credentials = { last: 1, now: async (): Promise<number> => credentials.last };
  const transport: Transport = async (inbound, session) =>
    Object.assign(await server.transport(inbound, session), { credentials });
  const clock = virtualClock();
  const warnings: string[] = [];
  const onWarning = (warning: string): void => void warnings.push(warning);
  const client = await openClient(transport, { revisions: [revision], clock, onWarning });
  return { client, server, clock, credentials, warnings, [Symbol.asyncDispose]: () => client.close() };
}

const said = (instructions: string): JsonObject => ({
  supportedVersions: [STATELESS],
  capabilities: { tools: {}, resources: {} },
  instructions,
  ttlMs: 3_600_000,
  cacheScope: 'private',
});
const called = (): JsonObject => ({ content: [{ type: 'text', text: 'x' }] });

describe('when the credentials of a client change', () => {
  test('the server introduces itself again, and its former instructions are gone at once', async () => {
    verifies('CACHE-13');
    let answered = 0;
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const discover: Handler = async () => {
      if (++answered > 1) await asked;
      return said(`for caller ${answered}`);
    };
    await using it = await held({ 'server/discover': discover, 'tools/call': called });
    await it.client.call('t');
    expect(it.client.server.instructions).toBe('for caller 1');
    it.credentials.last = 2;
    await it.client.call('t');
    expect(it.client.server).toMatchObject({ instructions: undefined, capabilities: { tools: {} } });
    answer();
    await settled();
    expect(it.client.server.instructions).toBe('for caller 2');
    expect(it.warnings).toEqual([]);
  });

  test('a server that cannot introduce itself again is still used, with a warning', async () => {
    let answered = 0;
    const discover: Handler = () => (++answered > 1 ? silence : said('for the first'));
    await using it = await held({ 'server/discover': discover, 'tools/call': called });
    it.credentials.last = 2;
    await it.client.call('t');
    await it.clock.advance(60_000);
    expect(it.client.server.instructions).toBeUndefined();
    expect((await it.client.call('t')).text).toBe('x');
    expect(it.warnings).toEqual([expect.stringContaining('server/discover')]);
  });

  test('what is remembered of a server on a new connection is requested again too', async () => {
    verifies('CACHE-13');
    let answered = 0;
    await using it = await held({ 'server/discover': () => said(`for caller ${++answered}`), 'tools/call': called });
    await it.client.call('t');
    it.server.line.die();
    await settled();
    it.credentials.last = 2;
    await it.client.call('t');
    await settled();
    expect(it.client.server.instructions).toBe('for caller 2');
  });

  test('results are checked against the output schema that the new caller is shown', async () => {
    verifies('CACHE-13');
    let type = 'string';
    const list: Handler = () => ({
      tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema: { properties: { a: { type } } } }],
      ttlMs: 0,
      cacheScope: 'private',
    });
    const call: Handler = () => ({ content: [], structuredContent: { a: type === 'string' ? 'text' : 7 } });
    await using it = await held({ 'tools/list': list, 'tools/call': call });
    expect((await it.client.call('t')).data).toEqual({ a: 'text' });
    it.credentials.last = 2;
    type = 'number';
    expect((await it.client.call('t')).data).toEqual({ a: 7 });
  });

  test('a stream of changes is opened again, and everything counts as changed', async () => {
    verifies('CACHE-13');
    const listen: Handler = (params, line, { id }) => {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
      line.notify('notifications/subscriptions/acknowledged', { ...params, _meta });
      return silence;
    };
    await using it = await held({ 'subscriptions/listen': listen, 'tools/call': called });
    const news: Change[] = [];
    const watch = it.client.watch({ tools: true });
    void (async () => {
      for await (const one of watch) news.push(one);
    })();
    await watch.granted;
    it.credentials.last = 2;
    await it.client.call('t');
    await settled();
    expect(news).toEqual([{ kind: 'tools' }]);
    await it.clock.advance(30_000);
    expect(it.server.params('subscriptions/listen')).toHaveLength(2);
    expect(it.server.methods).toContain('notifications/cancelled');
  });

  test('in a session, everything counts as changed, and the server is not asked who it is', async () => {
    const subscribe = (): JsonObject => ({});
    await using it = await held({ 'tools/call': called, 'resources/subscribe': subscribe }, HANDSHAKE);
    const news: Change[] = [];
    const watch = it.client.watch({ tools: true });
    void (async () => {
      for await (const one of watch) news.push(one);
    })();
    await it.client.call('t');
    it.credentials.last = 2;
    await it.client.call('t');
    await settled();
    expect(news).toEqual([{ kind: 'tools' }]);
    expect(it.server.methods.filter((method) => method === 'initialize')).toHaveLength(1);
  });

  test('with credentials of its own for every request, only the first change makes the client ask again', async () => {
    const other = (answer: JsonObject): JsonObject => {
      it.credentials.last++;
      return answer;
    };
    let discovered = 0;
    const discover: Handler = () => (++discovered === 1 ? said('first') : other(said('again')));
    const it = await held({ 'server/discover': discover, 'tools/call': () => other(called()) });
    for (let i = 0; i < 5; i++) {
      await it.client.call('t');
      await settled();
    }
    expect(discovered).toBe(2);
    await it.client.close();
  });
});
