/** The HTTP server of the workbench: limits of requests and results, routes, event streams, delays for wrong tokens. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { soon } from '../../test/support/soon.ts';
import { startPage } from '../../test/support/workbench.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import { EventFeed, MAX_PAGE_MESSAGE } from './event-feed.ts';
import { LargeResults } from './large-results.ts';
import type { BlobReference } from './result-reference.ts';
import { type ServeWorkbenchOptions, serveWorkbench } from './serve-node.ts';

const MAX_BODY = 8 * 1024 * 1024;

async function serve(more: Partial<ServeWorkbenchOptions> = {}) {
  const [clock, feed, large] = [virtualClock(), new EventFeed('p'), new LargeResults()];
  const [pages, asked]: [number[], unknown[]] = [[], []];
  const served = await serveWorkbench({
    ...{ port: 0, address: '127.0.0.1', folder: pathToFileURL('test/support/workbench-page/') },
    ...{ feed, large, clock },
    ...{ frameSources: [], onForeignOrigin: () => undefined, onPages: (count: number) => void pages.push(count) },
    answer: async (one) => {
      asked.push(one);
      return { jsonrpc: '2.0', id: 1, result: {} };
    },
    ...more,
  });
  const { origin } = served;
  const token = await startPage(origin, served.invite());
  const own = { Origin: origin, Authorization: `Bearer ${token}` };
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${origin}${path}`, { headers: own, ...init });
  const post = (path: string, body: string): Promise<Response> => send(path, { method: 'POST', body });
  const dispose = { [Symbol.asyncDispose]: () => served.close() };
  return { ...dispose, served, origin, own, send, post, clock, feed, large, pages, asked };
}

test('a large result can be fetched once', async () => {
  await using one = await serve();
  const { blob } = one.large.shorten('x'.repeat(MAX_PAGE_MESSAGE)) as BlobReference;
  const fetched = async () => (await one.send(`/blob/${blob}`)).status;
  expect([await fetched(), await fetched()]).toEqual([200, 404]);
});

test('a request over 8 MiB is rejected, and its handler does not run', async () => {
  await using one = await serve();
  const [fits, over] = [JSON.stringify('x'.repeat(MAX_BODY - 2)), 'x'.repeat(MAX_BODY + 1)];
  expect((await one.post('/rpc', fits)).status).toBe(200);
  expect(one.asked).toHaveLength(1);
  const response = await one.post('/rpc', over);
  expect([response.status, await response.text()]).toEqual([
    413,
    `the request body is larger than ${MAX_BODY} bytes\n`,
  ]);
  expect(one.asked).toHaveLength(1);
});

test('a body that is not JSON reaches the handler as undefined, and a start without a token is rejected', async () => {
  await using one = await serve();
  expect((await one.post('/rpc', '{')).status).toBe(200);
  expect(one.asked).toEqual([undefined]);
  for (const body of ['{', '[]', '{"token":7}', 'x'.repeat(MAX_BODY + 1)]) {
    const started = one.post('/start', body);
    let status = 0;
    void started.then((response) => {
      status = response.status;
    });
    await soon(async () => {
      await one.clock.advance(1_000);
      expect(status).toBe(401);
    });
  }
});

test('responses to 32 wrong tokens are delayed by a second, and further connections are dropped at once', async () => {
  await using one = await serve();
  const wrong = { ...one.own, Authorization: 'Bearer wrong' };
  const attempt = async (): Promise<number | string> => {
    const asked = request(`${one.origin}/rpc`, { method: 'POST', headers: wrong }).end();
    const outcome = await Promise.race([once(asked, 'response'), once(asked, 'error').then(() => 'cut off')]).catch(
      () => 'cut off',
    );
    if (typeof outcome === 'string') return outcome;
    const [response] = outcome as [import('node:http').IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  };
  const outcomes: (number | string)[] = [];
  for (let n = 0; n < 40; n++) void attempt().then((outcome) => outcomes.push(outcome));
  await soon(() => expect(outcomes).toEqual(Array(8).fill('cut off')));
  // Authorized requests are answered meanwhile.
  expect((await one.post('/rpc', '{}')).status).toBe(200);
  await one.clock.advance(1_000);
  await soon(() => expect(outcomes.slice(8)).toEqual(Array(32).fill(401)));
  const later = attempt();
  await soon(async () => {
    await one.clock.advance(1_000);
    expect(await Promise.race([later, Promise.resolve('waits')])).toBe(401);
  });
});

test('the HTTP server returns 404 for unknown paths and for other methods', async () => {
  await using one = await serve();
  const ways: [string, string][] = [
    ['GET', '/rpc'],
    ['PUT', '/rpc'],
    ['POST', '/events'],
    ['POST', '/blob/x'],
    ['GET', '/start'],
    ['GET', '/rpc/'],
    ['GET', '/other'],
    ['GET', '//'],
    ['POST', '/index.html'],
  ];
  for (const [method, path] of ways)
    expect([method, path, (await one.send(path, { method })).status]).toEqual([method, path, 404]);
  expect(one.asked).toEqual([]);
});

test('an event stream lasts until the page disconnects or the workbench ends, and gets a keep-alive comment every 15 seconds', async () => {
  const one = await serve();
  const control = new AbortController();
  const [first, second] = [await one.send('/events', { signal: control.signal }), await one.send('/events')];
  expect([first.headers.get('content-type'), one.pages]).toEqual(['text/event-stream', [1, 2]]);
  // Proxies of remote desktops must not collect events.
  expect(first.headers.get('x-accel-buffering')).toBe('no');
  const reader = (second.body as ReadableStream<Uint8Array>).getReader();
  const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
  one.feed.emit('catalogue', { server: 'shop' });
  expect(await next()).toContain('"method":"catalogue"');
  for (const _ of [1, 2]) {
    await one.clock.advance(15_000);
    expect(await next()).toBe(': still here\n\n');
  }
  control.abort();
  await soon(() => expect(one.pages).toEqual([1, 2, 1]));
  expect(one.feed.readers).toBe(1);
  await one.served.close();
  expect((await reader.read()).done).toBe(true);
  expect([one.pages, one.feed.readers]).toEqual([[1, 2, 1, 0], 0]);
});

test('a page that does not read is disconnected', async () => {
  await using one = await serve();
  const asked = request(`${one.origin}/events`, { headers: one.own }).end();
  await once(asked, 'response');
  // The client never reads, so send more than socket buffers hold.
  const server = 'x'.repeat(500_000);
  await soon(() => {
    for (let n = 0; n < 20; n++) one.feed.emit('catalogue', { server });
    expect(one.pages).toEqual([1, 0]);
  });
  asked.destroy();
});

test('a workbench whose page is not built says how to build it', async () => {
  await using one = await serve({ folder: pathToFileURL('test/support/no-such-folder/') });
  const response = await one.send('/');
  expect([response.status, await response.text()]).toEqual([503, 'The page is not built. Run: npm run build\n']);
  expect((await one.send('/page.js')).status).toBe(404);
});

test('an internal error ends only its own request', async () => {
  await using one = await serve({ answer: () => Promise.reject(new Error('broken')) });
  expect((await one.post('/rpc', '{}')).status).toBe(500);
  expect((await one.post('/rpc', '{}')).status).toBe(500);
});

test('a response has the id of its request', async () => {
  await using one = await serve();
  expect(await (await one.post('/rpc', '{}')).json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
});

test('a page that reconnects with its last event id gets the missed events; a new page gets only new ones', async () => {
  await using one = await serve();
  for (const server of ['first', 'second']) one.feed.emit('catalogue', { server });
  const [fresh, back] = [await one.send('/events'), await one.send('/events?since=1')];
  one.feed.emit('catalogue', { server: 'third' });
  const heardBy = async (response: Response): Promise<readonly string[]> => {
    let text = '';
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      text += new TextDecoder().decode(chunk);
      if (text.includes('third')) break;
    }
    return [...text.matchAll(/"server":"(\w+)"/g)].map(([, server = '']) => server);
  };
  expect([await heardBy(fresh), await heardBy(back)]).toEqual([['third'], ['second', 'third']]);
});

test('a page that disconnects leaves no timer behind', async () => {
  const [clock, timers] = [virtualClock(), new Set<object>()];
  const after: typeof clock.after = (ms, run) => {
    const timer = {};
    timers.add(timer);
    const cancel = clock.after(ms, run);
    return () => {
      timers.delete(timer);
      cancel();
    };
  };
  await using one = await serve({ clock: { ...clock, after } });
  const control = new AbortController();
  await one.send('/events', { signal: control.signal });
  expect(timers.size).toBe(1);
  control.abort();
  await soon(() => expect(one.pages).toEqual([1, 0]));
  expect(timers.size).toBe(0);
});

test.each([
  ['index.html', 'text/html; charset=utf-8'],
  ['page.min.js', 'text/javascript; charset=utf-8'],
  ['page.css', 'text/css; charset=utf-8'],
  ['symbols.svg', 'image/svg+xml'],
])('the file %s is served as %s', async (name, type) => {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-page-'));
  await writeFile(join(folder, name), '');
  await using one = await serve({ folder: pathToFileURL(`${folder}/`) });
  expect((await one.send(`/${name}`)).headers.get('content-type')).toBe(type);
  await rm(folder, { recursive: true });
});

test('a request for a file that was deleted after the start ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mooring-page-'));
  await writeFile(join(folder, 'page.js'), '');
  await using one = await serve({ folder: pathToFileURL(`${folder}/`) });
  expect((await one.send('/page.js')).status).toBe(200);
  await rm(folder, { recursive: true });
  await expect(one.send('/page.js').then((response) => response.text())).rejects.toThrow();
  expect((await one.post('/rpc', '{}')).status).toBe(200);
});

test('a rate-limited page can send requests again in the next second', async () => {
  await using one = await serve();
  const statuses = await Promise.all(Array.from({ length: 201 }, async () => (await one.post('/rpc', '{}')).status));
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  await one.clock.advance(1_000);
  expect((await one.post('/rpc', '{}')).status).toBe(200);
});
