/** Peers that hang, send slowly, or respond twice or late, over real sockets, while other clients are served. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type HttpListener, type ServeHttpOptions, serveHttp } from '../../src/transport/node.ts';
import { port } from '../fixtures/port.ts';
import { HeldClock } from '../support/held-clock.ts';
import { call, note, progressing, request, stateless } from '../support/http-messages.ts';
import { ask, begin, open, postText, soon, until } from '../support/http-raw.ts';
import { hello, withHandshake } from '../support/raw.ts';

const listeners: HttpListener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close(0))));

async function serve(options: Partial<ServeHttpOptions> = {}): Promise<ReturnType<typeof port> & HttpListener> {
  const made = port();
  const listener = await serveHttp(made.server, { port: 0, ...options });
  listeners.push(listener);
  return { ...made, ...listener };
}

async function opened(url: string, revision: string): Promise<Record<string, string>> {
  const met = await ask(url, { body: request('hello', 'initialize', hello(revision, { elicitation: {} })) });
  const headers = { 'mcp-session-id': String(met.headers['mcp-session-id']) };
  await ask(url, { headers, body: note('notifications/initialized') });
  return headers;
}

/** Stops reading. Returns a function that tells whether everything arrived. */
function unread(stream: IncomingMessage): Promise<boolean> {
  stream.on('error', () => undefined).pause();
  return new Promise((resolve) => void stream.on('close', () => resolve(stream.complete)));
}

const echo = stateless('tools/call', { name: 'echo', arguments: { message: 'hi' } });

describe('a peer that is there and reads nothing', () => {
  test('loses its connection and not its call, where a session keeps it', async () => {
    const { url, aborted } = await serve({ maxCallsPerSession: 1 });
    const headers = await opened(url, '2025-11-25');
    const stream = await begin(url, { headers, body: call(1, 'flood') });
    const complete = unread(stream);
    expect((await ask(url, { headers, body: request(2, 'ping') })).status).toBe(429);
    // While it runs, all slots are taken; afterwards one is free, although no client read the response.
    await soon('the call to end', async () => (await ask(url, { headers, body: request(2, 'ping') })).status === 200);
    expect(aborted).toEqual([]);
    expect((await ask(url, { headers, body: call(3, 'echo', { message: 'on' }) })).text).toContain('on');
    stream.resume();
    expect(await complete).toBe(false);
  });

  test('is sent keep-alives, holds up no other client, and gets what follows when it reads again', async () => {
    const clock = new HeldClock();
    const { url, go } = await serve({ clock, keepAliveMs: 1_000 });
    const waiting = stateless('tools/call', { name: 'wait', _meta: { progressToken: 1 } });
    const stream = await begin(url, waiting);
    stream.pause();
    for (let n = 0; n < 100; n++) await clock.pass(1_000);
    expect((await ask(url, echo)).status).toBe(200);
    go();
    const hearing = until(stream, /"result"/);
    stream.resume();
    const heard = await hearing;
    expect(heard).toContain('went on');
    expect(heard).toMatch(/^:$/m);
  });

  test('but reads slowly gets all of an answer that was given before the server closed', async () => {
    const { url, close } = await serve();
    const size = 20_000_000;
    const stream = await begin(url, stateless('tools/call', { name: 'large', arguments: { size } }));
    const complete = unread(stream);
    const closing = close();
    let read = 0;
    stream.on('data', (chunk: Buffer) => {
      read += chunk.length;
      stream.pause();
      setImmediate(() => stream.resume());
    });
    stream.resume();
    expect(await complete).toBe(true);
    expect(read).toBeGreaterThan(size);
    await closing;
  });

  test('does not hold up the end of the server', async () => {
    const { url, close } = await serve();
    const size = 50_000_000;
    const stream = await begin(url, stateless('tools/call', { name: 'large', arguments: { size } }));
    const complete = unread(stream);
    await close(50);
    stream.resume();
    expect(await complete).toBe(false);
  });
});

describe('a peer that closes its own half of the connection', () => {
  const sent = (headers: Readonly<Record<string, string | undefined>>, body: unknown): string => {
    const all = { host: 'localhost', 'content-type': 'application/json', ...headers };
    const lines = Object.entries(all).map(([field, value]) => `${field}: ${value}\r\n`);
    return postText(JSON.stringify(body), lines.join(''));
  };

  test('has hung up: its call is cancelled where there are no sessions', async () => {
    const { url, ran, aborted } = await serve();
    const { headers, body } = stateless('tools/call', { name: 'wait' });
    const socket = await open(url);
    socket.end(sent(headers, body));
    await soon('the call', async () => ran() === 1);
    await soon('its end', async () => aborted.length === 1);
    socket.destroy();
  });

  test('finds the answer of its session where it left it', async () => {
    const { url, go, ran, aborted } = await serve();
    const headers = await opened(url, '2025-11-25');
    const socket = await open(url);
    socket.write(sent(headers, progressing(1, 'wait')));
    let heard = '';
    socket.setEncoding('utf8').on('data', (text: string) => (heard += text));
    await soon('progress', async () => heard.includes('notifications/progress'));
    socket.end();
    await once(socket, 'close');
    go();
    const [id = ''] = [...heard.matchAll(/^id: (\S+)$/gm)].map(([, found = '']) => found).slice(-1);
    const rest = await ask(url, { method: 'GET', headers: { ...headers, 'last-event-id': id } });
    expect(rest.text).toContain('went on');
    expect([ran(), aborted]).toEqual([1, []]);
  });
});

describe('a body that comes byte by byte', () => {
  const head = (length: number): string =>
    [
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      'Connection: close',
      'Content-Type: application/json',
      ...Object.entries(echo.headers).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${length}\r\n\r\n`,
    ].join('\r\n');

  /** Writes slowly until everything is written or the connection is closed, and returns the response. */
  async function dribble(url: string, body: string, ms: number): Promise<string> {
    const socket = await open(url);
    let heard = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (heard += chunk));
    socket.on('error', () => undefined);
    // Not with `once`, which rejects if a write fails.
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    socket.setNoDelay(true).write(head(body.length));
    for (const byte of body) {
      if (!socket.writable) break;
      socket.write(byte);
      await pause(ms);
    }
    await closed;
    return heard;
  }

  test('is read, when it is there in time', async () => {
    const { url, ran } = await serve();
    expect(await dribble(url, JSON.stringify(echo.body), 0)).toMatch(/^HTTP\/1\.1 200[\s\S]*"hi"/);
    expect(ran()).toBe(1);
  });

  test('is not waited for longer than a request may take, however lively it is, and takes no other place', async () => {
    const { url, ran } = await serve({ headersTimeoutMs: 200, requestTimeoutMs: 400, maxCalls: 1 });
    let over = false;
    const slow = Promise.all(
      Array.from({ length: 20 }, () => dribble(url, JSON.stringify(echo.body).padEnd(3_000), 10)),
    ).finally(() => {
      over = true;
    });
    let served = 0;
    for (; !over; served++) expect((await ask(url, echo)).status).toBe(200);
    expect(new Set((await slow).map((answer) => answer.slice(0, 12)))).toEqual(new Set(['HTTP/1.1 408']));
    expect(served).toBeGreaterThan(0);
    expect(ran()).toBe(served);
  });
});

describe.each(withHandshake.filter((id) => id >= '2025-06-18'))('an answer to a question, in %s', (revision) => {
  const answer = (id: unknown, confirm: boolean): object => ({
    jsonrpc: '2.0',
    id,
    result: { action: 'accept', content: { confirm } },
  });

  interface Asking {
    readonly headers: Record<string, string>;
    readonly id: unknown;
    readonly answered: Promise<string>;
    say(body: unknown): Promise<number>;
  }

  async function asking(url: string): Promise<Asking> {
    const headers = await opened(url, revision);
    const stream = await begin(url, { headers, body: call(1, 'sure') });
    const text = await until(stream, /elicitation\/create.*\n\n/);
    const data = [...text.matchAll(/^data: (.+)$/gm)].at(-1)?.[1] ?? '{}';
    const { id } = JSON.parse(data) as { id: unknown }; // a request
    const say = async (body: unknown): Promise<number> => (await ask(url, { headers, body })).status;
    return { headers, id, say, answered: until(stream, /"id":1,|"result"/) };
  }

  test('that comes many times at once counts once, and the first counts', async () => {
    const { url } = await serve();
    const { id, say, answered } = await asking(url);
    expect(await say(answer(id, true))).toBe(202);
    const again = await Promise.all(Array.from({ length: 20 }, () => say(answer(id, false))));
    expect(new Set(again)).toEqual(new Set([202]));
    expect((await answered).match(/"result"/g)).toHaveLength(1);
    expect(await answered).toContain('"yes"');
    expect(await say(request(2, 'ping'))).toBe(200);
  });

  test('to nothing that was asked, or to what another session was asked, changes nothing', async () => {
    const { url } = await serve();
    const [mine, yours] = await Promise.all([asking(url), asking(url)]);
    for (const id of ['__proto__', 'never', 0, -1]) expect(await mine.say(answer(id, false))).toBe(202);
    if (mine.id !== yours.id) expect(await yours.say(answer(mine.id, false))).toBe(202);
    expect(await mine.say(answer(mine.id, true))).toBe(202);
    expect(await yours.say(answer(yours.id, true))).toBe(202);
    expect([await mine.answered, await yours.answered].every((text) => text.includes('"yes"'))).toBe(true);
  });

  test('that comes after its call was cancelled, or after its session, is too late and has no effect', async () => {
    const { url } = await serve();
    const { headers, id, say, answered } = await asking(url);
    answered.catch(() => undefined);
    expect(await say(note('notifications/cancelled', { requestId: 1 }))).toBe(202);
    expect(await say(answer(id, true))).toBe(202);
    expect(await say(request(2, 'ping'))).toBe(200);
    expect((await ask(url, { method: 'DELETE', headers })).status).toBe(204);
    expect(await say(answer(id, true))).toBe(404);
    expect((await ask(url, echo)).status).toBe(200);
  });
});
