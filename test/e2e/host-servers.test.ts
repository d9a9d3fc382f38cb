/** A host with many real servers, some of them faulty. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  type AuditRecord,
  type ConsentQuestion,
  createHost,
  fromConfig,
  type Host,
  rules,
  type ServerSource,
} from '../../src/host/index.ts';
import { createServer, tool } from '../../src/index.ts';
import { type HttpListener, serveHttp } from '../../src/transport/node.ts';
import { alive, eventually } from '../support/children.ts';
import { verifies } from '../support/verifies.ts';

const crew = fileURLToPath(new URL('../fixtures/host/crew.mjs', import.meta.url));
const member = (...args: readonly string[]): ServerSource => ({ command: process.execPath, args: [crew, ...args] });

/** The processes of a server that reported their ids. */
const pidsOf = (host: Host): number[] =>
  [...host.servers.values()].flatMap(({ log }) =>
    log.flatMap((line) => (/^stderr: pid (\d+)$/.exec(line) ?? []).slice(1).map(Number)),
  );

test('of fifty servers one hangs and one keeps dying: the rest answer, and closing waits for them side by side and leaves nothing', async () => {
  verifies('HOST-1', 'HOST-2', 'HOST-7');
  const names = Array.from({ length: 47 }, (_, i) => `well-${i}`);
  const servers = {
    stubborn: member('stubborn'),
    ...Object.fromEntries(names.map((name) => [name, member('well', name)])),
    hangs: member('hangs'),
    dies: member('dies', '1000'),
  };
  const host = createHost({ servers, policy: [rules.allow({})], timeouts: { connectTimeoutMs: 60_000 } });
  try {
    const session = host.session({ principal: 'ada' });
    expect([...host.servers.values()].every(({ state }) => state === 'idle')).toBe(true);
    const hanging = session.call('hangs.whoami').catch((error: unknown) => error);
    const dying = session.call('dies.whoami').catch((error: unknown) => error);
    const stubborn = JSON.parse((await session.call('stubborn.whoami')).text) as { pid: number };
    const answers = await Promise.all(names.map((name) => session.call(`${name}.whoami`)));
    const told = answers.map(({ text }) => JSON.parse(text) as { pid: number; detail: string });
    expect(told.map(({ detail }) => detail)).toEqual(names);
    expect(new Set(told.map(({ pid }) => pid)).size).toBe(47);
    expect(host.servers.get('hangs')?.state).toBe('connecting');
    await dying;

    const listed = await session.tools();
    const labels = new Set(listed.map(({ server }) => server));
    expect([...names, 'stubborn'].filter((label) => !labels.has(label))).toEqual([]);
    expect(labels.has('hangs')).toBe(false);
    expect(session.catalogue.problems().map(({ server }) => server)).toContain('hangs');

    await eventually('it has died twice', () => deaths(host) >= 2);
    const again = await Promise.all(names.map((name) => session.call(`${name}.whoami`)));
    expect(again.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));

    const pids = pidsOf(host);
    expect(pids.length).toBeGreaterThanOrEqual(51);
    const closing = host.close();
    // It is killed in the end. The others have exited by then, although it was asked first.
    await eventually('the stubborn one is gone', () => !alive(stubborn.pid));
    expect(pids.filter(alive)).toEqual([]);
    await closing;
    expect([...host.servers.values()].every(({ state }) => state === 'stopped')).toBe(true);
    expect(await hanging).toBeInstanceOf(Error);
  } finally {
    await host.close();
  }
}, 120_000);

const deaths = (host: Host): number =>
  host.servers.get('dies')?.log.filter((line) => line.startsWith('host: lost:')).length ?? 0;

test('a server that keeps dying is given up, and its failure is kept', async () => {
  await using host = createHost({
    servers: { dies: member('dies', '100') },
    policy: [rules.allow({})],
    random: () => 0,
  });
  const server = host.servers.get('dies');
  await server?.connect();
  await eventually('it is given up', () => server?.state === 'failed');
  expect(server?.failure).toMatchObject({ code: 'MCP_SERVER_EXITED' });
  expect(pidsOf(host)).toHaveLength(6);
  await eventually('all of them are gone', () => !pidsOf(host).some(alive));
});

test('nothing is started that was not allowed', async () => {
  verifies('SEC-032', 'HOST-33');
  const asked: ConsentQuestion[] = [];
  await using host = createHost({
    servers: { a: member('well') },
    consent: (question) => {
      asked.push(question);
      return { allow: false, reason: 'not today' };
    },
  });
  const session = host.session();
  await expect(session.call('a.whoami')).rejects.toMatchObject({ code: 'MCP_DENIED' });
  expect(asked.map(({ act }) => act.kind)).toEqual(['spawn']);
  expect(pidsOf(host)).toEqual([]);
  expect(host.servers.get('a')?.state).toBe('failed');
});

test('a call is explained, and a tool that failed has answered', async () => {
  await using host = createHost({ servers: { a: member('well') }, policy: [rules.allow({})] });
  await using session = host.session({ principal: 'ada' });
  const { act, isError } = await session.call('a.whoami');
  expect(isError).toBe(false);
  const [decided, done] = (await host.explain(act)) as [AuditRecord, AuditRecord];
  expect(decided).toMatchObject({
    phase: 'decided',
    allowed: true,
    act: { principal: 'ada', server: 'a', name: 'whoami' },
  });
  expect(done).toMatchObject({ phase: 'done', outcome: 'answered' });
  expect(await session.call('a.fail')).toMatchObject({ isError: true, text: 'no luck' });
});

test('a configuration brings servers, with secrets that are looked up when they are needed and masked from then on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-host-'));
  try {
    const file = join(folder, '.mcp.json');
    const entry = { command: process.execPath, args: [crew, 'well'], env: { CREW_SECRET: `\${secret:crew}` } };
    await writeFile(file, JSON.stringify({ mcpServers: { Crew: entry } }));
    const looked: string[] = [];
    const records: AuditRecord[] = [];
    await using host = createHost({
      servers: await fromConfig(file),
      policy: [rules.allow({})],
      secrets: (name, { server }) => {
        looked.push(`${server} ${name}`);
        return 'correct horse battery';
      },
      audit: { write: async (record) => void records.push(record) },
    });
    expect(looked).toEqual([]);
    await using session = host.session();
    expect((await session.read('crew', 'crew://secret')).text).toBe('correct horse battery');
    expect(looked).toEqual(['crew crew']);
    expect(JSON.stringify(records)).not.toContain('correct horse');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a server behind an address gets its headers, and is found again when it was restarted', async () => {
  const serve = (port: number): Promise<HttpListener> =>
    serveHttp(createServer({ name: 'far', version: '1', parts: [tool({ name: 'here', run: () => 'here' })] }), {
      port,
      auth: ({ header }) =>
        header('x-team') === 'harbour pilots'
          ? { token: 'x', clientId: 'a', scopes: [] }
          : { status: 401, wwwAuthenticate: 'Bearer' },
    });
  const first = await serve(0);
  const url = first.url;
  await using host = createHost({
    servers: { far: { url, headers: { 'X-Team': { secret: 'team' } } }, alone: { url } },
    policy: [rules.allow({})],
    secrets: () => 'harbour pilots',
  });
  await using session = host.session();
  expect((await session.call('far.here')).text).toBe('here');
  await expect(session.call('alone.here')).rejects.toMatchObject({ code: 'MCP_UNAUTHORIZED' });
  expect(host.servers.get('alone')?.state).toBe('failed');
  await first.close();
  const second = await serve(Number(new URL(url).port));
  // The first call can be lost with the old connection; the host cannot tell, so it does not send it again.
  const again = await session.call('far.here').catch(() => session.call('far.here'));
  expect(again.text).toBe('here');
  await host.close();
  await second.close();
});

test('a program with a host ends with Ctrl-C, and its servers with it', async () => {
  const program = fileURLToPath(new URL('../fixtures/host/interrupted.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program, crew], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const pids = JSON.parse(line.toString()) as number[];
  expect(pids).toHaveLength(2);
  expect(pids.every(alive)).toBe(true);
  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
  await eventually('the servers are gone', () => !pids.some(alive));
});

test('an unused server process is ended, and another one answers when it is needed again', async () => {
  verifies('HOST-43');
  await using host = createHost({ servers: { well: member('well', 'a') }, policy: [rules.allow({})], idleMs: 300 });
  await using session = host.session();
  const pidOf = async (): Promise<number> =>
    (JSON.parse((await session.call('well.whoami')).text) as { pid: number }).pid;
  const first = await pidOf();
  await eventually('it rests', () => host.servers.get('well')?.state === 'idle');
  await eventually('the program is gone', () => !alive(first));
  expect((await session.tools()).map(({ name }) => name)).toContain('well.whoami');
  expect(host.servers.get('well')?.state).toBe('idle');
  const second = await pidOf();
  expect(second).not.toBe(first);
  expect(alive(second)).toBe(true);
});
