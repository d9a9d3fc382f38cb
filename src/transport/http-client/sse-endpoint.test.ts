/** The timeout of the stream that names the URL to post to. */
import { expect, test } from 'vitest';
import { FakeWeb, OpenStream, status } from '../../../test/support/fake-web.ts';
import { soon } from '../../../test/support/soon.ts';
import { connect } from '../../connect/connect.ts';
import type { HttpAuth } from '../../model/auth.ts';
import type { Clock } from '../../peer/clock.ts';
import { Deferred } from '../../peer/wait.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';

const url = 'https://a.example/mcp';
const outcome = (web: FakeWeb, clock: ReturnType<typeof virtualClock>, auth?: () => HttpAuth): Promise<unknown> =>
  connect(url, { fetch: web.fetch, clock, auth, onWarning: () => undefined }).catch((error: unknown) => error);

test('an HTTP+SSE stream that names no URL times out', async () => {
  const clock = virtualClock();
  const web = new FakeWeb((asked) => (asked.method === 'GET' ? new OpenStream(': alive\n\n').response : status(405)));
  const connecting = outcome(web, clock);
  await soon(() => expect(web.with('GET')).toHaveLength(1));
  await clock.advance(5_000);
  expect(await connecting).toMatchObject({ message: expect.stringContaining('no endpoint event within 5000 ms') });
  expect(web.with('GET')[0]?.signal.aborted).toBe(true);
});

test('the timeout of an HTTP+SSE stream is paused while the user signs in', async () => {
  const clock = virtualClock();
  const signingIn = new Deferred<boolean>();
  const streams = [status(401), new OpenStream('event: endpoint\ndata: /post\n\n').response];
  const web = new FakeWeb(({ method }) => (method === 'GET' ? streams.shift() : undefined) ?? status(404));
  const auth = (): HttpAuth => ({ headers: () => undefined, onChallenge: () => signingIn.promise });
  const connecting = outcome(web, clock, auth);
  await soon(() => expect(web.with('GET')).toHaveLength(1));
  await clock.advance(300_000);
  signingIn.resolve(true);
  await connecting;
  expect(web.asked.at(-1)).toMatchObject({ method: 'POST', url: 'https://a.example/post' });
});

test('if the HTTP+SSE stream needs credentials that the client has not, the error says so', async () => {
  const virtual = virtualClock();
  /** Timers that would keep the process alive. */
  const timers = new Set<() => void>();
  const after: Clock['after'] = (ms, run, options) => {
    const stop = virtual.after(ms, run, options);
    if (ms === 5_000) timers.add(run);
    return () => {
      timers.delete(run);
      stop();
    };
  };
  const clock = { ...virtual, after };
  const web = (code: number): FakeWeb => new FakeWeb(({ method }) => status(method === 'GET' ? code : 404));
  expect(await outcome(web(204), clock)).toMatchObject({ code: 'MCP_HTTP_REFUSED', details: { status: 404 } });
  expect(await outcome(web(401), clock)).toMatchObject({ code: 'MCP_UNAUTHORIZED', details: { status: 401 } });
  expect(await outcome(web(403), clock)).toMatchObject({ code: 'MCP_HTTP_REFUSED', details: { status: 404 } });
  const declined = (): HttpAuth => ({
    headers: () => undefined,
    onChallenge: () => Promise.reject(new Error('the user closed the window')),
  });
  expect(await outcome(web(401), clock, declined)).toMatchObject({
    code: 'MCP_AUTH_FAILED',
    message: expect.stringContaining('the user closed the window'),
  });
  expect(timers.size).toBe(0);
});
