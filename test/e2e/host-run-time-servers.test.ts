/** Real servers that are added and removed while the host runs. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createHost, type Host, memoryAudit, rules, type Session, writeConfig } from '../../src/host/index.ts';
import { alive, eventually } from '../support/children.ts';

const crew = fileURLToPath(new URL('../fixtures/host/crew.mjs', import.meta.url));
const member = (...args: readonly string[]): { command: string; args: readonly string[] } => ({
  command: process.execPath,
  args: [crew, ...args],
});

/** The server's description of itself. */
async function whoIs(session: Session, label: string): Promise<{ readonly pid: number; readonly detail: string }> {
  return JSON.parse((await session.call(`${label}.whoami`)).text) as { pid: number; detail: string };
}

const toolsOf = async (session: Session): Promise<string[]> =>
  (await session.tools()).map(({ name }) => name).filter((name) => name.endsWith('whoami'));

const hostOf = (options: Partial<Parameters<typeof createHost>[0]> = {}): Host =>
  createHost({ servers: {}, policy: [rules.allow({})], onWarning: () => undefined, ...options });

test('a session uses servers that are added, restarted, disabled and removed while it runs', async () => {
  const audit = memoryAudit();
  await using host = hostOf({ servers: { first: member('well', 'first') }, audit });
  await using session = host.session();
  expect(await toolsOf(session)).toEqual(['first.whoami']);
  host.servers.add('second', member('well', 'second'));
  expect(await toolsOf(session)).toEqual(['first.whoami', 'second.whoami']);
  const before = await whoIs(session, 'second');

  await host.servers.restart('second');
  const after = await whoIs(session, 'second');
  expect(after.detail).toBe('second');
  expect(after.pid).not.toBe(before.pid);
  expect(alive(before.pid)).toBe(false);

  await host.servers.disable('second');
  expect(alive(after.pid)).toBe(false);
  expect(await toolsOf(session)).toEqual(['first.whoami']);
  await expect(session.call('second.whoami')).rejects.toThrow('is disabled; enable it first');
  host.servers.enable('second');
  expect(await toolsOf(session)).toEqual(['first.whoami', 'second.whoami']);
  const enabled = await whoIs(session, 'second');

  await host.servers.remove('second');
  expect(alive(enabled.pid)).toBe(false);
  expect(await toolsOf(session)).toEqual(['first.whoami']);
  await expect(session.call('second.whoami')).rejects.toThrow('no server with this label');
  const spawned = audit.records.filter(({ act, phase }) => act.kind === 'spawn' && phase === 'decided');
  expect(spawned.map(({ act }) => act.server)).toEqual(['first', 'second', 'second', 'second']);
});

test('a host that follows a configuration file restarts only the servers whose entries change', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-follow-'));
  const file = join(folder, 'mcp.json');
  const warnings: string[] = [];
  const host = hostOf({ onWarning: (warning) => warnings.push(warning) });
  try {
    const write = (mcpServers: object): Promise<void> => writeFile(file, JSON.stringify({ mcpServers }));
    await write({ stays: member('well', 'stays'), changes: member('well', 'old'), goes: member('well', 'goes') });
    await host.servers.follow(file);
    await using session = host.session();
    const [stays, old, goes] = await Promise.all(['stays', 'changes', 'goes'].map((label) => whoIs(session, label)));

    await write({ stays: member('well', 'stays'), changes: member('well', 'new'), comes: member('well', 'comes') });
    await eventually('the new entry is applied', () => host.servers.has('comes'));
    expect(await toolsOf(session)).toEqual(['changes.whoami', 'comes.whoami', 'stays.whoami']);
    expect((await whoIs(session, 'changes')).detail).toBe('new');
    expect((await whoIs(session, 'stays')).pid).toBe(stays?.pid);
    expect([old, goes].map((one) => alive(one?.pid ?? 0))).toEqual([false, false]);

    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -5));
    await eventually('the broken file is reported', () => warnings.some((one) => one.includes('stay as they were')));
    expect(await toolsOf(session)).toEqual(['changes.whoami', 'comes.whoami', 'stays.whoami']);
    await writeFile(file, text);
    await writeConfig(file, 'comes', 'remove');
    await eventually('the entry is gone', () => !host.servers.has('comes'));
    expect((await whoIs(session, 'stays')).pid).toBe(stays?.pid);
  } finally {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
});
