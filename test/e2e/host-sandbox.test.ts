/** Sandboxed servers on Linux: a program that tries to read, write and send what it was not granted. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bubblewrap, type ConsentQuestion, createHost, type Host, rules } from '../../src/host/index.ts';
import { systemProgram } from '../support/system-program.ts';
import { verifies } from '../support/verifies.ts';

const prying = fileURLToPath(new URL('../fixtures/host/prying.mjs', import.meta.url));
/** Its home is empty, except for the path to its program. */
const emptyHome = `/tmp: ${prying.startsWith('/tmp/') ? prying.split('/')[2] : ''}`;

describe.runIf(process.platform === 'linux')('a server in a sandbox', () => {
  const outside = createServer().listen(0, '127.0.0.1');
  const asked: ConsentQuestion[] = [];
  let folder: string;
  let host: Host;

  beforeAll(async () => {
    systemProgram('bubblewrap', ['bwrap'], 'bubblewrap');
    // Not in the folder for temporary files, which the sandbox replaces.
    folder = await mkdtemp(join(process.cwd(), '.cache', 'sandbox-'));
    await writeFile(join(folder, 'secret.txt'), 'do not read me');
    const server = { command: process.execPath, args: [prying], cwd: dirname(prying) };
    host = createHost({
      servers: { nothing: server, granted: server, free: server },
      policy: [rules.ask({ kind: 'spawn' }), rules.allow({})],
      consent: (question) => {
        asked.push(question);
        return { allow: true };
      },
      sandbox: bubblewrap({ granted: { read: [folder], write: [folder], network: true }, free: false }),
    });
  }, 300_000);

  afterAll(async () => {
    await host.close();
    outside.close();
    await rm(folder, { recursive: true });
  });

  const tried = async (label: string, what: string): Promise<string> => {
    const address = outside.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const args = { what, path: join(folder, what === 'write' ? `${label}.txt` : 'secret.txt'), port };
    await using session = host.session();
    return (await session.call(`${label}.try`, args)).text;
  };

  test('reads, writes and sends nothing that it was not granted', async () => {
    verifies('HOST-35', 'SEC-035');
    expect(await tried('nothing', 'read')).toMatch(/ENOENT/);
    expect(await tried('nothing', 'write')).toMatch(/ENOENT|EROFS|EACCES/);
    expect(await tried('nothing', 'send')).toMatch(/ECONNREFUSED|ENETUNREACH/);
    expect(await tried('nothing', 'home')).toBe(emptyHome);
  });

  test('does what it was granted, and one that is named as free does everything', async () => {
    verifies('HOST-35', 'SEC-035');
    for (const label of ['granted', 'free']) {
      expect(await tried(label, 'read')).toBe('do not read me');
      expect(await tried(label, 'write')).toBe('written');
      expect(await readFile(join(folder, `${label}.txt`), 'utf8')).toBe('was here');
      expect(await tried(label, 'send')).toBe('connected');
    }
    expect(await tried('free', 'home')).not.toBe(emptyHome);
  });

  test('is shown with its sandbox to the user who is asked', async () => {
    await tried('nothing', 'home');
    const question = asked.find(({ act }) => act.server === 'nothing');
    expect(question?.act.name).toBe(`${process.execPath} ${prying}`);
    expect(question?.act.arguments['sandbox']).toEqual(expect.arrayContaining(['bwrap', '--unshare-all', '--']));
    expect(question?.warnings[0]).toContain('within a sandbox');
    expect(asked.find(({ act }) => act.server === 'free')?.act.arguments).not.toHaveProperty('sandbox');
  });

  test('reads nothing of the home folder that its program lies in', async () => {
    verifies('HOST-35', 'SEC-035');
    const program = join(folder, 'prying.mjs');
    await writeFile(program, `#!/usr/bin/env node\n${await readFile(prying, 'utf8')}`, { mode: 0o755 });
    await mkdir(join(folder, 'work'));
    vi.stubEnv('HOME', folder);
    const cwd = join(folder, 'work');
    await using other = createHost({
      servers: {
        direct: { command: program, cwd },
        searched: { command: 'prying.mjs', cwd, env: { PATH: `${folder}:${process.env['PATH']}` } },
        athome: { command: program, cwd: folder },
      },
      policy: [rules.allow({})],
      sandbox: bubblewrap(),
    });
    await using session = other.session();
    for (const label of ['direct', 'searched']) {
      const { text } = await session.call(`${label}.try`, { what: 'read', path: join(folder, 'secret.txt') });
      expect(text).toMatch(/ENOENT/);
    }
    await expect(other.servers.get('athome')?.connect()).rejects.toThrow('contains a whole home folder');
    vi.unstubAllEnvs();
  });

  test('leaves no process behind', async () => {
    await using other = createHost({
      servers: { stubborn: { command: process.execPath, args: [prying, 'stubborn'], cwd: dirname(prying) } },
      policy: [rules.allow({})],
      sandbox: bubblewrap(),
    });
    await other.servers.get('stubborn')?.connect();
    expect(await running(prying, 'stubborn')).not.toEqual([]);
    await other.close();
    expect(await running(prying, 'stubborn')).toEqual([]);
  });
});

/** The processes that run this program in this mode. */
async function running(program: string, mode: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(`${program}\0${mode}`));
}

test('a machine without bwrap says what is missing', async () => {
  await using host = createHost({
    servers: { a: { command: process.execPath, args: [prying], cwd: tmpdir(), env: { PATH: '/nowhere' } } },
    policy: [rules.allow({})],
    sandbox: bubblewrap(),
  });
  const opening = host.servers.get('a')?.connect();
  await expect(opening).rejects.toMatchObject({ code: 'MCP_SPAWN_FAILED', details: { command: 'bwrap' } });
});
