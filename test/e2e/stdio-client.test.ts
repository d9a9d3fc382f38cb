/** The stdio client with real processes that misbehave. */
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Message,
  notification,
  type RpcNotification,
  type RpcRequest,
  request,
  resultOf,
  success,
} from '../../src/jsonrpc/message.ts';
import { faultOf } from '../../src/jsonrpc/read.ts';
import { type Clock, systemClock } from '../../src/peer/clock.ts';
import type { Connection, Exchange } from '../../src/peer/exchange.ts';
import { type Command, childTransport } from '../../src/transport/child.ts';
import { alive, eventually } from '../support/children.ts';
import { verifies } from '../support/verifies.ts';
import { link } from '../support/wire.ts';

const badly = fileURLToPath(new URL('../fixtures/stdio/badly.mjs', import.meta.url));
const open: Connection[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((line) => line.close()));
});

async function start(
  args: readonly string[],
  options: Partial<Command> = {},
  inbound: Exchange = deaf,
): Promise<Connection> {
  const line = await childTransport({ command: process.execPath, args: [badly, ...args], ...options })(inbound, {});
  open.push(line);
  return line;
}

const deaf: Exchange = () => Promise.resolve(undefined);

async function ask(
  line: Connection,
  method: string,
  params?: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const response = await line.exchange(request('x', method, params), link());
  if (response === undefined) throw new Error('no answer');
  return resultOf(response);
}

/** Ten times as fast as real time. */
const hurried: Clock = {
  now: () => systemClock.now() * 10,
  wall: () => systemClock.wall(),
  after: (ms, run) => systemClock.after(ms / 10, run),
};

/** No time passes, so that what ends, ends without waiting. */
const stopped: Clock = { ...hurried, after: () => () => undefined };

const pidOf = async (line: Connection): Promise<number> => Number((await ask(line, 'pid'))['pid']);
/** Waits until they are gone. They were killed, but not all are our children, so the system can take a while. */
const gone = (...pids: readonly number[]): Promise<void> =>
  eventually(`the end of ${pids.join(' and ')}`, () => !pids.some(alive));
const descriptors = (): number => readdirSync('/proc/self/fd').length;

describe('a server that behaves', () => {
  test('is started, asked and ended by the end of its input', async () => {
    verifies('STDIO-002', 'STDIO-018', 'STDIO-019', 'LIFE-019');
    const line = await start(['well'], { clock: stopped });
    const pid = await pidOf(line);
    expect(await ask(line, 'echo', { text: 'Grüße\n🙂' })).toEqual({ text: 'Grüße\n🙂' });
    await line.close();
    expect(alive(pid)).toBe(false);
    expect(await line.closed).toBeUndefined();
    await expect(ask(line, 'echo')).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  });

  test('is given nothing but messages, one per line, whatever it writes itself', async () => {
    verifies('STDIO-001', 'STDIO-006', 'STDIO-011', 'BASE-030');
    const inbound: Exchange = (message) =>
      Promise.resolve('id' in message ? success(message.id as string, {}) : undefined);
    const line = await start(['noise'], {}, inbound);
    await line.exchange(notification('notifications/initialized'), link());
    const caller = link();
    const hanging = line.exchange(request('x', 'hang', { text: 'line\nbreak' }), caller);
    caller.abort.abort(new Error('too\nslow'));
    await expect(hanging).rejects.toThrow('too');
    const ping = request(1, 'ping');
    for (const message of [ping, { ...ping, id: 2, method: 5 }, { ...ping, id: null }, [ping], {}, { level: 30 }])
      await line.exchange(notification('ask', { message }), link());
    await ask(line, 'echo');
    const { lines } = await ask(line, 'lines');
    const messages = (lines as string[]).map((text) => JSON.parse(text) as unknown);
    expect(messages.map(faultOf)).toEqual(messages.map(() => undefined));
    expect(messages).toContainEqual(success(1, {}));
    expect(messages).toContainEqual(notification('notifications/cancelled', { requestId: 1, reason: 'too\nslow' }));
  });

  test('answers many at once, each to its caller', async () => {
    const line = await start(['well']);
    const answers = await Promise.all(Array.from({ length: 5000 }, (_, n) => ask(line, 'echo', { n })));
    expect(answers).toEqual(Array.from({ length: 5000 }, (_, n) => ({ n })));
  });

  test('gets the variables that are allowed and those that are named, and no other', async () => {
    const line = await start(['well'], { env: { TOKEN: 'for it' } });
    const seen = Object.keys(await ask(line, 'env'));
    const list = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'TMPDIR'];
    const inherited = Object.keys(process.env).filter((name) => list.includes(name) || name.startsWith('LC_'));
    expect(seen.sort()).toEqual([...inherited, 'TOKEN'].sort());
  });

  test('runs where it is told to', async () => {
    const script = 'process.stdout.write(JSON.stringify({jsonrpc:"2.0",method:"n",params:{cwd:process.cwd()}})+"\\n")';
    const heard: Message[] = [];
    const inbound: Exchange = (message) => {
      heard.push(message);
      return Promise.resolve(undefined);
    };
    const line = await start([], { args: ['-e', script], cwd: '/' }, inbound);
    await line.closed;
    expect(heard).toEqual([notification('n', { cwd: '/' })]);
  });

  test('is closed twice at once without harm, and nothing of it stays', async () => {
    const counts = (): number[] => ['exit', 'SIGTERM', 'SIGINT'].map((event) => process.listenerCount(event));
    const [listeners, limit] = [counts(), process.getMaxListeners()];
    const line = await start(['well']);
    await Promise.all([line.close(), line.close()]);
    const before = descriptors();
    for (let i = 0; i < 5; i++) await (await start(['well'])).close();
    expect(descriptors()).toBeLessThanOrEqual(before);
    expect(counts()).toEqual(listeners);
    expect(process.getMaxListeners()).toBe(limit);
  });

  test('twelve of them at once cause no warning about listeners', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const lines = await Promise.all(Array.from({ length: 12 }, () => start(['well'])));
    await Promise.all(lines.map((line) => line.close()));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('what a server writes', () => {
  test('noise is skipped, counted and reported, and calls are not disturbed', async () => {
    const strays: [string, string][] = [];
    const line = await start(['noise'], { onStray: (what, sample) => strays.push([what, sample]) });
    expect(await ask(line, 'echo', { a: 1 })).toEqual({ a: 1 });
    expect(strays).toHaveLength(7);
    expect(strays[0]).toEqual(['Parse error: not JSON (1 so far)', '\\u001b[32mWelcome!\\u001b[0m']);
    expect(strays[1]).toEqual([expect.stringContaining('(2 so far)'), '{"level":30,"msg":"listening"}']);
    expect(strays[6]?.[1]).toBe('n'.repeat(200));
  });

  test('functions that are told of it and throw, at once or later, disturb no call and end no process', async () => {
    const line = await start(['noise'], {
      onStray: () => {
        throw new Error('now');
      },
    });
    expect(await ask(line, 'echo', { a: 1 })).toEqual({ a: 1 });
    let isTold = false;
    const onStderr: () => unknown = async () => {
      isTold = true;
      throw new Error('later');
    };
    const told = await start(['flood'], { onStderr });
    expect(await ask(told, 'echo', { a: 1 })).toEqual({ a: 1 });
    await eventually('stderr was read', () => isTold);
  });

  test('twenty megabytes on stderr are read, kept from the protocol, and mean nothing', async () => {
    verifies('STDIO-008', 'STDIO-009');
    let bytes = 0;
    const line = await start(['flood'], { onStderr: (text) => (bytes += text.length) });
    expect(await ask(line, 'echo', { a: 1 })).toEqual({ a: 1 });
    await eventually('all of stderr is read', () => bytes === 20 * 1024 * 1024);
  });

  test('a byte order mark, carriage returns, empty lines and split characters do no harm', async () => {
    const heard: unknown[] = [];
    const inbound: Exchange = (message) => {
      heard.push((message as RpcNotification).params?.['text']);
      return Promise.resolve(undefined);
    };
    const line = await start(['framing'], {}, inbound);
    expect(await ask(line, 'echo', { a: 1 })).toEqual({ a: 1 });
    expect(heard).toEqual(['Grüße', '🙂', 'bye']);
  });

  test('a line may be as long as the limit', async () => {
    const line = await start(['well']);
    const limit = 10 * 1024 * 1024;
    for (const bytes of [limit - 1, limit]) {
      const { text } = await ask(line, 'big', { bytes });
      expect(String(text).length).toBeGreaterThan(limit - 100);
    }
  });

  test.each([
    ['one byte more than the limit', 'well', 'big', { bytes: 10 * 1024 * 1024 + 1 }],
    ['no end', 'endless', 'hang', {}],
  ])('a line with %s ends the conversation and the server', async (_, mode, method, params) => {
    const line = await start([mode]);
    const pid = mode === 'well' ? await pidOf(line) : 0;
    await expect(ask(line, method, params)).rejects.toMatchObject({
      code: 'MCP_TOO_LARGE',
      details: { limit: 10 * 1024 * 1024, setting: 'maxLineBytes' },
    });
    expect(await line.closed).toMatchObject({ code: 'MCP_TOO_LARGE' });
    await line.close();
    if (pid > 0) expect(alive(pid)).toBe(false);
  });

  test('questions without end from a server that reads no answers end it too', async () => {
    const inbound: Exchange = (message) => Promise.resolve(success((message as RpcRequest).id, {}));
    const line = await start(['asking'], { maxUnreadBytes: 1024 * 1024 }, inbound);
    expect(await line.closed).toMatchObject({ code: 'MCP_TOO_LARGE', details: { setting: 'maxUnreadBytes' } });
  });
});

describe('a command that is not a server', () => {
  test.each([
    ['prints text', 'console.log("Listening on port 3000")', 'MCP_BAD_LINE', 'Listening on port 3000'],
    ['asks a question', 'process.stdout.write("Ok to proceed? (y) ")', 'MCP_BAD_LINE', 'Ok to proceed? (y) '],
    ['prints to stderr', 'console.error("Connecting to db:5432")', 'MCP_SERVER_SILENT', 'Connecting to db:5432'],
    ['prints nothing', '', 'MCP_SERVER_SILENT', 'sent no message. Check that it is an MCP server'],
  ])('and %s says so when nothing came of it', async (_, script, code, text) => {
    const line = await start([], { args: ['-e', `${script}; setTimeout(() => {}, 60_000)`] });
    await eventually(text, () => line.silence?.()?.message.includes(text) === true);
    expect(line.silence?.()).toMatchObject({ code });
  });
});

describe('a server that ends', () => {
  test('and was no server at all is quoted by what it printed', async () => {
    const line = await start([], { args: ['-e', 'console.log("usage: tool [options]"); process.exit(2)'] });
    const reason = await line.closed;
    expect(reason).toMatchObject({ code: 'MCP_SERVER_EXITED', details: { how: 'code 2' } });
    expect(reason?.cause).toMatchObject({ code: 'MCP_BAD_LINE', details: { line: 'usage: tool [options]' } });
  });

  test('before anything was asked is reported with its code and its last words', async () => {
    const line = await start(['early']);
    const reason = await line.closed;
    expect(reason).toMatchObject({ code: 'MCP_SERVER_EXITED', details: { command: process.execPath, how: 'code 3' } });
    expect(reason?.message).toContain(
      'ended (code 3); the end of its stderr:\n  | cannot find the \\u001b[31mconfiguration',
    );
    await expect(ask(line, 'echo')).rejects.toBe(reason);
  });

  test.each([
    ['die', { code: 1 }, 'code 1'],
    ['die', { code: 0 }, 'code 0'],
    ['kill', {}, 'signal SIGKILL'],
  ])('during %s %j fails what is open at once, and says how: %s', async (method, params, how) => {
    const line = await start(['well'], { clock: stopped });
    const hanging = ask(line, 'hang');
    const dying = ask(line, method, params);
    await expect(hanging).rejects.toMatchObject({ code: 'MCP_SERVER_EXITED', details: { how } });
    await expect(dying).rejects.toMatchObject({ code: 'MCP_SERVER_EXITED' });
  });

  test('in the middle of a line loses that line and none before it', async () => {
    const line = await start(['well']);
    const [whole, half] = [ask(line, 'partial'), ask(line, 'hang')];
    expect(await whole).toEqual({});
    await expect(half).rejects.toMatchObject({ code: 'MCP_SERVER_EXITED', details: { how: 'code 1' } });
  });

  test('right behind its answers has them all delivered', async () => {
    const line = await start(['well']);
    const waiting = Array.from({ length: 500 }, () => ask(line, 'hang'));
    const last = ask(line, 'flush', { ids: Array.from({ length: 500 }, (_, i) => i + 1) });
    expect(await Promise.all(waiting)).toHaveLength(500);
    await expect(last).rejects.toMatchObject({ details: { how: 'code 7' } });
  });

  test('again and again leaves nothing behind', async () => {
    await (await start(['well'])).close();
    const before = descriptors();
    for (let i = 0; i < 10; i++) {
      const line = await start(['well']);
      await expect(ask(line, 'kill')).rejects.toMatchObject({ code: 'MCP_SERVER_EXITED' });
      await line.close();
    }
    expect(descriptors()).toBeLessThanOrEqual(before);
  });

  test.each([
    ['closed-stdout', 'it closed its stdout'],
    ['closed-stdin', 'it closed its stdin'],
  ])('by half (%s) is over, and is made to end', async (mode, how) => {
    let ready = mode === 'closed-stdout';
    const line = await start([mode], { clock: hurried, onStderr: () => (ready = true) });
    await eventually('the server is ready', () => ready);
    await expect(ask(line, 'hang')).rejects.toMatchObject({ code: 'MCP_SERVER_EXITED', details: { how } });
    expect(await line.closed).toMatchObject({ details: { how } });
    await line.close();
  });
});

describe('a server that does not want to end', () => {
  test('is told twice and then not asked again', async () => {
    verifies('STDIO-018', 'STDIO-019');
    const line = await start(['stubborn']);
    const pid = await pidOf(line);
    const open = ask(line, 'hang');
    const began = performance.now();
    const closing = line.close();
    await expect(open).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    expect(alive(pid)).toBe(true);
    await closing;
    expect(performance.now() - began).toBeGreaterThan(3900);
    expect(alive(pid)).toBe(false);
  });

  test.each(['soft', 'stubborn'])('and a %s helper it started go together', async (kind) => {
    let helper = 0;
    const inbound: Exchange = (message) => {
      helper = Number((message as RpcNotification).params?.['pid']);
      return Promise.resolve(undefined);
    };
    const line = await start(['helper', kind], { clock: hurried }, inbound);
    await eventually('the helper runs', () => helper > 0);
    const pid = await pidOf(line);
    await line.close();
    await gone(pid, helper);
  });

  test('and a helper that outlives it is ended when the server has exited by itself', async () => {
    let helper = 0;
    const inbound: Exchange = (message) => {
      helper = Number((message as RpcNotification).params?.['pid']);
      return Promise.resolve(undefined);
    };
    const line = await start(['helper', 'stubborn'], { clock: hurried }, inbound);
    await eventually('the helper runs', () => helper > 0);
    await expect(ask(line, 'kill')).rejects.toMatchObject({ details: { how: 'signal SIGKILL' } });
    await line.close();
    await gone(helper);
  });

  test('behind a launcher is ended with it', async () => {
    const script = 'exec 3<&0; "$0" "$1" stubborn <&3 & wait';
    const line = await start([], { command: 'sh', args: ['-c', script, process.execPath, badly], clock: hurried });
    const pid = await pidOf(line);
    await line.close();
    await gone(pid);
  });
});

describe('a command that cannot be started', () => {
  test.each([
    [{ command: 'no-such-program-anywhere' }, 'no such program in PATH; install it, or give its full path'],
    [{ command: '/no/such/file' }, 'no such file; check the path'],
    [{ command: badly }, 'it is not executable; run chmod +x, or name the program that runs it'],
    [{ command: process.execPath, cwd: '/no/such/folder' }, 'its working directory /no/such/folder does not exist'],
    [{ command: process.execPath, args: ['a\0b'] }, 'null bytes'],
  ])('%j fails with what to do', async (command, why) => {
    const listeners = process.listenerCount('exit');
    const failing = childTransport(command)(deaf, {});
    await expect(failing).rejects.toMatchObject({ code: 'MCP_SPAWN_FAILED', message: expect.stringContaining(why) });
    await expect(failing).rejects.toThrow(command.command);
    expect(process.listenerCount('exit')).toBe(listeners);
  });
});
