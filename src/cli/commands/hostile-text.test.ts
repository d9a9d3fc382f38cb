/** A server whose names, descriptions and errors contain escape sequences, bidirectional controls and forged lines. */
import { expect, test } from 'vitest';
import { folder, mooring, type Ran, type RunOptions } from '../../../test/support/command-line.ts';
import { plainServer } from '../../../test/support/plain-server.ts';

const evil = 'x\nFORGED\r\u001b[2J\u009b31m\u061c\u200b\u202e\u2066\u2028\ufeff\u{e0041}';
const schema = { type: 'object', properties: { [evil]: { type: 'string', description: evil } }, required: [evil] };
const tools = [{ name: evil, description: evil, inputSchema: schema }];
const failures = { 'prompts/list': { code: -32603, message: evil }, 'tools/call': { code: -32603, message: evil } };

async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  await using dir = await folder();
  const server = await plainServer(dir.path, tools, { capabilities: { prompts: {} }, failures });
  return await mooring([...args, '--', ...server.command], { cwd: dir.path, ...options });
}

/** Excludes our own line breaks, and colors, which tests turn off. */
const unsafe = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;
const harmful = (text: string): readonly string[] =>
  text
    .replaceAll('\r\u001b[2K', '')
    .split('\n')
    .filter((line) => unsafe.test(line) || line.startsWith('FORGED'));

test.each([
  [['list']],
  [['list', '--json']],
  [['list', evil]],
  [['types']],
  [['call', evil, `{${JSON.stringify(evil)}: "y"}`]],
  [['call', evil, `{${JSON.stringify(evil)}: "y"}`, '--json']],
  [['call', 'nothing']],
  [['lock', 'check']],
  [['lock', 'check', '--json']],
  [['lock', 'approve', '--yes']],
  [['doctor']],
  [['doctor', '--json']],
])('%j shows nothing that drives a terminal, and no line that the server wrote', async (args) => {
  for (const tty of [true, false]) {
    const { stdout, stderr } = await run(args, { tty });
    expect(stdout + stderr).toContain('FORGED');
    expect(harmful(stdout)).toEqual([]);
    expect(harmful(stderr)).toEqual([]);
  }
});

test('what is escaped in JSON means the same', async () => {
  const { stdout } = await run(['list', '--json'], { tty: true });
  expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: evil, description: evil }] });
});

test.each([[[]], [['--json']]])('mooring trace %j shows nothing that drives a terminal', async (more) => {
  const stop = new AbortController();
  const onStderr = (text: string): void => {
    if (text.includes('Ctrl-C to stop')) stop.abort();
  };
  const { stdout, stderr } = await run(['trace', ...more], { tty: true, signal: stop.signal, onStderr });
  expect(stdout).toContain('FORGED');
  expect([...harmful(stdout), ...harmful(stderr)]).toEqual([]);
});
