import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { plainServer } from '../../../test/support/plain-server.ts';

const client = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'app', version: '2' } },
  },
  { method: 'notifications/initialized' },
  {
    id: 'two',
    method: 'tools/call',
    params: { name: 'echo', arguments: { password: 'hunter2hunter2' }, _meta: { progressToken: 9 } },
  },
  { id: 3, method: 'nonsense' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

/** A folder with an echo server. */
async function echoing() {
  const dir = await folder();
  const { command } = await plainServer(dir.path, [{ name: 'echo' }]);
  return { path: dir.path, command, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

const untimed = (text: string): string[] =>
  text.split('\n').map((line) => line.replace(/^[\d:.]+ /, '').replace(/ \d+ ms/, ' … ms'));

describe('mooring trace', () => {
  test('says what to do if no client wrote to standard input', async () => {
    await using at = await echoing();
    const { code, stdout, stderr } = await mooring(['trace', '--', ...at.command]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe(
      'Nothing was printed: no client wrote to standard input. Put this command into the configuration of an application, or run it in a terminal.\n',
    );
  });

  test('stands between a client and a server: messages pass both ways, and each is printed', async () => {
    await using at = await echoing();
    const { code, stdout, stderr } = await mooring(['trace', '--', ...at.command], { stdin: client });
    expect(code).toBe(0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id?: unknown; method?: string });
    // Responses to concurrent requests can arrive in any order.
    expect(new Set(answers.map(({ id, method }) => id ?? method))).toEqual(
      new Set([1, 'notifications/progress', 'notifications/message', 'two', 3]),
    );
    expect(stdout).toContain('hunter2hunter2');
    // Messages of the server are printed in their order.
    const heard = untimed(stderr);
    expect(heard.filter((line) => line.startsWith('←')).map((line) => line.split(' … ms')[0])).toEqual([
      '← #1 initialize',
      '← notifications/progress 1',
      '← notifications/message info: called echo',
      '← #two tools/call',
      '← #3 nonsense',
    ]);
    expect(heard.toSorted()).toEqual(
      [
        '→ #1 initialize app 2, asks for 2025-06-18',
        '← #1 initialize … ms plain 1, speaks 2025-06-18; tools',
        '→ notifications/initialized',
        '→ #two tools/call echo {"password":"[masked]"}',
        '→ #3 nonsense',
        '← notifications/progress 1',
        '← notifications/message info: called echo',
        '← #two tools/call … ms echo {"password":"[masked]"}',
        '← #3 nonsense … ms error -32601 Method not found',
        '',
      ].toSorted(),
    );
  });

  test('writes to a file for its owner only, as JSON if that is wanted', async () => {
    await using at = await echoing();
    const args = ['trace', '--out', 'trace.ndjson', '--json', '--', ...at.command];
    const { code, stderr } = await mooring(args, { stdin: client, cwd: at.path });
    expect([code, stderr]).toEqual([0, '']);
    const text = await readFile(join(at.path, 'trace.ndjson'), 'utf8');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toHaveLength(9);
    expect(lines[0]).toMatchObject({ side: '>', message: { id: 1, method: 'initialize' } });
    expect(lines).toContainEqual(
      expect.objectContaining({ side: '<', answers: 'initialize', message: expect.objectContaining({ id: 1 }) }),
    );
    expect(text).not.toContain('hunter2');
    expect((await stat(join(at.path, 'trace.ndjson'))).mode & 0o777).toBe(0o600);
  });

  test('is the client itself on a terminal, lists everything, and runs until Ctrl-C', async () => {
    await using at = await echoing();
    const stop = new AbortController();
    const onStderr = (text: string): void => {
      if (text.includes('Listed everything')) stop.abort();
    };
    const { code, stdout } = await mooring(['trace', '--', ...at.command], {
      tty: true,
      signal: stop.signal,
      onStderr,
    });
    expect(code).toBe(0);
    expect(untimed(stdout)).toContain('← #3 tools/list … ms 1 tool: echo');
  });

  test('fails with the exit code of a server that exits', async () => {
    const command = [process.execPath, '-e', 'process.stdin.once("data", () => process.exit(3))'];
    const { code, stderr } = await mooring(['trace', '--', ...command], { stdin: client });
    expect([code, stderr]).toEqual([6, expect.stringContaining('code 3')]);
  });

  test.each([
    [[], '<target>: expected a URL, a module, the name of a configured server'],
    [['./nowhere.ts'], 'file not found'],
    [['https://a.test', 'more'], 'more: unexpected argument'],
    [['https://a.test', '--out', './no/such/folder/x'], '--out ./no/such/folder/x: cannot be written'],
  ])('what is wrong is named, and nothing is started: %j', async (args, why) => {
    await using dir = await folder();
    const { code, stdout, stderr } = await mooring(['trace', ...args], { cwd: dir.path });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
  });
});
