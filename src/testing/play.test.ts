import { describe, expect, test } from 'vitest';
import { HeldClock } from '../../test/support/held-clock.ts';
import { soon } from '../../test/support/soon.ts';
import { type ConnectOptions, connect } from '../connect/index.ts';
import { createServer, type Server, tool } from '../index.ts';
import { playClient, playServer } from './play.ts';
import { parseTranscript, type Transcript } from './transcript.ts';

const echo = (): Server =>
  createServer({
    name: 'echo',
    version: '1.0.0',
    parts: [
      tool({ name: 'hello', run: () => 'Hello' }),
      tool({ name: 'sure', run: async (_, ctx) => String(await ctx.confirm('sure', 'Sure?')) }),
    ],
  });

const initialize =
  '> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}\n';
const initialized = '> {"jsonrpc":"2.0","method":"notifications/initialized"}\n';
const meeting = `${initialize}< {"jsonrpc":"2.0","id":1,"result":"$_"}\n${initialized}`;
const hello = (text: string): string =>
  `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hello","arguments":{}}}\n` +
  `< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"${text}"}]}}\n`;
const read = (text: string): Transcript => parseTranscript(text);

describe('playServer', () => {
  test('a transcript passes when the server sends its messages', async () => {
    const text = meeting + hello('Hello');
    expect(await playServer(read(text), echo())).toBe(text);
  });

  test('playServer() shows both messages if they differ', async () => {
    const playing = playServer(read(meeting + hello('Goodbye')), echo());
    await expect(playing).rejects.toMatchObject({
      message: expect.stringMatching(
        /^Line 5 of the transcript differs at result\.content\.0\.text\n {2}expected: .*Goodbye.*\n {2}actual: .*Hello/,
      ),
      expected: { id: 2 },
      actual: { id: 2 },
    });
  });

  test('a transcript fails if an additional message arrives', async () => {
    const silent = hello('Hello').split('\n')[0] ?? '';
    await expect(playServer(read(meeting + silent), echo())).rejects.toThrow(
      /is not in the transcript\n.*nothing\n.*Hello/,
    );
  });

  test('a transcript fails if a message does not arrive in time', async () => {
    const more = `${meeting}< {"jsonrpc":"2.0","method":"notifications/message"}\n`;
    const clock = new HeldClock();
    const playing = playServer(read(more), echo(), { clock });
    const late = expect(playing).rejects.toThrow(/Line 4 of the transcript did not come in time/);
    // One timeout for the response to line 2, one for line 4.
    await soon(() => expect(clock.waits).toHaveLength(2));
    await clock.pass(2_000);
    await late;
  });

  test('a question of the server is answered with its own id', async () => {
    const text =
      `${meeting}> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sure"}}\n` +
      `< {"jsonrpc":"2.0","id":"$q","method":"elicitation/create","params":"$_"}\n` +
      `> {"jsonrpc":"2.0","id":"$q","result":{"action":"accept","content":{"confirm":true}}}\n` +
      `< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"true"}]}}\n`;
    expect(await playServer(read(text), echo())).toBe(text);
  });

  test('playServer() with update: true records the messages of the server, and preserves comments and names', async () => {
    const text = `# Meeting\n${initialize}< {"result":{"serverInfo":"$who"}}\n${initialized}# Calling\n${hello('?')}# Done\n`;
    const played = await playServer(read(text), echo(), { update: true });
    expect(played.split('\n').map((line) => line[0])).toEqual(['#', '>', '<', '>', '#', '>', '<', '#', undefined]);
    expect(played).toContain('"serverInfo":"$who"');
    expect(played).toContain(hello('Hello'));
    await expect(playServer(read(played), echo())).resolves.toBe(played);
  });
});

describe('playClient', () => {
  const options: ConnectOptions = {
    name: 'c',
    version: '1',
    revisions: ['2025-06-18'],
    elicit: () => ({ action: 'decline' }),
  };
  const text =
    meeting.replace(
      '"$_"',
      '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}',
    ) + hello('Hello').replace('"name":"hello"', '"name":"hello","_meta":"$_"');

  test('a transcript passes when the client sends its messages', async () => {
    const told: string[] = [];
    await playClient(read(text), async (transport) => {
      await using client = await connect(transport, options);
      told.push((await client.call('hello')).text);
    });
    expect(told).toEqual(['Hello']);
  });

  test('playClient() fails with the mismatch if the client sends another message', async () => {
    const playing = playClient(read(text), async (transport) => {
      await using client = await connect(transport, options);
      await client.call('goodbye');
    });
    await expect(playing).rejects.toThrow(/Line 4 of the transcript differs at params\.name/);
  });

  test('playClient() fails if the client stops early, or fails itself', async () => {
    const clock = new HeldClock();
    let hasLeft = false;
    const playing = playClient(
      read(text),
      async (transport) => {
        await (await connect(transport, options)).close();
        hasLeft = true;
      },
      { clock },
    );
    const early = expect(playing).rejects.toThrow(/Line 4 of the transcript did not come in time/);
    await soon(() => expect(hasLeft).toBe(true));
    await clock.pass(2_000);
    await early;
    const failing = playClient(read(text), () => Promise.reject(new Error('Not today')));
    await expect(failing).rejects.toThrow('Not today');
  });
});
