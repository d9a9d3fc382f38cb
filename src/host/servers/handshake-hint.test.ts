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

/** Opens a server with a host of its own, as after a restart, and tells what the server heard. */
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

describe('a server that needs a handshake', () => {
  test('is asked what it speaks by the first host, and by none after that', async () => {
    verifies('LIFE-054');
    const lockfile = await place();
    const fake = new FakeServer({ revision: HANDSHAKE });
    expect(await started(fake, { lockfile })).toEqual(asked);
    expect(await started(fake, { lockfile })).toEqual(known);
    expect(JSON.parse(await readFile(lockfile, 'utf8'))).toMatchObject({ servers: { shop: { handshake: 'fake 1' } } });
  });

  test('is still known where the file is frozen, and nothing is written', async () => {
    const lockfile = await place();
    const fake = new FakeServer({ revision: HANDSHAKE });
    await started(fake, { lockfile });
    const text = await readFile(lockfile, 'utf8');
    expect(await started(fake, { lockfile: { path: lockfile, frozen: true } })).toEqual(known);
    await started(new FakeServer({ revision: STATELESS }), { lockfile: { path: lockfile, frozen: true } });
    expect(await readFile(lockfile, 'utf8')).toBe(text);
  });

  test('is asked again once it calls itself otherwise', async () => {
    verifies('LIFE-054');
    const lockfile = await place();
    await started(new FakeServer({ revision: HANDSHAKE, on: named('1') }), { lockfile });
    const upgraded = new FakeServer({ revision: HANDSHAKE, on: named('2') });
    expect(await started(upgraded, { lockfile })).toEqual(known);
    expect(await started(upgraded, { lockfile })).toEqual(asked);
    expect(await started(upgraded, { lockfile })).toEqual(known);
  });

  test('is asked by a host that reaches it in another way', async () => {
    const lockfile = await place();
    const fake = new FakeServer({ revision: HANDSHAKE });
    await started(fake, { lockfile });
    const text = (await readFile(lockfile, 'utf8')).replace('a transport of your own', 'another');
    await writeFile(lockfile, text);
    expect(await started(fake, { lockfile })).toEqual(asked);
  });

  test('is remembered although it cannot be reached for a while', async () => {
    const lockfile = await place();
    const fake = new FakeServer({ revision: HANDSHAKE });
    await started(fake, { lockfile });
    const away = async (): Promise<never> => Promise.reject(new Error('nobody is there'));
    await expect(started(fake, { lockfile, servers: { shop: away } })).rejects.toThrow('nobody is there');
    expect(await started(fake, { lockfile })).toEqual(known);
  });

  test('keeps what is pinned of it, and what is pinned keeps how it is met', async () => {
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

describe('what is remembered wrongly', () => {
  test('is found out at once where the server refuses a handshake', async () => {
    verifies('LIFE-054');
    const lockfile = await place();
    await started(new FakeServer({ revision: HANDSHAKE }), { lockfile });
    const fake = new FakeServer({ revision: STATELESS });
    expect(await started(fake, { lockfile })).toEqual(['initialize', 'server/discover']);
    expect(await started(fake, { lockfile })).toEqual(['server/discover']);
    expect(await readFile(lockfile, 'utf8')).not.toContain('handshake');
  });

  test('is forgotten where the server does not answer a handshake, and found out the next time', async () => {
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
