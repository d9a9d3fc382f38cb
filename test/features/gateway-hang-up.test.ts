/** Callers of a gateway that disconnect: without a session the call is cancelled upstream at once, in a session it continues. */
import { createServer as createHttpServer, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { createGateway, type Gateway, type GatewaySpec } from '../../src/gateway/index.ts';
import { createServer, type Server, tool } from '../../src/index.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { nodeHandler, serveHttp } from '../../src/transport/node.ts';
import { FakeServer, type Handler, silence } from '../support/fake-server.ts';
import { everyRevision } from '../support/raw.ts';
import { soon } from '../support/soon.ts';

const STATELESS = '2026-07-28';
/** Revisions whose sessions outlive a connection. */
const inSessions = ['2025-03-26', '2025-06-18', '2025-11-25'];

const gatewayOf = (upstreams: GatewaySpec['upstreams'], more: Partial<GatewaySpec> = {}): Gateway =>
  createGateway({ name: 'acme', version: '1', upstreams, onWarning: () => undefined, ...more });

const accept = 'application/json, text/event-stream';
const callOf = (revision: string): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'dock__hold',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    },
  },
});

test.each(everyRevision)(
  'a caller without a session that hangs up cancels the call of an upstream that speaks %s before the event of the hang-up is over',
  async (upstream) => {
    // No time passes, so nothing can be caused by a timer.
    const time = virtualClock();
    const tools = [{ name: 'hold', inputSchema: { type: 'object' } }];
    const listed = { tools, ttlMs: 0, cacheScope: 'private', resultType: 'complete' };
    const on: Record<string, Handler> = { 'tools/list': () => listed, 'tools/call': () => silence };
    const dock = new FakeServer({ revision: upstream, on });
    await using gateway = gatewayOf({ dock: dock.transport }, { clock: time });
    const handler = nodeHandler(gateway, { clock: time });
    const responses: ServerResponse[] = [];
    const http = createHttpServer((request, response) => {
      responses.push(response);
      handler(request, response);
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo; // it listens on a port
    const headers = {
      ...{ accept, 'content-type': 'application/json', 'mcp-protocol-version': STATELESS },
      ...{ 'mcp-method': 'tools/call', 'mcp-name': 'dock__hold' },
    };
    const call = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers });
    call.on('error', () => undefined);
    call.end(JSON.stringify(callOf(STATELESS)));
    await soon(() => expect(dock.methods).toContain('tools/call'));
    expect(dock.methods).not.toContain('notifications/cancelled');
    // The gateway's listener runs first, so what it sends in the same turn has arrived when this one runs.
    const atHangUp = new Promise<string[]>((resolve) => {
      responses.at(-1)?.once('close', () => resolve(dock.methods));
    });
    call.destroy();
    expect(await atHangUp).toContain('notifications/cancelled');
    expect(dock.params('notifications/cancelled')).toHaveLength(1);
    await handler.close(0);
    http.closeAllConnections();
    http.close();
  },
);

test('a caller without a session that hangs up cancels the call of a server behind HTTP', async () => {
  const { server, aborted } = holding();
  const behind = await serveHttp(server, { port: 0 });
  const gateway = gatewayOf({ dock: { url: behind.url } });
  const front = await serveHttp(gateway, { port: 0 });
  try {
    const client = await connect(front.url);
    const abort = new AbortController();
    const call = client.call('dock__hold', {}, { signal: abort.signal, onProgress: () => abort.abort() });
    await expect(call).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    await soon(() => expect(aborted).toEqual(['hold']));
    await client.close();
  } finally {
    await gateway.close();
    await front.close();
    await behind.close();
  }
});

test.each(inSessions)(
  'a caller in a session of %s that loses its connection cancels nothing upstream',
  async (revision) => {
    const { server, aborted, release } = holding();
    const behind = await serveHttp(server, { port: 0 });
    const gateway = gatewayOf({ dock: { url: behind.url } });
    const front = await serveHttp(gateway, { port: 0 });
    const accept = 'application/json, text/event-stream';
    const headers: Record<string, string> = { 'content-type': 'application/json', accept };
    const post = (body: object, signal?: AbortSignal): Promise<Response> =>
      fetch(front.url, {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
        signal: signal ?? null,
      });
    try {
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
      const opened = await post({ id: 1, method: 'initialize', params });
      headers['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
      headers['mcp-protocol-version'] = revision;
      await post({ method: 'notifications/initialized' });
      const abort = new AbortController();
      const _meta = { progressToken: 1 };
      const call = await post(
        { id: 2, method: 'tools/call', params: { name: 'dock__hold', arguments: {}, _meta } },
        abort.signal,
      );
      await call.body?.getReader().read();
      abort.abort();
      // The session still answers requests after the first connection was lost.
      const listed = await post({ id: 3, method: 'tools/list' });
      expect(await listed.text()).toContain('dock__hold');
      expect(aborted).toEqual([]);
      release();
      await soon(() => expect(gateway.upstreams.get('dock')?.calls.open).toBe(0));
      expect(aborted).toEqual([]);
    } finally {
      await gateway.close();
      await front.close();
      await behind.close();
    }
  },
);

/** A server with a tool that waits until it is released, and records cancellations. */
function holding(): { readonly server: Server; readonly aborted: readonly string[]; release(): void } {
  const aborted: string[] = [];
  const releases: (() => void)[] = [];
  const hold = tool({
    name: 'hold',
    description: 'Waits',
    run: (_, ctx) =>
      new Promise<string>((resolve, reject) => {
        releases.push(() => resolve('released'));
        ctx.signal.addEventListener('abort', () => {
          aborted.push('hold');
          reject(new Error('cancelled'));
        });
        ctx.progress(1);
      }),
  });
  const server = createServer({ name: 'dock', version: '1', parts: [hold], onError: () => undefined });
  return {
    server,
    aborted,
    release: () => {
      for (const one of releases) one();
    },
  };
}
