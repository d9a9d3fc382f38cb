/** Clients that share a cache also share whether a server needs a handshake. */
import { expect, test } from 'vitest';
import {
  type Answer,
  FakeWeb,
  json,
  result,
  sessions,
  stateless,
  status,
  text,
} from '../../../test/support/fake-web.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { type Client, type ConnectOptions, responseCache } from '../../client/index.ts';
import { connect } from '../../connect/connect.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';

const opened = (web: FakeWeb, options: ConnectOptions = {}): Promise<Client> =>
  connect('https://a.example/mcp', { fetch: web.fetch, clock: virtualClock(), ...options });
const answered: Answer = (asked) => (asked.method === 'GET' ? status(405) : json(result(asked, text('hi'))));
const old = (): Answer => sessions('2025-11-25', answered);

test('a second client starts with the handshake that the first one found necessary', async () => {
  verifies('LIFE-053');
  const [web, cache] = [new FakeWeb(old()), responseCache()];
  await using first = await opened(web, { cache });
  await using second = await opened(web, { cache });
  expect([first, second].map(({ server }) => server.revision)).toEqual(['2025-11-25', '2025-11-25']);
  expect(web.with('server/discover')).toHaveLength(1);
  expect(web.with('initialize')).toHaveLength(2);
});

test('clients of another URL, other revisions or another cache probe the server themselves', async () => {
  verifies('LIFE-053');
  const [web, cache] = [new FakeWeb(old()), responseCache()];
  await using first = await opened(web, { cache });
  await using elsewhere = await connect('https://a.example/other', { fetch: web.fetch, cache });
  await using narrower = await opened(web, { cache, revisions: ['2026-07-28', '2025-11-25'] });
  await using alone = await opened(web);
  const revisions = [first, elsewhere, narrower, alone].map(({ server }) => server.revision);
  expect(new Set(revisions)).toEqual(new Set(['2025-11-25']));
  expect(web.with('server/discover')).toHaveLength(4);
});

test('the cache entry expires an hour after it was made, for all clients', async () => {
  verifies('LIFE-053');
  const [clock, cache] = [virtualClock(), responseCache()];
  let forgets = false;
  const meeting = sessions('2025-11-25', (asked) => (forgets ? status(404) : answered(asked)));
  const web = new FakeWeb((asked) => {
    if (asked.body['method'] === 'initialize') forgets = false;
    return meeting(asked);
  });
  await using _first = await opened(web, { clock, cache });
  await clock.advance(3_000_000);
  await using second = await opened(web, { clock, cache });
  await clock.advance(599_999);
  await using _third = await opened(web, { clock, cache });
  expect(web.with('server/discover')).toHaveLength(1);
  await clock.advance(2);
  await using _fourth = await opened(web, { clock, cache });
  expect(web.with('server/discover')).toHaveLength(2);
  forgets = true;
  await second.call('t');
  expect(web.with('server/discover')).toHaveLength(3);
});

test('a server that was replaced by one without handshakes is probed once, and then no client tries a handshake', async () => {
  const cache = responseCache();
  let answer = old();
  const web = new FakeWeb((asked) => answer(asked));
  await using _first = await opened(web, { cache });
  answer = stateless(answered);
  await using second = await opened(web, { cache });
  await using third = await opened(web, { cache });
  expect([second, third].map(({ server }) => server.revision)).toEqual(['2026-07-28', '2026-07-28']);
  expect(web.with('initialize')).toHaveLength(2);
});

test('a handshake that is never answered is not tried first by the next client', async () => {
  const [clock, cache] = [virtualClock(), responseCache()];
  let answer = old();
  const web = new FakeWeb((asked) => answer(asked));
  await using _first = await opened(web, { clock, cache });
  answer = (asked) =>
    asked.body['method'] === 'initialize' ? new Promise(() => undefined) : stateless(answered)(asked);
  const second = opened(web, { clock, cache }).catch((error: unknown) => error);
  await clock.advance(10_000);
  expect(await second).toMatchObject({ code: 'MCP_TIMEOUT' });
  await using third = await opened(web, { clock, cache });
  expect(third.server.revision).toBe('2026-07-28');
});
