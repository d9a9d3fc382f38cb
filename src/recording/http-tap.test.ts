import { expect, test } from 'vitest';
import { HeldClock } from '../../test/support/held-clock.ts';
import { type TracedHttp, tapFetch } from './http-tap.ts';

const url = new URL('https://a.test/mcp?token=hunter2');

async function asked(
  answer: () => Promise<Response>,
): Promise<{ readonly heard: readonly TracedHttp[]; readonly text: string }> {
  const heard: TracedHttp[] = [];
  const fetch = tapFetch({ clock: new HeldClock(), onHttp: (one) => heard.push(one) }, answer);
  const init = { method: 'POST', headers: { authorization: 'Bearer hunter2', 'mcp-session-id': 'abcdefgh' } };
  const text = await fetch(url, init).then(
    (response) => response.text(),
    () => 'failed',
  );
  expect(JSON.stringify(heard)).not.toContain('hunter2');
  return { heard, text };
}

test('tapFetch() reports a request with its outcome, and only the start of the session id', async () => {
  const { heard, text } = await asked(async () =>
    Response.json({ a: 1 }, { headers: { 'mcp-session-id': '12345678' } }),
  );
  expect(text).toBe('{"a":1}');
  expect(heard).toEqual([
    { method: 'POST', url: 'https://a.test/mcp', status: 200, type: 'application/json', session: '1234…', ms: 0 },
  ]);
});

test('tapFetch() reports the start and the end of a stream, and passes it on unchanged', async () => {
  const body = 'data: one\n\nid: 2\r\ndata: two\r\n\r\n';
  const { heard, text } = await asked(
    async () => new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } }),
  );
  expect(text).toBe(body);
  expect(heard).toMatchObject([
    { status: 200, type: 'text/event-stream', session: 'abcd…' },
    { ended: { bytes: body.length, events: 2 } },
  ]);
});

test('tapFetch() reports a failure with its reason', async () => {
  const { heard, text } = await asked(() =>
    Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNRESET') })),
  );
  expect(text).toBe('failed');
  expect(heard).toEqual([{ method: 'POST', url: 'https://a.test/mcp', ms: 0, failed: 'fetch failed: ECONNRESET' }]);
});
