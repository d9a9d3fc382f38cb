/** The start of conversations between peers of different age: probes, fallback to a handshake, and rejections. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { verifies } from '../support/verifies.ts';
import { program } from './bundle-servers.ts';
import { ours } from './clients/peer-client.ts';
import { sdk1 } from './clients/sdk-1.ts';
import { sdk2 } from './clients/sdk-2.ts';
import { meeting } from './met.ts';
import { peerServer } from './peer-server.ts';
import { soon } from './soon.ts';
import { versionOf } from './version-of.ts';

const STATELESS = '2026-07-28';
const how = 'odd openings';
const old = { peer: `@modelcontextprotocol/sdk ${versionOf('@modelcontextprotocol/sdk')}`, how };
const newServer = { peer: `@modelcontextprotocol/server ${versionOf('@modelcontextprotocol/server')}`, how };
const newClient = { peer: `@modelcontextprotocol/client ${versionOf('@modelcontextprotocol/client')}`, how };

describe('our client', () => {
  const check = meeting({ ...old, role: 'server', revision: '2025-11-25' });

  check('error at the probe', 'shakes hands with a server that answers the probe with an error', async () => {
    verifies('STDIO-025', 'STDIO-026', 'DISC-6');
    const server = peerServer(program('servers/sdk-1'));
    await using client = await connect(server.target);
    expect(client.server.revision).toBe('2025-11-25');
    expect((await client.call('add', { a: 1, b: 1 })).data).toEqual({ sum: 2 });
    await soon(() => expect(server.pids).toHaveLength(1));
  });

  check('silence at the probe', 'shakes hands with a server that says nothing to the probe', async () => {
    verifies('STDIO-025', 'STDIO-026');
    const server = peerServer(program('servers/sdk-1'), 'ignores-early');
    await using client = await connect(server.target, { probeTimeoutMs: 1000 });
    expect(client.server.revision).toBe('2025-11-25');
    expect((await client.call('add', { a: 1, b: 1 })).data).toEqual({ sum: 2 });
    await soon(() => expect(server.pids).toHaveLength(1));
  });

  check('exit at the probe', 'starts a server again that did not survive the probe, and shakes hands', async () => {
    verifies('STDIO-025');
    const server = peerServer(program('servers/sdk-1'), 'exits-early');
    await using client = await connect(server.target);
    expect(client.server.revision).toBe('2025-11-25');
    expect((await client.call('add', { a: 1, b: 1 })).data).toEqual({ sum: 2 });
    await soon(() => expect(server.pids).toHaveLength(2));
    expect(server.running()).toEqual(server.pids.slice(1));
  });

  check('too old a server', 'says what to do about a server that only knows handshakes', async () => {
    verifies('LIFE-056', 'STDIO-027');
    const server = peerServer(program('servers/sdk-1'));
    const connecting = connect(server.target, { revisions: [STATELESS] });
    await expect(connecting).rejects.toMatchObject({ code: 'MCP_NO_COMMON_REVISION' });
    await expect(connecting).rejects.toThrow(/handshake .*Allow an older revision/);
    await soon(() => expect(server.running()).toEqual([]));
  });

  const checkNewer = meeting({ ...newServer, role: 'server', revision: STATELESS });

  checkNewer('too new a server', 'is told by a server without a handshake what that server speaks', async () => {
    const server = peerServer(program('servers/sdk-2'), 'stateless');
    const connecting = connect(server.target, { revisions: ['2025-11-25'] });
    await expect(connecting).rejects.toThrow(/the client supports 2025-11-25, the server 2026-07-28/);
    await soon(() => expect(server.running()).toEqual([]));
  });
});

describe('our server', () => {
  const check = meeting({ ...old, role: 'client', revision: '2025-11-25' });

  check('too old a client', 'names the revisions it speaks to a client whose handshake fails', async () => {
    verifies('LIFE-055');
    await expect(sdk1({ offered: [STATELESS] })).rejects.toMatchObject({
      code: -32022,
      data: { supported: [STATELESS], requested: '2025-11-25' },
    });
  });

  const checkNewer = meeting({ ...newClient, role: 'client', revision: STATELESS });

  checkNewer('too new a client', 'is refused by a client that insists on a revision it does not speak', async () => {
    await expect(sdk2({ mode: { pin: STATELESS }, offered: ['2025-11-25'] })).rejects.toMatchObject({
      code: -32022,
      data: { supported: ['2025-11-25'], requested: STATELESS },
    });
  });

  const checkHand = meeting({ peer: 'a client written by hand', how, role: 'client', revision: '2025-03-26' });

  checkHand('hasty client', 'answers requests that come before the handshake is over, and keeps its news', async () => {
    verifies('LIFE-007', 'LIFE-010');
    const { command, args } = ours();
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => JSON.parse((await lines.next()).value ?? '');
    const say = (message: object): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    };
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'hand', version: '0' } };

    say({ id: 0, method: 'ping' });
    expect(await next()).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
    say({ id: 1, method: 'initialize', params });
    say({ id: 2, method: 'tools/list' });
    say({ id: 3, method: 'tools/call', params: { name: 'grow' } });
    expect(await next()).toMatchObject({ id: 1, result: { protocolVersion: '2025-03-26' } });
    expect(await next()).toMatchObject({ id: 2, result: { tools: expect.any(Array) } });
    expect(await next()).toMatchObject({ id: 3, result: { content: [{ type: 'text', text: 'grown' }] } });
    say({ method: 'notifications/initialized' });
    say({ id: 4, method: 'tools/call', params: { name: 'grown', arguments: {} } });
    // A notification that was buffered or sent too early would be here.
    expect(await next()).toMatchObject({ id: 4, result: { content: [{ type: 'text', text: 'new here' }] } });
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
  });
});
