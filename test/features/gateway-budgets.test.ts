/** A gateway does not wait for upstreams when it starts, nor for a store when it forwards a call. */
import { expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/index.ts';
import { createServer, type Server, tool } from '../../src/index.ts';
import type { Backend } from '../../src/stores/backend.ts';
import { memoryBackend } from '../../src/stores/memory-backend.ts';
import { sharedStores } from '../../src/stores/shared-stores.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { everyRevision } from '../support/raw.ts';

const STATELESS = '2026-07-28';

test('a gateway in front of 20 upstreams that never answer listens within 300 ms', async () => {
  const clock = virtualClock();
  const never = (): Promise<never> => new Promise(() => undefined);
  const upstreams = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`silent-${at}`, never]));
  const gateway = createGateway({ name: 'acme', version: '1', upstreams, clock, onWarning: () => undefined });
  const listening = serveHttp(gateway, { port: 0, clock });
  await clock.advance(300);
  // From here on, no time passes.
  const listener = await listening;
  expect((await fetch(listener.url, { method: 'DELETE' })).status).toBeGreaterThanOrEqual(400);
  await listener.close(0);
  const closing = gateway.close();
  await clock.advance(60_000);
  await closing;
});

const clockServer = (): Server =>
  createServer({ name: 'clock', version: '1', parts: [tool({ name: 'now', description: 'Now', run: () => '12:00' })] });

/** Wraps a store, and records its requests. */
function counted(backend: Backend): { readonly backend: Backend; readonly trips: string[] } {
  const trips: string[] = [];
  const noting = <T extends object>(part: T, name: string): T =>
    new Proxy(part, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          trips.push(`${name}.${String(key)}`);
          return Reflect.apply(member, target, args);
        };
      },
    });
  const { keyed, once, count, log } = backend;
  const parts = { keyed: noting(keyed, 'keyed'), once: noting(once, 'once'), count: noting(count, 'count') };
  return { backend: { ...backend, ...parts, log: noting(log, 'log') }, trips };
}

test.each(everyRevision.filter((revision) => revision !== '2024-11-05'))(
  'a call of a caller that speaks %s makes one request to the store in a session, and none without',
  async (revision) => {
    const clock = virtualClock();
    const { backend, trips } = counted(memoryBackend({ clock }));
    const { sessions, eventLog } = sharedStores(backend);
    const gateway = createGateway({
      ...{ name: 'acme', version: '1', clock, onWarning: () => undefined },
      upstreams: { clock: clockServer() },
      stateKeys: [new Uint8Array(32).fill(2)],
      peer: { listen: { port: 0 }, keys: [new Uint8Array(32).fill(1)], store: backend },
    });
    const listener = await serveHttp(gateway, { port: 0, clock, sessions, eventLog, peers: gateway.peers });
    const headers: Record<string, string> = { accept: 'application/json, text/event-stream' };
    const post = async (body: object): Promise<Response> => {
      const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
      const response = await fetch(listener.url, { ...init, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
      expect(response.ok).toBe(true);
      return response;
    };
    const clientInfo = { name: 'raw', version: '1' };
    const isStateless = revision === STATELESS;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': clientInfo,
    };
    if (!isStateless) {
      const params = { protocolVersion: revision, capabilities: {}, clientInfo };
      const opened = await post({ id: 1, method: 'initialize', params });
      headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
    }
    headers['mcp-protocol-version'] = revision;
    if (!isStateless) await post({ method: 'notifications/initialized' });
    else Object.assign(headers, { 'mcp-method': 'tools/call', 'mcp-name': 'clock__now' });
    for (let id = 2; id < 5; id++) {
      trips.length = 0;
      const params = { name: 'clock__now', arguments: {}, ...(isStateless ? { _meta } : {}) };
      expect(await (await post({ id, method: 'tools/call', params })).text()).toContain('12:00');
      expect(trips).toEqual(isStateless ? [] : ['keyed.get']);
    }
    await listener.close(0);
    await gateway.close();
  },
);
