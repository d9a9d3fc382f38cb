/** Streams and sessions over real sockets: broken, resumed, polled, moved to another process, and ended. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type HttpListener, type ServeHttpOptions, serveHttp } from '../../src/transport/node.ts';
import { port } from '../fixtures/port.ts';
import { eventually } from '../support/children.ts';
import { call, note, progressing, request, stateless } from '../support/http-messages.ts';
import { type Answer, ask, begin, soon, until } from '../support/http-raw.ts';
import { hello } from '../support/raw.ts';
import { verifies } from '../support/verifies.ts';

const listeners: HttpListener[] = [];
const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

type Headers = Record<string, string>;

async function serve(options: Partial<ServeHttpOptions> = {}): Promise<ReturnType<typeof port> & HttpListener> {
  const made = port();
  const listener = await serveHttp(made.server, { port: 0, ...options });
  listeners.push(listener);
  return { ...made, ...listener };
}

async function opened(url: string, revision: string): Promise<Headers> {
  const met = await ask(url, { body: request('hello', 'initialize', hello(revision, { elicitation: {} })) });
  const headers = { 'mcp-session-id': String(met.headers['mcp-session-id']) };
  await ask(url, { headers, body: note('notifications/initialized') });
  return headers;
}

const idsIn = (text: string): string[] => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id = '']) => id);
const dataIn = (text: string): string[] => [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data);
const last = (text: string): string => idsIn(text).at(-1) ?? '';
const resume = (url: string, headers: Headers, id: string): Promise<Answer> =>
  ask(url, { method: 'GET', headers: { ...headers, 'last-event-id': id } });

describe.each(['2025-03-26', '2025-06-18', '2025-11-25'])('in %s', (revision) => {
  test('a stream that is cut after any message is taken up with nothing lost and nothing twice', async () => {
    verifies('HTTP-050', 'HTTP-053', 'HTTP-054');
    const { url } = await serve();
    const headers = await opened(url, revision);
    const to = 8;
    for (let cut = 1; cut <= to; cut++) {
      const response = await begin(url, { headers, body: progressing(cut, 'count', { to }) });
      const seen = await until(response, new RegExp(`(?:^data: .+\\n\\n[\\s\\S]*?){${cut}}`, 'm'));
      response.destroy();
      // The socket may have received more than this client acknowledges.
      const ids = idsIn(seen).filter((id) => !id.endsWith('.0'));
      const rest = await resume(url, headers, ids[cut - 1] ?? '');
      const all = [...dataIn(seen).slice(0, cut), ...dataIn(rest.text)].map((data) => JSON.parse(data));
      expect(all.slice(0, to).map(({ params }) => params.progress)).toEqual(
        Array.from({ length: to }, (_, n) => n + 1),
      );
      expect(all.slice(to)).toMatchObject([{ id: cut, result: {} }]);
    }
  });

  test('hanging up calls nothing off, and the answer waits', async () => {
    verifies('HTTP-034');
    const { url, go, aborted, ran } = await serve();
    const headers = await opened(url, revision);
    const response = await begin(url, { headers, body: progressing(1, 'wait') });
    const seen = await until(response, /progress/);
    response.destroy();
    const back = await begin(url, { method: 'GET', headers: { ...headers, 'last-event-id': last(seen) } });
    go();
    expect(await until(back, /"result"/)).toContain('went on');
    expect([ran(), aborted]).toEqual([1, []]);
  });

  test('many sessions at once hear their own answers, whatever ids they use', async () => {
    const { url } = await serve();
    const sessions = await Promise.all(Array.from({ length: 50 }, () => opened(url, revision)));
    expect(new Set(sessions.map((headers) => headers['mcp-session-id'])).size).toBe(50);
    const answers = await Promise.all(
      sessions.map((headers, n) => ask(url, { headers, body: call(1, 'echo', { message: `mine ${n}.` }) })),
    );
    expect(answers.every(({ text }, n) => text.includes(`mine ${n}.`))).toBe(true);
  });
});

describe('without sessions', () => {
  test('hanging up calls the request off', async () => {
    verifies('HTTP-036', 'HTTP-037');
    const { url, aborted } = await serve();
    const response = await begin(url, stateless('tools/call', { name: 'wait', _meta: { progressToken: 1 } }));
    await until(response, /progress/);
    response.destroy();
    await eventually('the call to be cancelled', () => aborted.length === 1);
  });

  test('an answer that was read to its end calls nothing off', async () => {
    const { url, go, aborted } = await serve();
    const asked = begin(url, stateless('tools/call', { name: 'wait', _meta: { progressToken: 1 } }));
    const response = await asked;
    go();
    expect(await until(response, /"result"/)).toContain('went on');
    await eventually('the end', () => response.complete);
    expect(aborted).toEqual([]);
  });

  test('a hundred streams of news hear the same piece of it, each under its own name', async () => {
    const { url, server } = await serve();
    const listening = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const streams = await Promise.all(
      Array.from({ length: 100 }, (_, id) => begin(url, { ...listening, body: { ...listening.body, id } })),
    );
    const heard = streams.map((stream) => until(stream, /list_changed.*\n\n/));
    server.remove('echo');
    for (const [id, text] of (await Promise.all(heard)).entries()) expect(text).toContain(`subscriptionId":${id}}`);
    for (const stream of streams) stream.destroy();
  });
});

test('a handler lets the connection go, and the client comes back for the answer', async () => {
  verifies('HTTP-028', 'HTTP-029', 'HTTP-030');
  const { url, go } = await serve();
  const headers = await opened(url, '2025-11-25');
  const polled = await ask(url, { headers, body: call(1, 'later') });
  expect(polled.text).toMatch(/^id: \S+\.0\nretry: 1000\ndata:\n\nretry: 200\n\n$/);
  const back = await begin(url, { method: 'GET', headers: { ...headers, 'last-event-id': last(polled.text) } });
  go();
  expect(await until(back, /"result"/)).toContain('later');
});

test('sessions that are opened and left do not grow without end', async () => {
  const { url } = await serve({ maxSessions: 100 });
  const first = await opened(url, '2025-11-25');
  for (let n = 0; n < 10; n++) await Promise.all(Array.from({ length: 30 }, () => opened(url, '2025-11-25')));
  expect((await ask(url, { headers: first, body: request(1, 'ping') })).status).toBe(404);
});

describe('HTTP+SSE', () => {
  test('stands beside the endpoint, and speaks to clients of the oldest revision', async () => {
    verifies('SSE-001', 'SSE-002', 'SSE-004', 'SSE-009');
    const { url } = await serve({ sse: '/sse' });
    const old = url.replace('/mcp', '/sse');
    const stream = await begin(old, { method: 'GET', headers: { accept: 'text/event-stream' } });
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await eventually('the endpoint', () => /^data: (.+)$/m.test(text));
    const endpoint = new URL(/^data: (.+)$/m.exec(text)?.[1] ?? '', old).href;
    expect((await ask(endpoint, { body: request(1, 'initialize', hello('2024-11-05')) })).status).toBe(202);
    await eventually('the answer', () => text.includes('"id":1'));
    expect((await ask(endpoint, { body: call(2, 'echo', { message: 'old' }) })).status).toBe(202);
    await eventually('the answer', () => text.includes('"text":"old"'));
    stream.destroy();
    await soon('the end', async () => (await ask(endpoint, { body: request(3, 'ping') })).status === 404);
  });

  test('is not there unless it is asked for', async () => {
    const { url } = await serve();
    expect((await ask(url.replace('/mcp', '/sse'), { method: 'GET' })).status).toBe(404);
  });
});

describe('two processes that share a folder', () => {
  const start = async (folder: string): Promise<{ child: ChildProcess; url: string }> => {
    const child = fork('test/fixtures/http/serves.ts', [folder], { execArgv: ['--import', 'tsx'] });
    children.push(child);
    const url = await new Promise<string>((resolve) => {
      child.on('message', (said) => {
        if (typeof said === 'string') resolve(said);
      });
    });
    return { child, url };
  };

  test('lose nothing when the one that was speaking is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-'));
    folders.push(folder);
    const [a, b] = await Promise.all([start(folder), start(folder)]);
    const headers = await opened(a.url, '2025-11-25');
    const posted = await ask(a.url, { headers, body: progressing(1, 'count', { to: 3 }) });
    const standing = await begin(a.url, { method: 'GET', headers });
    a.child.send('news');
    const heard = await until(standing, /list_changed.*\n\n/);
    standing.on('error', () => undefined).destroy();
    a.child.send('news');
    // A call that A answers after the client has disconnected.
    const waiting = await begin(a.url, { headers, body: progressing(2, 'wait') });
    const begun = await until(waiting, /progress/);
    waiting.on('error', () => undefined).destroy();
    a.child.send('go');
    await soon('A to write it down', async () => (await resume(b.url, headers, last(begun))).text.includes('went on'));
    a.child.kill('SIGKILL');
    await once(a.child, 'exit');
    // Calls continue.
    const echoed = await ask(b.url, { headers, body: call(3, 'echo', { message: 'from B' }) });
    expect(echoed.text).toContain('from B');
    // Streams continue, from any event.
    for (const [at, id] of idsIn(posted.text).entries()) {
      const rest = await resume(b.url, headers, id);
      expect(dataIn(rest.text)).toEqual(dataIn(posted.text).slice(at));
    }
    // Change notifications continue: missed ones first, then new ones.
    const news = await begin(b.url, { method: 'GET', headers: { ...headers, 'last-event-id': last(heard) } });
    const missed = until(news, /(?:list_changed[\s\S]*){2}/);
    await eventually('B to be listening', () => news.statusCode === 200);
    b.child.send('news');
    expect((await missed).match(/list_changed/g)).toHaveLength(2);
    news.destroy();
    // Questions are asked and answered there.
    const asking = await begin(b.url, { headers, body: call(4, 'sure') });
    const question = await until(asking, /elicitation\/create.*\n\n/);
    const { id } = JSON.parse(dataIn(question).at(-1) ?? '{}') as { id: string }; // a request
    const answered = until(asking, /"result"/);
    await ask(b.url, {
      headers,
      body: { jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } },
    });
    expect(await answered).toContain('yes');
    // The session has ended for all processes.
    expect((await ask(b.url, { method: 'DELETE', headers })).status).toBe(204);
    expect((await ask(b.url, { headers, body: request(5, 'ping') })).status).toBe(404);
  });

  test('lose nothing that both change about a session at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-'));
    folders.push(folder);
    const [a, b] = await Promise.all([start(folder), start(folder)]);
    const headers = await opened(a.url, '2025-11-25');
    const uris = Array.from({ length: 20 }, (_, n) => `x:${n}`);
    const subscribed = await Promise.all(
      uris.map((uri, n) =>
        ask(n % 2 === 0 ? a.url : b.url, { headers, body: request(n, 'resources/subscribe', { uri }) }),
      ),
    );
    expect(subscribed.map(({ status, text }) => [status, text.includes('"result"')])).toEqual(
      uris.map(() => [200, true]),
    );
    const kept = JSON.parse(readFileSync(join(folder, String(headers['mcp-session-id'])), 'utf8')) as {
      session: { subscriptions: string[] };
    }; // the fixture writes it
    expect(kept.session.subscriptions.toSorted()).toEqual(uris.toSorted());
  });

  test('tell each other’s news, to sessions and to streams of news, once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-'));
    folders.push(folder);
    const both = await Promise.all([start(folder), start(folder)]);
    const [a, b] = both;
    for (const { child } of both) child.on('message', (shared) => both.map((one) => one.child.send(shared)));
    const headers = await opened(a.url, '2025-11-25');
    const standing = await begin(b.url, { method: 'GET', headers });
    const listen = stateless('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const listening = await begin(b.url, listen);
    await until(listening, /acknowledged/);
    const heard = ['', ''];
    for (const [n, stream] of [standing, listening].entries()) {
      stream.setEncoding('utf8').on('data', (text: string) => (heard[n] += text));
    }
    const counts = (): number[] => heard.map((text) => text.match(/list_changed/g)?.length ?? 0);
    // A duplicate would have arrived before all processes report another change.
    for (const [n, { child }] of [a, b, a, b].entries()) {
      child.send('news');
      await eventually('the news', () => counts().every((count) => count > n));
      expect(counts()).toEqual([n + 1, n + 1]);
    }
    for (const stream of [standing, listening]) stream.on('error', () => undefined).destroy();
  });

  test('survive a restart between any two messages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mooring-'));
    folders.push(folder);
    const first = await start(folder);
    const met = await ask(first.url, { body: request(1, 'initialize', hello('2025-06-18')) });
    const headers = { 'mcp-session-id': String(met.headers['mcp-session-id']) };
    first.child.kill('SIGKILL');
    const second = await start(folder);
    expect((await ask(second.url, { headers, body: note('notifications/initialized') })).status).toBe(202);
    second.child.send('close');
    await once(second.child, 'exit');
    const third = await start(folder);
    expect((await ask(third.url, { headers, body: call(2, 'echo', { message: 'third' }) })).text).toContain('third');
  });
});

describe('closing', () => {
  test('lets calls in hand be answered, and takes no more', async () => {
    const { url, close, go } = await serve();
    const kept = await begin(url, stateless('tools/call', { name: 'wait', _meta: { progressToken: 1 } }));
    const answer = until(kept, /"result"/);
    const closing = close();
    await soon('every caller to be rejected', async () => {
      return await ask(url, stateless('tools/list'))
        .then(({ status }) => status === 503)
        .catch(() => true);
    });
    go();
    expect(await answer).toContain('went on');
    await closing;
  });

  test('ends streams: news with an answer, standing ones with a hint to come back', async () => {
    verifies('HTTP-030', 'SSE-008');
    const { url, close } = await serve();
    const headers = await opened(url, '2025-11-25');
    const text = async (stream: IncomingMessage): Promise<string> => {
      let heard = '';
      for await (const chunk of stream.setEncoding('utf8')) heard += chunk as string; // an encoding is set
      return heard;
    };
    const standing = text(await begin(url, { method: 'GET', headers }));
    const listening = text(
      await begin(url, stateless('subscriptions/listen', { notifications: { toolsListChanged: true } })),
    );
    await close();
    expect(await standing).toMatch(/retry: 1000\n\n$/);
    expect(await listening).toContain('"resultType":"complete"');
  });

  test('does not wait longer than it is told to', async () => {
    const { url, close, aborted } = await serve();
    const headers = await opened(url, '2025-11-25');
    const response = await begin(url, { headers, body: progressing(1, 'wait') });
    response.on('error', () => undefined).resume();
    await close(50);
    expect(aborted).toEqual([expect.stringContaining('shutting down')]);
  });
});
