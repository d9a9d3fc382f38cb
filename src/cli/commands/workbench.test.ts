import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { alive, eventually } from '../../../test/support/children.ts';
import { folder, mooring, type Ran, type RunOptions, self } from '../../../test/support/command-line.ts';
import { startPage, TestPage } from '../../../test/support/workbench.ts';
import { VERSION } from '../../model/names.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';

interface RunningWorkbench extends AsyncDisposable {
  readonly page: TestPage;
  readonly url: string;
  readonly ended: Promise<Ran>;
  /** Sends Ctrl-C. */
  stop(): Promise<Ran>;
}

/** Runs the command and opens its page. */
async function workbench(args: readonly string[], options: RunOptions = {}): Promise<RunningWorkbench> {
  const over = new AbortController();
  let said: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    said = resolve;
  });
  const onStdout = (text: string): void => {
    const [, found] = /(http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]+)/.exec(text) ?? [];
    if (found !== undefined) said(found);
  };
  const running = mooring(['workbench', '--no-browser', ...args], { ...options, signal: over.signal, onStdout });
  const first = await Promise.race([url, running.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const { origin } = new URL(first);
  const page = new TestPage(origin, await startPage(origin, first)).listen(0);
  const stop = (): Promise<Ran> => {
    over.abort();
    return running;
  };
  return { page, url: first, ended: running, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

/** Serves one tool, and writes its process id to a file. */
const server = (file: string): string => `
  require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid));
  const lines = require('node:readline').createInterface({ input: process.stdin });
  const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  lines.on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
    else if (method === 'tools/list') send(id, { tools: [{ name: 'env', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') send(id, { content: [{ type: 'text', text: 'it is ' + process.env.PLAIN }] });
    else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
  });`;

const ready = (page: TestPage): Promise<unknown> =>
  page.heard('server', (event) => 'server' in event && event.server.stage === 'ready');

describe('mooring workbench', () => {
  test('opens the servers that were named, and Ctrl-C ends everything, children included', async () => {
    await using at = await folder();
    const pid = join(at.path, 'pid');
    const one = await workbench(['--', process.execPath, '-e', server(pid)]);
    await ready(one.page);
    const child = Number(await readFile(pid, 'utf8'));
    expect(alive(child)).toBe(true);
    const ran = await one.stop();
    expect(ran.code).toBe(130);
    await one.page.heard('end');
    await eventually('the child to be gone', () => !alive(child));
  });

  test('stops to read the terminal when it ends', async () => {
    const one = await workbench([], { tty: true });
    expect(await one.stop()).toMatchObject({ code: 130, stderr: expect.stringContaining('Press Enter') });
  });

  test('masks the variables of a command wherever the server says them again', async () => {
    await using at = await folder();
    await using one = await workbench([
      '--env',
      'PLAIN=not-to-be-seen',
      '--',
      process.execPath,
      '-e',
      server(join(at.path, 'pid')),
    ]);
    const [info] = (await one.page.rpc('hello', {})).servers;
    const outcome = await one.page.rpc('call', { server: info?.label ?? '', tool: 'env', arguments: {} });
    expect(outcome.result?.result['content']).toEqual([{ type: 'text', text: 'it is [masked]' }]);
  });

  test('lists the servers of configuration files with their place, and starts none', async () => {
    await using at = await folder();
    const started = join(at.path, 'started');
    const file = join(at.path, '.mcp.json');
    await writeFile(file, JSON.stringify({ mcpServers: { mail: { command: 'touch', args: [started] } } }));
    await mkdir(join(at.path, '.cursor'));
    await writeFile(
      join(at.path, '.cursor', 'mcp.json'),
      JSON.stringify({ mcpServers: { maps: { url: 'https://maps.example/mcp' } } }),
    );
    await using one = await workbench([], { cwd: at.path });
    const { servers } = await one.page.rpc('hello', {});
    expect(servers.map(({ label, stage, kind }) => [label, stage, kind]).toSorted()).toEqual([
      ['mail', 'idle', 'command'],
      ['maps', 'idle', 'url'],
    ]);
    expect(servers.find(({ label }) => label === 'mail')?.origin?.file).toBe(file);
    await one.page.rpc('catalogue.list', { kind: 'tool' });
    expect(existsSync(started)).toBe(false);
  });

  test('names the error of a file of --config, and opens no page', async () => {
    await using at = await folder();
    const file = join(at.path, 'broken.json');
    await writeFile(file, '{ "mcpServers": ');
    const { code, stdout, stderr } = await mooring(['workbench', '--no-browser', '--config', file]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(file)]);
  });

  test('says of a --model that is a folder that it is no script', async () => {
    await using at = await folder();
    const { code, stderr } = await mooring(['workbench', '--no-browser', '--model', at.path]);
    expect([code, stderr]).toEqual([2, `error ${at.path} cannot be used: it is not a regular file\n`]);
  });

  test('asks in the page before a configured server is started, and a no is its failure', async () => {
    await using at = await folder();
    const started = join(at.path, 'started');
    await writeFile(
      join(at.path, '.mcp.json'),
      JSON.stringify({ mcpServers: { mail: { command: 'touch', args: [started] } } }),
    );
    await using one = await workbench([], { cwd: at.path });
    const connecting = one.page.rpc('servers.connect', { server: 'mail' });
    const { params } = await one.page.heard('question', ({ question }) => question.kind === 'consent');
    const { question } = params;
    expect(JSON.stringify(question)).toContain(`touch ${started}`);
    if (question.kind === 'consent')
      await one.page.rpc('consent', { question: question.id, binding: question.binding, answer: { allow: false } });
    expect((await connecting).stage).toBe('failed');
    expect(existsSync(started)).toBe(false);
  });

  test.each([false, true])(
    'examines a configured server as the act of starting it, which a user allows: %s',
    async (allow) => {
      await using at = await folder();
      const started = join(at.path, 'started');
      const code = `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')`;
      const mcpServers = { mail: { command: process.execPath, args: ['-e', code] } };
      await writeFile(join(at.path, '.mcp.json'), JSON.stringify({ mcpServers }));
      await using one = await workbench([], { cwd: at.path });
      const examining = one.page.ask('servers.examine', { server: 'mail' });
      const { params } = await one.page.heard('question', ({ question }) => question.kind === 'consent');
      const { question } = params;
      expect(JSON.stringify(question)).toContain('writeFileSync');
      expect(existsSync(started)).toBe(false);
      if (question.kind === 'consent')
        await one.page.rpc('consent', { question: question.id, binding: question.binding, answer: { allow } });
      const { result, error } = await examining;
      expect(error === undefined ? 'examined' : error.message).toMatch(allow ? /^examined$/ : /denied/i);
      expect(existsSync(started)).toBe(allow);
      if (allow) expect(JSON.stringify(result)).toContain('"state":"failed"');
      const { decisions } = await one.page.rpc('policy.decisions', {});
      expect(decisions.map(({ kind, allowed }) => [kind, allowed])).toEqual([['spawn', allow]]);
    },
  );

  test('finds out why a server did not start within the permission that it was started with', async () => {
    await using at = await folder();
    const mcpServers = { mail: { command: process.execPath, args: ['-e', 'process.exit(3)'] } };
    await writeFile(join(at.path, '.mcp.json'), JSON.stringify({ mcpServers }));
    await using one = await workbench([], { cwd: at.path });
    const connecting = one.page.rpc('servers.connect', { server: 'mail' });
    const { params } = await one.page.heard('question', ({ question }) => question.kind === 'consent');
    const { question } = params;
    if (question.kind === 'consent')
      await one.page.rpc('consent', { question: question.id, binding: question.binding, answer: { allow: true } });
    expect((await connecting).stage).toBe('failed');
    await one.page.heard('decision', ({ decision }) => decision.kind === 'spawn' && decision.phase === 'failed');
    const events = one.page.events.map(({ params }) => JSON.stringify(params));
    const [remedy, over] = ['"remedy":', '"phase":"failed"'].map((text) => events.findIndex((e) => e.includes(text)));
    expect(remedy).toBeGreaterThan(0);
    expect(remedy).toBeLessThan(over ?? 0);
    expect((await one.page.rpc('policy.decisions', {})).total).toBe(1);
    expect((await one.page.rpc('hello', {})).questions).toEqual([]);
  });

  test.each(['n', 'y'])('shows a masked value to the page only after a yes in the terminal: %s', async (answer) => {
    await using at = await folder();
    const command = [process.execPath, '-e', server(join(at.path, 'pid'))];
    await using one = await workbench(['--', ...command], { tty: true, stdin: `${answer}\n` });
    const [info] = (await one.page.rpc('hello', {})).servers;
    const args = { password: 'hunter2-hunter2' };
    const { span = 0 } = await one.page.rpc('call', { server: info?.label ?? '', tool: 'env', arguments: args });
    const shown = await one.page.ask('timeline.reveal', { id: span, place: '/params/arguments/password' });
    expect(JSON.stringify(shown).includes(args.password)).toBe(answer === 'y');
    expect(shown.error?.message ?? 'shown').toContain(answer === 'y' ? 'shown' : 'did not agree in the terminal');
    const { stderr } = await one.stop();
    expect(stderr).toContain('/params/arguments/password');
    expect(stderr).not.toContain(args.password);
  });

  test.each(['n', 'y'])(
    'shows a command that was typed into the page in the terminal, and goes by its answer: %s',
    async (answer) => {
      await using at = await folder();
      const pid = join(at.path, 'pid');
      await using one = await workbench([], { tty: true, stdin: `${answer}\n`, cwd: at.path });
      const definition = { command: process.execPath, args: ['-e', server(pid)] };
      const added = await one.page.ask('servers.add', { label: 'typed', definition });
      expect(added.error === undefined).toBe(answer === 'y');
      expect(existsSync(pid)).toBe(false);
      if (answer === 'y') expect((await one.page.rpc('servers.connect', { server: 'typed' })).stage).toBe('ready');
      const ran = await one.stop();
      expect(ran.stderr).toContain('A page wants to start a program for typed');
    },
  );

  test('says what the doctor finds about a command that is not there, and about an address that refuses', async () => {
    await using one = await workbench(['http://127.0.0.1:9/mcp', '--', 'no-such-command-here']);
    const failed = async (kind: string) => {
      const { params } = await one.page.heard(
        'server',
        (event) => 'server' in event && event.server.kind === kind && event.server.failure?.remedy !== undefined,
      );
      return 'server' in params ? params.server.failure : undefined;
    };
    expect((await failed('command'))?.fault).toBe('command-not-found');
    expect((await failed('url'))?.fault).toBe('connection-refused');
  });

  test('records a session that `mooring call` plays with again, served by `mooring replay`', async () => {
    await using at = await folder();
    const file = join(at.path, 'session.ndjson');
    const one = await workbench(['--record', file, '--', process.execPath, '-e', server(join(at.path, 'pid'))]);
    const [info] = (await one.page.rpc('hello', {})).servers;
    const called = await one.page.rpc('call', { server: info?.label ?? '', tool: 'env', arguments: {} });
    expect(called.error).toBeUndefined();
    await one.stop();
    const replay = [self.command, ...self.args, 'replay', file];
    const again = await mooring(['call', 'env', '{}', '--timeout', '90', '--', ...replay]);
    expect([again.stdout, again.code]).toEqual(['it is undefined\n', 0]);
  });

  test('verifies its audit file, and names the line after a byte of it was changed', async () => {
    await using at = await folder();
    const file = join(at.path, 'audit.ndjson');
    await using one = await workbench(['--audit', file, '--', process.execPath, '-e', server(join(at.path, 'pid'))]);
    const [info] = (await one.page.rpc('hello', {})).servers;
    await one.page.rpc('call', { server: info?.label ?? '', tool: 'env', arguments: {} });
    const whole = await one.page.rpc('audit.verify', {});
    expect(whole).toMatchObject({ file, ok: true });
    expect(whole.records).toBeGreaterThan(1);
    const text = await readFile(file, 'utf8');
    const at1 = text.indexOf('"allowed":true');
    await writeFile(file, `${text.slice(0, at1)}"allowed":trUe${text.slice(at1 + '"allowed":true'.length)}`);
    expect(await one.page.rpc('audit.verify', {})).toMatchObject({ ok: false, why: expect.stringMatching(/^line 1/) });
  });

  const wildcards = ['0.0.0.0', '::', '0::0', '::0.0.0.0', '::%lo', '::ffff:0.0.0.0', '0::ffff:0:0'];
  test.each([...wildcards, 'localhost'])('does not listen on %s', async (address) => {
    const { code, stderr } = await mooring(['workbench', '--no-browser', '--dangerously-listen', address]);
    expect(code).toBe(2);
    expect(stderr).toContain('one IP address');
  });

  test('ends with --exit ten minutes after the last page was closed, and not a moment before', async () => {
    const still = virtualClock();
    const tenMinutes = 600_000;
    // How often the ten-minute timeout started, and how often a page cancelled it.
    const count = { begun: 0, ended: 0 };
    const clock: typeof still = {
      ...still,
      after(ms, run) {
        const cancel = still.after(ms, run);
        if (ms !== tenMinutes) return cancel;
        count.begun++;
        return () => {
          count.ended++;
          cancel();
        };
      },
    };
    const one = await workbench(['--exit'], { clock });
    await eventually('the page to be noticed', () => count.ended === 1);
    await clock.advance(2 * tenMinutes);
    expect((await one.page.rpc('hello', {})).version).toBe(VERSION);
    one.page.close();
    await eventually('the page to be missed', () => count.begun === 2);
    await clock.advance(tenMinutes - 1);
    expect((await one.page.rpc('hello', {})).version).toBe(VERSION);
    await clock.advance(1);
    expect((await one.ended).code).toBe(0);
  });

  test('prints its URL as JSON and nothing else, for scripts', async () => {
    const over = new AbortController();
    const { stdout } = await mooring(['workbench', '--json'], { signal: over.signal, onStdout: () => over.abort() });
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['url']);
  });

  test('rejects a port that is none, and one that is taken', async () => {
    expect((await mooring(['workbench', '--port', 'x'])).code).toBe(2);
    await using one = await workbench([]);
    const { host, port } = new URL(one.url);
    const { code, stderr } = await mooring(['workbench', '--no-browser', '--port', port]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--port ${port}: another process listens on ${host}; give another port, or leave it out`);
  });
});
