import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, mooring } from '../../../test/support/command-line.ts';
import { type PlainTool, plainServer } from '../../../test/support/plain-server.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { parseCassette } from '../../recording/recording.ts';

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const hello = line({
  id: 'a',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'app', version: '2' } },
});
const list = line({ id: 'b', method: 'tools/list' });
const call = (args: object, id = 'c'): string =>
  line({ id, method: 'tools/call', params: { name: 'echo', arguments: args, _meta: { progressToken: 'mine' } } });

/** A folder with an echo server, and a function that runs commands there. */
async function echoing(tools: readonly PlainTool[] = [{ name: 'echo', description: 'Says it again' }]) {
  const dir = await folder();
  const { command, offer } = await plainServer(dir.path, tools);
  return {
    command,
    offer,
    path: dir.path,
    run: (args: readonly string[], more: object = {}) => mooring(args, { cwd: dir.path, ...more }),
    text: (name: string) => readFile(join(dir.path, name), 'utf8'),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

describe('mooring record and mooring replay', () => {
  test('replay sends a client the recorded responses', async () => {
    await using at = await echoing();
    const said = hello + list + call({ text: 'hi' });
    const live = await at.run(['record', '--out', 'c.ndjson', '--', ...at.command], { stdin: said });
    expect([live.code, live.stderr]).toEqual([0, `8 messages are in ${join(at.path, 'c.ndjson')}\n`]);
    expect((await stat(join(at.path, 'c.ndjson'))).mode & 0o777).toBe(0o600);
    const { head, lines } = parseCassette(await at.text('c.ndjson'));
    expect(head.server).toBe(at.command.join(' '));
    expect(lines.filter(({ side }) => side === '>')).toHaveLength(3);
    const again = await at.run(['replay', 'c.ndjson'], { stdin: said });
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(again.stdout.split('\n').toSorted()).toEqual(live.stdout.split('\n').toSorted());
    const other = await at.run(['replay', 'c.ndjson'], { stdin: call({ text: 'ho' }, 'd') });
    expect(JSON.parse(other.stdout)).toMatchObject({
      id: 'd',
      error: { message: expect.stringContaining('differs at arguments.text') },
    });
  });

  test('record waits for a server that starts slowly after stdin has ended', async () => {
    await using at = await echoing();
    // Skips a delay of 1.5 seconds, in which such a server may not have started.
    const clock: Clock = {
      ...systemClock,
      after: (ms, run, options) => systemClock.after(ms <= 1_500 ? 0 : ms, run, options),
    };
    const args = ['record', '--out', 'c.ndjson', '--', ...at.command];
    const { code, stderr } = await at.run(args, { stdin: hello + list + call({ text: 'hi' }), clock });
    expect([code, stderr]).toEqual([0, `8 messages are in ${join(at.path, 'c.ndjson')}\n`]);
  });

  test('record fails if no client writes, or if the command cannot be started', async () => {
    await using at = await echoing();
    const silent = await at.run(['record', '--out', 'c.ndjson', '--', ...at.command], { stdin: '' });
    expect(silent).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was recorded: no client wrote') });
    const absent = await at.run(['record', '--out', 'd.ndjson', '--', './not-there'], { stdin: '' });
    expect(absent.code).toBe(6);
    expect(absent.stderr).toContain('not-there');
    const asked = await at.run(['record', '--out', 'e.ndjson', '--', './not-there'], { stdin: hello });
    expect(asked.code).toBe(6);
  });

  test('record sends secrets to the server and masks them in the recording', async () => {
    await using at = await echoing();
    const secrets = ['hunter2-given', 'hunter2-argument', 'hunter2-bearer', 'hunter2-inside', 'postgres-dsn'];
    const [given, argument, bearer, inside, dsn] = secrets;
    const args = { password: argument, header: `Bearer ${bearer}`, note: `{"api_key":"${inside}"} ${given} ${dsn}` };
    const { stdout } = await at.run(
      ['record', '--out', 'c.ndjson', '--env', `API_TOKEN=${given}`, '--env', `DB=${dsn}`, '--', ...at.command],
      { stdin: hello + call(args) },
    );
    const tape = await at.text('c.ndjson');
    for (const secret of secrets) {
      expect(stdout).toContain(secret);
      expect(tape).not.toContain(secret);
    }
  });

  test('record lists a server by itself on a terminal', async () => {
    await using at = await echoing();
    const stop = new AbortController();
    const onStderr = (text: string): void => {
      if (text.includes('Listed everything')) stop.abort();
    };
    const args = ['record', '--out', 'c.ndjson', '--json', '--', ...at.command];
    const { code, stdout } = await at.run(args, { tty: true, signal: stop.signal, onStderr });
    expect([code, JSON.parse(stdout)]).toEqual([0, { file: join(at.path, 'c.ndjson'), messages: expect.any(Number) }]);
    expect(await at.text('c.ndjson')).toContain('"method":"tools/list"');
  });

  test('replay compares a live server with a recording, and exits with 1 if they differ', async () => {
    await using at = await echoing();
    const said = hello + list + call({ text: 'hi' }) + call({ password: 'hunter2' }, 'd');
    await at.run(['record', '--out', 'c.ndjson', '--', ...at.command], { stdin: said });
    const same = await at.run(['replay', 'c.ndjson', '--', ...at.command]);
    expect([same.code, same.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^4 requests: 3 with the same response, 0 different, 1 skipped\n {2}skipped {2}#d {2}tools\/call/,
      ),
    ]);
    await at.offer([{ name: 'echo', description: 'Says it twice' }]);
    const servers = { mcpServers: { shop: { command: at.command[0], args: at.command.slice(1) } } };
    await writeFile(join(at.path, '.mcp.json'), JSON.stringify(servers));
    const drift = await at.run(['replay', 'c.ndjson', '--against', 'shop', '--yes']);
    expect(drift.code).toBe(1);
    expect(drift.stdout).toContain(
      'different  #b tools/list at result.tools.0.description\n    recorded "Says it again"\n    now      "Says it twice"',
    );
    const told = await at.run(['replay', 'c.ndjson', '--against', 'shop', '--yes', '--json']);
    expect([told.code, JSON.parse(told.stdout)]).toMatchObject([
      1,
      { drift: 1, requests: [{ state: 'same' }, { state: 'drift', id: 'b' }, { state: 'same' }, { state: 'skipped' }] },
    ]);
  });

  test.each([
    [['record', 'https://a.test'], '--out: expected a file for the recording'],
    [['record', '--out', 'there.ndjson'], '<target>: expected a URL, a module, the name of a configured server'],
    [['record', 'https://a.test', '--out', 'there.ndjson'], '--out there.ndjson: this file exists already'],
    [['record', 'https://a.test', '--out', 'no/such/x'], '--out no/such/x: cannot be written'],
    [['record', 'shop', '--out', 'new.ndjson'], 'is not approved yet'],
    [['replay'], '<recording>: expected a file that'],
    [['replay', 'nowhere.ndjson'], 'nowhere.ndjson: file not found'],
    [['replay', 'there.ndjson'], 'there.ndjson: not a recording: line 1: not JSON'],
    [['replay', 'good.ndjson', 'more'], 'more: unexpected argument'],
    [['replay', 'good.ndjson', '--against', './nowhere.ts'], 'file not found'],
    [
      ['replay', 'good.ndjson', '--against', 'https://a.test', '--', 'x'],
      '--against: use either --against or a command',
    ],
    [['replay', 'good.ndjson', '--timeout', 'soon', '--', 'x'], '--timeout soon: expected a number'],
  ])('record and replay reject invalid arguments, and start or write nothing: %j', async (args, why) => {
    await using at = await echoing();
    await writeFile(join(at.path, 'there.ndjson'), 'mine');
    await writeFile(join(at.path, '.mcp.json'), JSON.stringify({ mcpServers: { shop: { command: 'shop' } } }));
    await writeFile(join(at.path, 'good.ndjson'), '{"cassette":1,"server":"x","at":"x","mask":"[masked]"}\n');
    const { code, stdout, stderr } = await at.run(args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
    expect(await at.text('there.ndjson')).toBe('mine');
    await expect(at.text('new.ndjson')).rejects.toThrow('ENOENT');
  });
});
