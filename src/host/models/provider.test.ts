/** Retries, limits and timeouts of requests to a provider. */
import { afterEach, expect, test, vi } from 'vitest';
import { hastyClock } from '../../../test/support/fake-provider.ts';
import { soon } from '../../../test/support/soon.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { ProviderClient } from './provider.ts';

const KEY = 'key-of-ada-0123456789';
const url = new URL('https://api.example/v1');

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Sends one request to a provider that answers in this order; the last answer is repeated. */
function sending(
  answers: readonly ((signal: AbortSignal) => Response | Promise<Response>)[],
  given?: { clock?: Clock; signal?: AbortSignal },
) {
  const hasty = hastyClock();
  const events: JsonObject[] = [];
  const rejected: [number, number][] = [];
  let count = 0;
  const fetched = vi.fn(async (_url: URL, { signal }: { signal: AbortSignal }) => {
    const answer = answers[Math.min(count++, answers.length - 1)];
    if (answer === undefined) throw new Error('there is an answer');
    return answer(signal);
  });
  vi.stubGlobal('fetch', fetched);
  const clock = given?.clock ?? hasty;
  const client = new ProviderClient({ apiKey: KEY, model: 'm', clock, random: () => 0.5 }, 'https://api.example/v1');
  const done = client.send({
    ...{ url, headers: { authorization: `Bearer ${KEY}` }, body: { model: 'm' }, signal: given?.signal },
    onEvent: (event) => void events.push(event),
    onRejected: (status, text) => void rejected.push([status, text.length]),
  });
  return { done, events, pauses: hasty.pauses, rejected, fetched };
}

const ok = (): Response => new Response('data: {"a":1}\n\ndata: [DONE]\n\n');
const status =
  (code: number, headers: Record<string, string> = {}, text = '') =>
  (): Response =>
    new Response(text, { status: code, headers });

test.each([408, 429, 500, 502, 503, 504, 529])(
  'status %i is retried, and the reply is that of the next attempt',
  async (code) => {
    const cancelled = vi.fn();
    const body = new ReadableStream({ cancel: cancelled });
    const it = sending([() => new Response(body, { status: code }), ok]);
    await it.done;
    expect([it.events, it.pauses, it.fetched.mock.calls.length]).toEqual([[{ a: 1 }], [1_500], 2]);
    // An unread body would keep its connection.
    expect(cancelled).toHaveBeenCalledOnce();
  },
);

test.each([400, 401, 404, 409, 422, 501, 505])('status %i is not retried', async (code) => {
  const it = sending([status(code, {}, '{"error":{"message":"No such model"}}'), ok]);
  await expect(it.done).rejects.toThrow(`it answered with status ${code}: No such model`);
  expect([it.pauses, it.fetched.mock.calls.length]).toEqual([[], 1]);
});

test('three attempts fail with the last status, or with the reason why the provider cannot be reached', async () => {
  const failing = sending([status(503)]);
  await expect(failing.done).rejects.toThrow('it answered with status 503');
  expect([failing.pauses, failing.fetched.mock.calls.length]).toEqual([[1_500, 2_500], 3]);
  const away = sending([() => Promise.reject(new TypeError('fetch failed', { cause: new Error('no route') }))]);
  await expect(away.done).rejects.toThrow('it cannot be reached');
  expect(away.fetched).toHaveBeenCalledTimes(3);
  expect(away.rejected).toEqual([]);
});

test.each([
  ['0', [0], 2],
  ['60', [60_000], 2],
  ['60.001', [], 1],
  ['3600', [], 1],
  ['soon', [1_500], 2],
])('Retry-After %s is waited for if it is a minute at most', async (after, pauses, attempts) => {
  const it = sending([status(429, { 'retry-after': after }), ok]);
  if (attempts === 2) await it.done;
  else await expect(it.done).rejects.toThrow(`it answered with status 429, and asks to wait ${after}`);
  expect([it.pauses, it.fetched.mock.calls.length]).toEqual([pauses, attempts]);
});

test('a rejection is quoted up to a limit, and without the key', async () => {
  const text = `${KEY} ${'x'.repeat(100_000)}`;
  const it = sending([status(400, { 'retry-after': 'y'.repeat(100) }, text)]);
  const error = await it.done.catch((thrown: unknown) => thrown);
  const start = `it answered with status 400, and asks to wait ${'y'.repeat(40)}: [masked] xxx`;
  expect(error).toMatchObject({ code: 'MCP_MODEL_FAILED', details: { why: expect.stringMatching(/^.{500}$/) } });
  expect(String(error)).toContain(start);
  expect(it.rejected).toEqual([[400, 4_096]]);
});

test.each([
  ['an error', '{"error":{"message":"overloaded"}}', 'it stopped its response with an error: overloaded'],
  ['an error as text', '{"error":"overloaded"}', 'it stopped its response with an error: overloaded'],
  [
    'an error in a form of its own',
    '{"error":{"type":"overloaded"}}',
    'it stopped its response with an error: {"error"',
  ],
  ['no object', '[1]', 'its stream has an event that is not a JSON object'],
])('a stream with %s fails the reply', async (_what, data, why) => {
  const it = sending([() => new Response(`data: ${data}\n\n`)]);
  await expect(it.done).rejects.toThrow(why);
  expect([it.events, it.fetched.mock.calls.length]).toEqual([[], 1]);
});

test('an event whose error is null is no error', async () => {
  const it = sending([() => new Response('data: {"error":null}\n\n')]);
  await it.done;
  expect(it.events).toEqual([{ error: null }]);
});

test('a reply has 16 MiB at most', async () => {
  const bytes = (count: number) => (): Response => {
    const line = new TextEncoder().encode(`:${'x'.repeat(4_094)}\n`);
    let left = count;
    return new Response(
      new ReadableStream<Uint8Array>({
        pull(control) {
          if (left === 0) return control.close();
          const next = line.subarray(0, Math.min(left, line.length));
          left -= next.length;
          control.enqueue(next);
        },
      }),
    );
  };
  await sending([bytes(16 * 1024 * 1024)]).done;
  await expect(sending([bytes(16 * 1024 * 1024 + 1)]).done).rejects.toMatchObject({ code: 'MCP_TOO_LARGE' });
});

test('a reply times out after five minutes without data, however long it takes in all', async () => {
  const clock = virtualClock();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const answer = (signal: AbortSignal): Response => {
    signal.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => undefined));
    return new Response(readable);
  };
  const it = sending([answer], { clock });
  const failed = it.done.catch((error: unknown) => error);
  for (let count = 1; count <= 3; count++) {
    void writer.write(new TextEncoder().encode(`data: {"n":${count}}\n\n`)).catch(() => undefined);
    await soon(() => expect(it.events).toHaveLength(count));
    await clock.advance(299_999);
  }
  await clock.advance(1);
  expect(await failed).toMatchObject({ code: 'MCP_TIMEOUT', details: { method: 'https://api.example', ms: 300_000 } });
});

test('a caller that cancels ends the pause before the next attempt', async () => {
  const control = new AbortController();
  const it = sending([status(503)], { clock: virtualClock(), signal: control.signal });
  await soon(() => expect(it.fetched).toHaveBeenCalledOnce());
  control.abort(new Error('enough'));
  await expect(it.done).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  expect(it.fetched).toHaveBeenCalledOnce();
});

test.each([
  ['https://api.example/v1', 'https://api.example/v1/'],
  ['https://api.example/v1/', 'https://api.example/v1/'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/'],
  ['http://localhost:8080/v1', 'http://localhost:8080/v1/'],
])('the base URL %s is accepted as %s', (baseUrl, base) => {
  expect(new ProviderClient({ apiKey: KEY, model: 'm', baseUrl }, 'https://api.example').base.href).toBe(base);
});

test.each(['http://api.example', 'http://127.0.0.1.example', 'ftp://localhost', 'api.example', ''])(
  'the key is not sent to %j',
  (baseUrl) => {
    expect(() => new ProviderClient({ apiKey: KEY, model: 'm', baseUrl }, 'https://api.example')).toThrow(
      'it must begin with https:, or with http: on this machine',
    );
  },
);

test.each([[[]], [''], [['a', '']], [{}], [undefined], [[null]]])('the models %j are rejected', (model) => {
  expect(() => new ProviderClient({ apiKey: KEY, model: model as string }, 'https://api.example')).toThrow(
    '"model" must name at least one',
  );
});

test('a key that is not set is an error that asks for its variable', () => {
  const given = { apiKey: undefined as unknown as string, model: 'm' }; // as a program without types can
  expect(() => new ProviderClient(given, 'https://api.example')).toThrow('not undefined; is its variable set?');
});
