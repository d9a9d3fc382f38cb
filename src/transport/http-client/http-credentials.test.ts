/** Credentials of requests over HTTP: added, renewed after a challenge, and rejected. */
import { describe, expect, test } from 'vitest';
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
import { soon } from '../../../test/support/soon.ts';
import type { Client, ConnectOptions } from '../../client/index.ts';
import { connect } from '../../connect/connect.ts';
import type { ChallengedRequest, HttpAuth } from '../../model/auth.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { UrlOptions } from '../../transport/http-client/options.ts';

const url = 'https://a.example/mcp';
type Options = ConnectOptions & UrlOptions;

const opened = (web: FakeWeb, options: Options = {}): Promise<Client> =>
  connect(url, { fetch: web.fetch, clock: virtualClock(), random: () => 0, onWarning: () => undefined, ...options });

const outcome = (web: FakeWeb, options: Options = {}): Promise<unknown> =>
  opened(web, options).catch((error: unknown) => error);

const answered: Answer = (asked) => (asked.method === 'GET' ? status(405) : json(result(asked, text('hi'))));

describe('who is asking', () => {
  test('credentials are requested before each request, and renewed after a challenge', async () => {
    const refusals: unknown[] = [];
    let token = 1;
    const web = new FakeWeb((asked) =>
      asked.headers['authorization'] === 'Bearer 2'
        ? stateless(answered)(asked)
        : status(401, { 'www-authenticate': 'Bearer error="invalid_token"' }),
    );
    await using client = await opened(web, {
      auth: () => ({
        headers: () => ({ authorization: `Bearer ${token}` }),
        onChallenge: async ({ url: refused, status: code, header, operation, sent, revision }) => {
          refusals.push([refused.href, code, header('www-authenticate'), operation, sent, revision]);
          token++;
          return true;
        },
      }),
    });
    expect((await client.call('t')).text).toBe('hi');
    const sent = { authorization: 'Bearer 1' };
    expect(refusals).toEqual([[url, 401, 'Bearer error="invalid_token"', 'server/discover', sent, '2026-07-28']]);
    expect(web.asked.map(({ headers }) => headers['authorization'])).toEqual(['Bearer 1', 'Bearer 2', 'Bearer 2']);
  });

  test.each<[string, () => boolean | Promise<boolean>, number]>([
    ['has nothing new', () => false, 1],
    ['always has something new', () => true, 4],
  ])('a server that always rejects credentials ends the attempt, if auth %s', async (_, refused, times) => {
    const web = new FakeWeb(() => status(401));
    expect(await outcome(web, { auth: () => ({ headers: () => undefined, onChallenge: refused }) })).toMatchObject({
      code: 'MCP_UNAUTHORIZED',
    });
    expect(web.asked).toHaveLength(times);
  });

  test('a first request survives a sign-in, a DPoP nonce and a step-up, one after the other', async () => {
    const challenges = [
      status(401, { 'www-authenticate': 'DPoP' }),
      status(401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'n' }),
      status(403, { 'www-authenticate': 'DPoP error="insufficient_scope"' }),
    ];
    const web = new FakeWeb((asked) => challenges.shift() ?? stateless(answered)(asked));
    await using client = await opened(web, { auth: () => ({ headers: () => undefined, onChallenge: () => true }) });
    expect(client.state).toBe('ready');
    expect([challenges, web.asked.length]).toEqual([[], 4]);
  });

  test.each<[string, Parameters<typeof outcome>[1]]>([
    ['as a header', { headers: { Authorization: 'Bearer old' } }],
    ['by auth', { auth: () => ({ headers: () => ({ authorization: 'Bearer old' }), onChallenge: () => false }) }],
  ])(
    'the error for credentials that were sent %s and rejected differs from that for missing ones',
    async (_, options) => {
      const web = new FakeWeb(() => status(401));
      const words = 'it did not accept the credentials that were sent';
      expect(await outcome(web, options)).toMatchObject({ message: expect.stringContaining(words) });
      expect(await outcome(web, {})).toMatchObject({ message: expect.not.stringContaining(words) });
    },
  );

  test('auth gets the revision that an initialize offers', async () => {
    const offers: unknown[] = [];
    const web = new FakeWeb(() => status(401));
    const auth = (): HttpAuth => ({
      headers: () => undefined,
      onChallenge: ({ operation, revision }) => {
        offers.push([operation, revision]);
        return false;
      },
    });
    expect(await outcome(web, { auth, revisions: ['2025-03-26'] })).toMatchObject({ code: 'MCP_UNAUTHORIZED' });
    expect(offers).toEqual([['initialize', '2025-03-26']]);
  });

  test('deadlines of notifications are paused too while the user signs in', async () => {
    const clock = virtualClock();
    let signedIn: (again: boolean) => void = () => undefined;
    const signingIn = new Promise<boolean>((resolve) => {
      signedIn = resolve;
    });
    const open = sessions('2025-11-25', answered);
    let token: string | undefined;
    const web = new FakeWeb((asked) =>
      token === undefined && asked.body['method'] === 'notifications/initialized' ? status(401) : open(asked),
    );
    const auth = (): HttpAuth => ({ headers: () => undefined, onChallenge: () => signingIn });
    const connecting = opened(web, { auth, clock, revisions: ['2025-11-25'] });
    await clock.advance(300_000);
    token = 'Bearer a';
    signedIn(true);
    await using client = await connecting;
    expect((await client.call('t')).text).toBe('hi');
  });

  test('deadlines are paused while the user signs in', async () => {
    const clock = virtualClock();
    let signedIn: (again: boolean) => void = () => undefined;
    const signingIn = new Promise<boolean>((resolve) => {
      signedIn = resolve;
    });
    const web = new FakeWeb((asked) =>
      asked.headers['authorization'] === undefined ? status(401) : stateless(answered)(asked),
    );
    let token: string | undefined;
    const auth = (): HttpAuth => ({
      headers: () => (token === undefined ? undefined : { authorization: token }),
      onChallenge: () => signingIn,
    });
    const connecting = opened(web, { auth, clock });
    await clock.advance(300_000);
    token = 'Bearer a';
    signedIn(true);
    await using client = await connecting;
    expect((await client.call('t')).text).toBe('hi');
  });

  test('the end of a connection ends a sign-in that a notification waits for', async () => {
    const open = sessions('2025-11-25', answered);
    const web = new FakeWeb((asked) =>
      asked.body['method'] === 'notifications/initialized' ? status(401) : open(asked),
    );
    let signingIn: AbortSignal | undefined;
    const onChallenge = ({ signal }: ChallengedRequest): Promise<boolean> => {
      signingIn = signal;
      return new Promise(() => undefined);
    };
    const stop = new AbortController();
    const auth = (): HttpAuth => ({ headers: () => undefined, onChallenge });
    const connecting = outcome(web, { auth, revisions: ['2025-11-25'], signal: stop.signal });
    await soon(() => expect(signingIn).toBeDefined());
    stop.abort();
    expect(await connecting).toMatchObject({ code: 'MCP_CANCELLED' });
    expect(signingIn?.aborted).toBe(true);
  });

  test('an exception of auth is the error of the request', async () => {
    const web = new FakeWeb(stateless(answered));
    const auth = (): HttpAuth => ({
      headers: () => Promise.reject(new Error('The browser was closed')),
      onChallenge: () => false,
    });
    expect(await outcome(web, { auth })).toMatchObject({
      code: 'MCP_AUTH_FAILED',
      kind: 'auth',
      message: expect.stringMatching(/failed at the credentials: The browser was closed$/),
    });
    expect(web.asked).toEqual([]);
  });

  test('a session that cannot be reopened for lack of authorization is not retried', async () => {
    let gone = false;
    const meeting = sessions('2025-11-25', (asked) => (gone ? status(404) : answered(asked)));
    const web = new FakeWeb((asked) => (gone && asked.body['method'] === 'initialize' ? status(401) : meeting(asked)));
    await using client = await opened(web);
    gone = true;
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_UNAUTHORIZED' });
    expect(web.with('initialize')).toHaveLength(2);
  });

  test('a call that is rejected for lack of authorization fails, and is not repeated', async () => {
    const web = new FakeWeb(
      stateless((asked) => (asked.body['method'] === 'tools/call' ? status(403) : answered(asked))),
    );
    await using client = await opened(web);
    await expect(client.call('t')).rejects.toMatchObject({ code: 'MCP_UNAUTHORIZED', kind: 'auth' });
    expect(web.with('tools/call')).toHaveLength(1);
  });

  test.each([{ 'a b': 'c' }, { a: 'b\r\nc: d' }, { a: '\u0100' }])(
    'a header that HTTP cannot send is rejected: %j',
    async (headers) => {
      const web = new FakeWeb(stateless(answered));
      expect(await outcome(web, { headers: headers as Record<string, string> })).toMatchObject({
        code: 'MCP_BAD_DEFINITION',
      }); // wrong on purpose
      expect(web.asked).toEqual([]);
    },
  );
});
