/** Limits per caller: no caller can use up the sessions and streams of others. */
import { describe, expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { FakeReply, type FakeRequest, FakeView, knock, started } from '../../../test/support/fake-http.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { opened, request, stateless } from '../../../test/support/http-messages.ts';
import { hello } from '../../../test/support/raw.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { LISTEN } from '../../model/names.ts';
import type { HttpOptions } from './http-settings.ts';
import { HttpService } from './service.ts';
import { memorySessionStore } from './session-store.ts';
import { SseEndpoints } from './sse-endpoints.ts';

type Headers = FakeRequest['headers'];

const auth = ({ header }: { header(name: string): string | undefined }): AuthInfo => ({
  ...(header('authorization') === undefined ? {} : { subject: header('authorization') ?? '' }),
  scopes: [],
});
const serve = (options: HttpOptions = {}): HttpService => new HttpService(port().server, { auth, ...options });
const as = (authorization: string): Headers => ({ authorization });
const greet = request(1, 'initialize', hello('2025-11-25'));
const pinged = async (service: HttpService, headers: Headers): Promise<number> =>
  (await knock(service, { headers: headers ?? {}, body: request(1, 'ping') })).status;

describe('sessions', () => {
  test('a caller at its limit evicts its own longest-idle session, and none of other callers', async () => {
    const clock = new HeldClock();
    const service = serve({ maxSessionsPerCaller: 3, clock });
    const theirs = await opened(service, '2025-11-25', as('ada'));
    const flood: Headers[] = [];
    for (let n = 0; n < 50; n++) {
      await clock.pass(2_000);
      flood.push(await opened(service, '2025-11-25', as('eve')));
    }
    const statuses = await Promise.all(flood.map((headers) => pinged(service, headers)));
    expect(statuses).toEqual([...Array<number>(47).fill(404), 200, 200, 200]);
    expect(await pinged(service, theirs)).toBe(200);
  });

  test.each([
    ['of one caller', { maxSessionsPerCaller: 2 }],
    ['of all callers', { maxSessions: 2 }],
  ])('sessions %s that are opened at the same time do not exceed the limit', async (_whose, limit) => {
    const store = memorySessionStore();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    // A store across the network can resolve all of them at once.
    const put: typeof store.put = (...args) => answered.then(() => store.put(...args));
    const service = serve({ ...limit, sessions: { ...store, put } });
    const opening = Array.from({ length: 9 }, () => opened(service, '2025-11-25', as('ada')));
    await settled();
    answer();
    const all = await Promise.all(opening);
    const statuses = await Promise.all(all.map((headers) => pinged(service, headers)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  });

  test('sessions of all callers together have a limit too', async () => {
    const service = serve({ maxSessions: 2 });
    const [first, second, third] = [
      await opened(service, '2025-11-25', as('ada')),
      await opened(service, '2025-11-25', as('bob')),
      await opened(service, '2025-11-25', as('cyd')),
    ];
    expect([await pinged(service, first), await pinged(service, second), await pinged(service, third)]).toEqual([
      404, 200, 200,
    ]);
  });

  test('a caller whose sessions are all in use cannot open another one', async () => {
    const service = serve({ maxSessionsPerCaller: 2 });
    const mine = [await opened(service, '2025-11-25', as('eve')), await opened(service, '2025-11-25', as('eve'))];
    const streams = mine.map((headers) => started(service, { method: 'GET', headers }));
    await Promise.all(streams.map(({ done }) => done));
    const idle = await opened(service, '2025-11-25', as('bob'));
    const refused = await knock(service, { headers: { ...as('eve') }, body: greet });
    expect([refused.status, refused.headers['Retry-After']]).toEqual([429, '1']);
    expect(refused.json.error?.message).toContain('maxSessionsPerCaller');
    expect(refused.json['id']).toBe(1);
    expect(await pinged(service, idle)).toBe(200);
    expect((await knock(service, { headers: { ...as('ada') }, body: greet })).status).toBe(200);
    streams[0]?.reply.hangUp();
    expect((await knock(service, { headers: { ...as('eve') }, body: greet })).status).toBe(200);
    expect(await Promise.all(mine.map((headers) => pinged(service, headers)))).toEqual([404, 200]);
  });

  test('sessions are counted by address if callers are not verified', async () => {
    const service = serve({ maxSessionsPerCaller: 1, auth: undefined });
    const from = async (address: string): Promise<Headers> => {
      const met = await knock(service, { address, body: greet });
      return { 'mcp-session-id': met.headers['Mcp-Session-Id'] };
    };
    const [first, other, second] = [await from('192.0.2.1'), await from('192.0.2.2'), await from('192.0.2.1')];
    expect([await pinged(service, first), await pinged(service, other), await pinged(service, second)]).toEqual([
      404, 200, 200,
    ]);
  });

  test('sessions from loopback or unknown addresses have only the total limit', async () => {
    for (const address of [{ address: '127.0.0.1' }, {}]) {
      const service = serve({ maxSessionsPerCaller: 1, auth: undefined });
      const met = [
        await knock(service, { ...address, body: greet }),
        await knock(service, { ...address, body: greet }),
      ];
      const alive = met.map(({ headers }) => pinged(service, { 'mcp-session-id': headers['Mcp-Session-Id'] }));
      expect(await Promise.all(alive)).toEqual([200, 200]);
    }
  });

  test('sessions that have ended, or whose handshake failed, do not count', async () => {
    const service = serve({ maxSessionsPerCaller: 1 });
    const first = await opened(service, '2025-11-25', as('eve'));
    await knock(service, { method: 'DELETE', headers: first });
    for (let n = 0; n < 3; n++)
      expect((await knock(service, { headers: { ...as('eve') }, body: request(1, 'initialize', {}) })).status).toBe(
        400,
      );
    const second = await opened(service, '2025-11-25', as('eve'));
    expect(await pinged(service, second)).toBe(200);
  });

  test('sessions that another process opened are not rejected', async () => {
    const store = memorySessionStore();
    const [a, b] = [
      serve({ sessions: store, maxSessionsPerCaller: 1 }),
      serve({ sessions: store, maxSessionsPerCaller: 1 }),
    ];
    const [one, two] = [await opened(a, '2025-11-25', as('ada')), await opened(b, '2025-11-25', as('ada'))];
    expect(await Promise.all([pinged(b, one), pinged(b, two)])).toEqual([200, 200]);
  });
});

describe('streams of news', () => {
  const listen = (headers: Headers): FakeRequest => stateless(LISTEN, { notifications: {} }, headers);

  test('subscriptions of one caller are limited', async () => {
    const service = serve({ maxListenersPerCaller: 2 });
    const open = [started(service, listen(as('eve'))), started(service, listen(as('eve')))];
    await settled();
    const refused = await knock(service, listen(as('eve')));
    expect([refused.status, refused.headers['Retry-After']]).toEqual([429, '1']);
    expect(refused.json.error?.message).toContain('maxListenersPerCaller');
    const ada = started(service, listen(as('ada')));
    await settled();
    open[0]?.reply.hangUp();
    await open[0]?.done;
    const again = started(service, listen(as('eve')));
    await settled();
    expect([ada, again].map(({ reply }) => reply.headers['Content-Type'])).toEqual(Array(2).fill('text/event-stream'));
  });

  test('subscriptions that the server rejects do not count', async () => {
    const service = serve({ maxListenersPerCaller: 1 });
    const bad = stateless(LISTEN, { notifications: [] }, { ...as('eve') });
    for (let n = 0; n < 3; n++) expect((await knock(service, bad)).json.error?.code).toBe(-32602);
    const good = started(service, listen(as('eve')));
    await settled();
    expect(good.reply.headers['Content-Type']).toBe('text/event-stream');
  });

  test('a caller can have sixteen subscriptions by default', async () => {
    const service = serve();
    const open = Array.from({ length: 17 }, () => started(service, listen(as('eve'))));
    await settled();
    expect(open.map(({ reply }) => reply.status)).toEqual([...Array<number>(16).fill(200), 429]);
  });
});

test('sessions of HTTP+SSE have the same limit', async () => {
  const { server } = port();
  const sse = new SseEndpoints(server, new HttpService(server, { auth, maxSessionsPerCaller: 1 }));
  const open = async (caller: string): Promise<FakeReply> => {
    const view = new FakeView({ method: 'GET', path: '/sse', headers: { ...as(caller) } });
    const reply = new FakeReply();
    await sse.answer(view, reply);
    return reply;
  };
  const [first, refused, other] = [await open('eve'), await open('eve'), await open('ada')];
  expect([first.status, refused.status, other.status]).toEqual([200, 429, 200]);
  expect(refused.json.error?.message).toContain('maxSessionsPerCaller');
  first.hangUp();
  expect((await open('eve')).status).toBe(200);
});

test('sessions of HTTP+SSE are counted by address if callers are not verified', async () => {
  const { server } = port();
  const sse = new SseEndpoints(server, new HttpService(server, { maxSessionsPerCaller: 1 }));
  const statusFrom = async (address: string): Promise<number> => {
    const reply = new FakeReply();
    await sse.answer(new FakeView({ method: 'GET', path: '/sse', address }), reply);
    return reply.status;
  };
  const statuses = [await statusFrom('192.0.2.1'), await statusFrom('192.0.2.1'), await statusFrom('192.0.2.2')];
  expect(statuses).toEqual([200, 429, 200]);
});
