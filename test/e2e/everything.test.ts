/** The everything-server as a program: errors for wrong options, what it serves, how it ends. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { revisions } from '../../src/revisions/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = (...args: string[]): string[] => ['--import', 'tsx', 'test/conformance/everything-server.ts', ...args];
const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, program(...args), { cwd: root, encoding: 'utf8' });

describe('asked wrongly', () => {
  test.each<[string, string[], string]>([
    ['for nothing', [], 'Give either --port <number> or --stdio.'],
    ['for both', ['--port', '1', '--stdio'], 'Give either --port <number> or --stdio.'],
    ['for a port that is none', ['--port', '70000'], '--port must be a number from 0 to 65535, not "70000".'],
    ['for something else', ['--htp'], "Unknown option '--htp'"],
  ])('%s, it says what to ask for', (_how, args, why) => {
    const { status, stdout, stderr } = run(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
    expect(stderr).toContain('Usage: npm run everything');
  });

  test('for help, it gives help', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('--port <number>');
  });
});

test('over stdio it serves everything', async () => {
  await using client = await connect({ command: process.execPath, args: program('--stdio'), cwd: root });
  expect((await client.call('test_simple_text')).text).toBe('This is a simple text response for testing.');
});

describe('over HTTP', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function start(...args: string[]): Promise<{ child: ChildProcess; line: string }> {
    const child = spawn(process.execPath, program(...args), { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]; // readline's own event
    return { child, line };
  }

  test('it serves every revision at /mcp and HTTP+SSE at /sse, until it is told to end', async () => {
    const { child, line } = await start('--port', '0');
    const [mcp = '', sse = ''] = line.match(/http:[^\s)]+/g) ?? [];
    expect([mcp, sse]).toEqual([expect.stringMatching(/\/mcp$/), expect.stringMatching(/\/sse$/)]);
    for (const { id } of revisions.slice(0, -1)) {
      await using client = await connect(mcp, { revisions: [id] });
      expect([id, (await client.call('test_simple_text')).text]).toEqual([id, expect.stringContaining('simple')]);
    }
    await using oldest = await connect(sse, { revisions: [revisions.at(-1)?.id ?? ''] });
    expect((await oldest.call('test_simple_text')).text).toContain('simple');
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
  });

  test('it says that a port is taken', async () => {
    const { line } = await start('--port', '0');
    const { port } = new URL(/http:\S+/.exec(line)?.[0] ?? '');
    const { status, stderr } = run('--port', port);
    expect([status, stderr.trim()]).toEqual([1, `Port ${port} is taken; try --port 0.`]);
  });
});
