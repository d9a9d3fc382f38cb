/** `mooring chat` and `npm start`: over real sockets, with real processes, and on a real terminal. */

import { spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createServer, tool } from '../../src/index.ts';
import { revisionIds } from '../../src/revisions/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { alive, eventually } from '../support/children.ts';
import { folder, mooring } from '../support/command-line.ts';
import { fakeProvider } from '../support/fake-provider.ts';
import { hasTerminals, PseudoTerminal } from '../support/pseudo-terminal.ts';

const start = resolve('scripts/start.mjs');
const { PATH = '' } = process.env;

interface Started {
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  readonly said: { stdout: string; stderr: string };
}

function started(args: readonly string[], cwd = process.cwd()): Started {
  const child = spawn(process.execPath, args, { cwd, env: { PATH }, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  const ended = new Promise<number>((done) => child.once('close', (code) => done(code ?? -1)));
  return { pid: child.pid ?? 0, said, ended: ended.then((code) => ({ code, ...said })) };
}

/** All descendants of a process. */
async function descendantsOf(pid: number): Promise<readonly number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(
    all.map(async (one) => {
      const stat = await readFile(`/proc/${one}/stat`, 'utf8').catch(() => '');
      return [one, Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])] as const;
    }),
  );
  const below = (parent: number): number[] =>
    parents.flatMap(([one, its]) => (its === parent ? [one, ...below(one)] : []));
  return below(pid);
}

const event = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;

describe('mooring chat', () => {
  test('has a model work with a server, by rules, and on record', async () => {
    await using project = await folder();
    const refunded: string[] = [];
    const refund = tool({
      name: 'refund',
      input: z.object({ order: z.string() }),
      run: ({ order }) => `Refund ${refunded.push(order)}`,
    });
    const listener = await serveHttp(createServer({ name: 'shop', version: '1', parts: [refund] }), { port: 0 });
    const call = { index: 0, id: 'c1', function: { name: 'local__refund', arguments: '{"order":"A-1"}' } };
    await using provider = await fakeProvider([
      { pieces: [event({ tool_calls: [call] }), event({}, { finish_reason: 'tool_calls' }), 'data: [DONE]\n\n'] },
      {
        pieces: [
          event({ content: 'It is ' }),
          event({ content: 'done.' }, { finish_reason: 'stop' }),
          'data: [DONE]\n\n',
        ],
      },
    ]);
    const rule = "{ text: 'allow everything', decide: () => ({ verdict: 'allow', why: 'it is a test' }) }";
    await writeFile(join(project.path, 'rules.mjs'), `export const policy = [${rule}];`);
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: provider.origin, MOORING_MODEL: 'openai:parrot' };
    const args = ['chat', listener.url, '--policy', 'rules.mjs', '--audit', 'audit.ndjson'];
    const ran = await mooring(args, { cwd: project.path, env, stdin: 'Refund A-1\n' });
    await listener.close();
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('It is done.\n') });
    expect(ran.stderr).toContain('→ local.refund {"order":"A-1"}');
    expect(ran.stderr).toContain('← Refund 1');
    expect(refunded).toEqual(['A-1']);
    const verified = await mooring(['audit', 'verify', 'audit.ndjson'], { cwd: project.path });
    expect(verified.code).toBe(0);
    expect(await readFile(join(project.path, 'audit.ndjson'), 'utf8')).toContain('"allow everything"');
  });

  test('ends as its servers do, if none can be opened', async () => {
    const { code, stderr } = await mooring(['chat', '--', process.execPath, '-e', 'process.exit(3)']);
    expect(code).toBe(6);
    expect(stderr).toContain('error The server process');
  });
});

describe('npm start', () => {
  test('without a terminal is a tour that holds in every revision', async () => {
    const { code, stdout, stderr } = await started([start]).ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('this is the tour')]);
    for (const id of revisionIds) expect(stdout).toContain(`\n${id}\n`);
    expect(stdout).toContain(`${revisionIds.length} revisions, three servers each, everything as expected`);
  });

  test.runIf(process.platform === 'linux')('leaves nothing behind when it is interrupted', async () => {
    const tour = started([start]);
    await eventually('the tour has begun', () => tour.said.stdout.includes('crane is ready'), 25_000);
    const below = await descendantsOf(tour.pid);
    expect(below.length).toBeGreaterThan(0);
    process.kill(tour.pid, 'SIGINT');
    expect((await tour.ended).code).toBe(130);
    await eventually('all have gone', () => !below.some(alive));
  });

  test.runIf(hasTerminals)(
    'on a terminal is a host to talk to: deny, approve, answer, interrupt, explain, go',
    async () => {
      await using seat = new PseudoTerminal([process.execPath, start], { PATH, TERM: 'xterm', USER: 'ada' });
      await seat.sees('3 servers, 8 tools, 1 resource, 1 prompt');
      await seat.type('mooring › ', 'Evict the Aurora\r');
      await seat.type('[?] explain: ', 'n\r');
      await seat.sees('✗ you declined office.evict');
      await seat.type('mooring › ', '/call office.book ship=Borea\r');
      await seat.type('[1] ', '3\r');
      await seat.type('[y/N] ', 'y\r');
      await seat.type('[x] dismiss: ', 'y\r');
      await seat.sees('Berth 2 is booked for the Borea: 3 nights, with power');
      await seat.type('mooring › ', '/call crane.unload containers=1000\r');
      await seat.sees('crane │ info: The crane takes on 1000 containers');
      const below = process.platform === 'linux' ? await descendantsOf(seat.pid) : [];
      await seat.type('container 2', '\u0003');
      await seat.sees('cancelled');
      await seat.type('mooring › ', '/call office.evict ship=Royal\r');
      await seat.sees('denied: the rule "deny { server: office, name: evict, arguments: { ship: /^Royal/ } }"');
      await seat.type('mooring › ', '/explain\r');
      await seat.sees('Not performed.');
      await seat.type('mooring › ', '\u0003');
      expect(await seat.ended).toBe(0);
      await eventually('all have gone', () => !below.some(alive));
    },
  );

  test('says so where Node is too old, and where nothing is installed', async () => {
    const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })";
    const onOld = await started(['--import', `data:text/javascript,${encodeURIComponent(old)}`, start]).ended;
    expect([onOld.code, onOld.stderr]).toEqual([
      1,
      expect.stringContaining('This is Node 20.18.3, and Mooring needs 20.19'),
    ]);
    await using clone = await folder();
    await mkdir(join(clone.path, 'scripts'));
    await copyFile(start, join(clone.path, 'scripts', 'start.mjs'));
    await copyFile('package.json', join(clone.path, 'package.json'));
    const fresh = await started([join(clone.path, 'scripts', 'start.mjs')], clone.path).ended;
    expect([fresh.code, fresh.stderr]).toEqual([1, expect.stringContaining('npm ci')]);
  });
});
