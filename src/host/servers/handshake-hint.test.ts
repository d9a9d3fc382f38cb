import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/children.ts';
import { FakeServer, type Handler, silence } from '../../../test/support/fake-server.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { createHost } from '../create-host.ts';
import type { HostOptions } from '../host.ts';
import { rules } from '../policy/rules.ts';

const HANDSHAKE = '2025-11-25';
const STATELESS = '2026-07-28';

const named = (version: string): Record<string, Handler> => ({
  initialize: () => ({ protocolVersion: HANDSHAKE, capabilities: {}, serverInfo: { name: 'shop', version } }),
});

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-era-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'mcp.lock');
}

/** Opens a server with a new host, as after a restart, and returns the messages that the server received. */
async function started(fake: FakeServer, options: Partial<HostOptions>): Promise<readonly string[]> {
  const before = fake.methods.length;
  await using host = createHost({
    ...{ servers: { shop: fake.transport }, policy: [rules.allow({})], health: false, onWarning: () => undefined },
    ...options,
  });
  await host.servers.get('shop')?.connect();
  return fake.methods.slice(before);
}

const asked = ['server/discover', 'initialize', 'notifications/initialized'];
const known = ['initialize', 'notifications/initialized'];

describe('the handshake in mcp.lock', () => {
  test('a host asks a server for its revisions only the first time, when it needs a handshake', async () => {
    verifies('LIFE-054');
    const lockfile = await place();
    const fake = new FakeServer({ revision: HANDSHAKE });
    expect(await started(fake, { lockfile })).toEqual(asked);
    expect(await started(fake, { lockfile })).toEqual(known);
    expect(JSON.parse(await readFile(lockfile, 'utf8'))).toMatchObject({ servers: { shop: { handshake: 'fake 1' } } });
  });

  test('a frozen lockfile still tells which servers need a handshake, and is not written', async () => {
    const lockfile = await place();
    const fake = new FakeServer({ revision: HANDSHAKE });
    await started(fake, { lockfile });
    const text = await readFile(lockfile, 'utf8');
    expect(await started(fake, { lockfile: { path: lockfile, frozen: true } })).toEqual(known);
    await started(new FakeServer({ revision: STATELESS }), { lockfile: { path: lockfile, frozen: true } });
    expect(await readFile(lockfile, 'utf8')).toBe(text);
  });

  test('a host asks a server again when its name or version has changed', async () => {
    verifies('LIFE-054');
    const lockfile = await place();
    await started(new FakeServer({ revision: HANDSHAKE, on: named('1') }), { lockfile });
    const upgraded = new FakeServer({ revision: HANDSHAKE, on: named('2') });
    expect(await started(upgraded, { lockfile })).toEqual(known);
    expect(await started(upgraded, { lockfile })).toEqual(asked);
    expect(await started(upgraded, { lockfile })).toEqual(known);
  });

  test('a host asks a server again when its address has changed', async () => {
    const lockfile = await place();
    const fake = new FakeServer({ revision: HANDSHAKE });
    await started(fake, { lockfile });
    const text = (await readFile(lockfile, 'utf8')).replace('a transport of your own', 'another');
    await writeFile(lockfile, text);
    expect(await started(fake, { lockfile })).toEqual(asked);
  });

  test('a host remembers the handshake of a server that is unreachable for a while', async () => {
    const lockfile = await place();
    const fake = new FakeServer({ revision: HANDSHAKE });
    await started(fake, { lockfile });
    const away = async (): Promise<never> => Promise.reject(new Error('connection refused'));
    await expect(started(fake, { lockfile, servers: { shop: away } })).rejects.toThrow('connection refused');
    expect(await started(fake, { lockfile })).toEqual(known);
  });

  test('the handshake and the approved definitions of a server do not overwrite each other', async () => {
    const lockfile = await place();
    const tools = [{ name: 'refund', inputSchema: { type: 'object' } }];
    const fake = new FakeServer({
      revision: HANDSHAKE,
      on: { 'tools/list': () => ({ tools }), 'tools/call': () => ({ content: [] }) },
    });
    await using host = createHost({ servers: { shop: fake.transport }, policy: [rules.allow({})], lockfile });
    await using session = host.session();
    await session.call('shop.refund');
    expect(JSON.parse(await readFile(lockfile, 'utf8'))).toMatchObject({
      servers: { shop: { handshake: 'fake 1', parts: { 'tool refund': { approved: true } } } },
    });
  });
});

describe('a wrong handshake in mcp.lock', () => {
  test('a host asks at once when a server rejects the remembered handshake', async () => {
    verifies('LIFE-054');
    const lockfile = await place();
    await started(new FakeServer({ revision: HANDSHAKE }), { lockfile });
    const fake = new FakeServer({ revision: STATELESS });
    expect(await started(fake, { lockfile })).toEqual(['initialize', 'server/discover']);
    expect(await started(fake, { lockfile })).toEqual(['server/discover']);
    expect(await readFile(lockfile, 'utf8')).not.toContain('handshake');
  });

  test('a host forgets a remembered handshake that times out, and asks the next time', async () => {
    verifies('LIFE-054');
    const lockfile = await place();
    await started(new FakeServer({ revision: HANDSHAKE }), { lockfile });
    const clock = new HeldClock();
    const fake = new FakeServer({ revision: STATELESS, on: { initialize: () => silence } });
    await using host = createHost({
      ...{ servers: { shop: fake.transport }, policy: [rules.allow({})], health: false, clock, lockfile },
    });
    const opening = host.servers.get('shop')?.connect();
    const failed = expect(opening).rejects.toMatchObject({ code: 'MCP_TIMEOUT' });
    await eventually('it is asked', () => fake.methods.length > 0);
    await clock.pass(10_000);
    await failed;
    await host.servers.get('shop')?.connect();
    expect(fake.methods).toEqual(['initialize', 'server/discover']);
  });
});
