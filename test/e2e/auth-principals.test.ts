/** Two callers of one server, over real sockets: neither can use what belongs to the other. */
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createServer, resource, tool } from '../../src/index.ts';
import { port } from '../fixtures/port.ts';
import { eventually } from '../support/children.ts';
import { type Dock, dock } from '../support/guarded-dock.ts';
import { call, note, progressing, request, stateless } from '../support/http-messages.ts';
import { type Answer, ask, begin, until } from '../support/http-raw.ts';
import { hello } from '../support/raw.ts';
import { verifies } from '../support/verifies.ts';

type Fields = Record<string, string>;

/** The headers of a session with these credentials. */
async function opened({ url }: Dock, as: Fields, revision: string): Promise<Fields> {
  const body = request('hello', 'initialize', hello(revision, { elicitation: {} }));
  const met = await ask(url, { headers: as, body });
  const headers = { ...as, 'mcp-session-id': String(met.headers['mcp-session-id']) };
  await ask(url, { headers, body: note('notifications/initialized') });
  return headers;
}

const answerOf = ({ text }: Answer): { id?: unknown; result?: Record<string, unknown>; error?: unknown } =>
  JSON.parse(text.replace(/^[\s\S]*^data: (?=\{)/m, ''));
const lastId = (text: string): string => [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';

/** The same user and client again, another user, another client, and no credentials. */
const others: [string, object | undefined][] = [
  ['another person', { sub: 'eve' }],
  ['the same person with another client', { client_id: 'other' }],
  ['a client on its own behalf', { sub: undefined }],
  ['nobody', undefined],
];

describe.each(['2025-03-26', '2025-06-18', '2025-11-25'])('a session, in %s,', (revision) => {
  test.each(others)('is not there for %s', async (_who, claims) => {
    verifies('SEC-024');
    const { server, go, aborted } = port();
    await using it = await dock(server);
    const ada = await opened(it, await it.as({}), revision);
    const waiting = await begin(it.url, { headers: ada, body: progressing(1, 'wait') });
    const seen = await until(waiting, /progress/);
    const foreign = claims === undefined ? {} : await it.as({ ...claims });
    const { authorization: _, ...bare } = ada;
    const eve: Fields = { ...bare, ...foreign };
    const status = claims === undefined ? 401 : 404;
    const attempts = [
      { headers: eve, body: call(9, 'echo', { message: 'x' }) },
      { headers: eve, body: note('notifications/cancelled', { requestId: 1 }) },
      { headers: eve, body: { jsonrpc: '2.0', id: 1, result: {} } },
      { headers: eve, method: 'GET' },
      { headers: { ...eve, 'last-event-id': lastId(seen) }, method: 'GET' },
      { headers: eve, method: 'DELETE' },
    ];
    for (const attempt of attempts) expect((await ask(it.url, attempt)).status).toBe(status);
    go();
    expect(await until(waiting, /"result"/)).toContain('went on');
    expect(aborted).toEqual([]);
    expect((await ask(it.url, { headers: ada, method: 'DELETE' })).status).toBe(204);
  });

  test('does not give out the events of another, even to one who has both its id and a session', async () => {
    const { server } = port();
    await using it = await dock(server);
    const ada = await opened(it, await it.as({}), revision);
    const eve = await opened(it, await it.as({ sub: 'eve' }), revision);
    const heard = await ask(it.url, { headers: ada, body: progressing(1, 'count', { to: 3 }) });
    const id = lastId(heard.text).replace(/\d+$/, '1');
    const stolen = await ask(it.url, { headers: { ...eve, 'last-event-id': id }, method: 'GET' });
    expect([stolen.status, stolen.text.includes('counted')]).toEqual([400, false]);
    const own = await ask(it.url, { headers: { ...ada, 'last-event-id': id }, method: 'GET' });
    expect(own.text).toContain('counted to 3');
  });

  test('outlives the token it was opened with: the next one goes on with it', async () => {
    verifies('LIFE-057', 'AUTH-090');
    const { server } = port();
    await using it = await dock(server);
    const old = await opened(it, await it.as({}), revision);
    it.later(10 * 60_000);
    const echo = call(1, 'echo', { message: 'still here' });
    expect((await ask(it.url, { headers: old, body: echo })).status).toBe(401);
    const fresh = await it.as({ exp: Math.floor(Date.now() / 1000) + 3_600 });
    const answer = await ask(it.url, { headers: { ...old, ...fresh }, body: echo });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('still here')]);
  });
});

describe('a question', () => {
  test('a question of a session is answered only by the caller that was asked', async () => {
    verifies('ELIC-48', 'ELIC-41');
    const { server } = port();
    await using it = await dock(server);
    const ada = await opened(it, await it.as({}), '2025-11-25');
    const asking = await begin(it.url, { headers: ada, body: call(1, 'sure') });
    const asked = await until(asking, /elicitation\/create.*\n\n/);
    const id = JSON.parse(/^data: (.*elicitation.*)$/m.exec(asked)?.[1] ?? '{}')['id'];
    const yes = { jsonrpc: '2.0', id, result: { action: 'accept', content: { confirm: true } } };
    const no = { jsonrpc: '2.0', id, result: { action: 'decline' } };
    const eve = await it.as({ sub: 'eve' });
    // With the id of ada's session, and in eve's own session.
    expect((await ask(it.url, { headers: { ...ada, ...eve }, body: yes })).status).toBe(404);
    expect((await ask(it.url, { headers: await opened(it, eve, '2025-11-25'), body: yes })).status).toBe(202);
    expect((await ask(it.url, { headers: ada, body: no })).status).toBe(202);
    expect(await until(asking, /"result"/)).toContain('"no"');
  });

  test.each(others)(
    'without a session is of no use to %s: its state is for the one who was asked',
    async (_who, claims) => {
      verifies('ELIC-40', 'ELIC-41', 'ELIC-42', 'ELIC-48');
      const { server } = port();
      await using it = await dock(server);
      const capabilities = { _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } };
      const ada = await it.as({});
      const { result = {} } = answerOf(
        await ask(it.url, stateless('tools/call', { name: 'sure', ...capabilities }, ada)),
      );
      expect(result).toMatchObject({ resultType: 'input_required' });
      const inputResponses = { sure: { action: 'accept', content: { confirm: true } } };
      const again = { name: 'sure', ...capabilities, inputResponses, requestState: result['requestState'] };
      const foreign = claims === undefined ? {} : await it.as({ ...claims });
      const stolen = await ask(it.url, stateless('tools/call', again, { ...foreign }));
      if (claims === undefined) expect(stolen.status).toBe(401);
      else
        expect(answerOf(stolen).error).toEqual({
          code: -32602,
          message: 'requestState was not issued by this server for this request',
        });
      // The state is unreadable, and works only for the caller it was made for, even with another token.
      expect(Buffer.from(String(result['requestState']), 'base64url').toString('latin1')).not.toMatch(
        /ada|sure|confirm/,
      );
      const own = await ask(it.url, stateless('tools/call', again, await it.as({ scope: 'more' })));
      expect(answerOf(own).result).toMatchObject({ content: [{ text: 'yes' }] });
    },
  );
});

describe('the principal of a caller', () => {
  const whoami = tool({ name: 'whoami', run: (_input, ctx) => JSON.stringify([ctx.auth?.subject, ctx.principal]) });
  const harbour = () => createServer({ name: 'harbour', version: '1', parts: [whoami] });
  const told = (answer: Answer): unknown => {
    const { content } = (answerOf(answer).result ?? {}) as { content?: { text: string }[] }; // by the tool
    return JSON.parse(content?.[0]?.text ?? 'null');
  };

  test('comes from the token, whatever they say of themselves', async () => {
    verifies('ELIC-43', 'ELIC-62', 'LIFE-057');
    await using it = await dock(harbour());
    const lies = {
      _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'eve', version: '1' }, user: 'eve', sub: 'eve' },
      arguments: { user: 'eve' },
    };
    const headers = { ...(await it.as({})), 'x-user': 'eve', 'x-forwarded-user': 'eve' };
    const answer = await ask(it.url, stateless('tools/call', { name: 'whoami', ...lies }, headers));
    expect(told(answer)).toEqual(['ada', JSON.stringify([it.issuer.issuer, 'ada', 'cli'])]);
  });

  test('is never mixed up, however many call at once', async () => {
    verifies('LIFE-057', 'SEC-024');
    await using it = await dock(harbour());
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, n) => it.as({ sub: `user-${n}` })));
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => {
        const subject = n % tokens.length;
        return ask(it.url, stateless('tools/call', { name: 'whoami' }, tokens[subject])).then(
          (answer) => (told(answer) as string[])[0] === `user-${subject}`, // by the tool
        );
      }),
    );
    expect(answers.filter((right) => !right)).toEqual([]);
  });
});

describe('news', () => {
  const orders = () =>
    createServer({
      name: 'orders',
      version: '1',
      parts: [
        resource({ uri: 'orders://ada', scopes: ['ada'], read: () => 'x' }),
        resource({ uri: 'orders://all', read: () => 'x' }),
      ],
    });
  const watching = (uris: readonly string[], headers: object): Parameters<typeof begin>[1] =>
    stateless('subscriptions/listen', { notifications: { resourceSubscriptions: uris } }, { ...headers });

  test('of a resource is for those who may read it', async () => {
    verifies('RES-31', 'RES-33', 'CACHE-21');
    const server = orders();
    await using it = await dock(server);
    const [ada, eve] = [await it.as({ scope: 'ada' }), await it.as({ sub: 'eve' })];
    const refused = await ask(it.url, watching(['orders://all', 'orders://ada'], eve));
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      403,
      expect.stringContaining('scope="ada"'),
    ]);
    const streams: [IncomingMessage, Promise<string>][] = [];
    for (const [uris, as] of [
      [['orders://ada'], ada],
      [['orders://all'], eve],
    ] as const) {
      const stream = await begin(it.url, watching(uris, as));
      streams.push([stream, until(stream, /updated.*\n\n/)]);
    }
    server.updated('orders://ada');
    server.updated('orders://all');
    const heard = await Promise.all(streams.map(([, text]) => text));
    expect(heard[0]).toContain('orders://ada');
    expect(heard[1]).not.toContain('orders://ada');
    for (const [stream] of streams) stream.destroy();
    const session = await opened(it, eve, '2025-11-25');
    const subscribe = (uri: string): object => request(1, 'resources/subscribe', { uri });
    expect((await ask(it.url, { headers: session, body: subscribe('orders://ada') })).status).toBe(403);
    expect((await ask(it.url, { headers: session, body: subscribe('orders://all') })).status).toBe(200);
  });
});

describe('over HTTP+SSE', () => {
  /** An open stream, and its notifications. */
  async function channel(
    it: Dock,
    as: Fields,
  ): Promise<{ endpoint: string; heard(): string; stream: IncomingMessage }> {
    const stream = await begin(`${it.origin}/sse`, { method: 'GET', headers: as });
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', () => undefined);
    await eventually('the endpoint', () => /data: \S+\n/.test(text));
    const endpoint = it.origin + (/data: (\S+)\n/.exec(text)?.[1] ?? '');
    return { endpoint, stream, heard: () => text };
  }

  test('a stream does not exist for another caller or an expired token', async () => {
    verifies('SEC-024', 'AUTH-090', 'AUTH-007');
    const { server } = port();
    await using it = await dock(server);
    expect((await ask(`${it.origin}/sse`, { method: 'GET' })).status).toBe(401);
    const ada = await it.as({});
    const { endpoint, stream, heard } = await channel(it, ada);
    const greeting = request('hello', 'initialize', hello('2024-11-05'));
    expect((await ask(endpoint, { headers: ada, body: greeting })).status).toBe(202);
    const echo = call(7, 'echo', { message: 'for ada' });
    for (const [, claims] of others) {
      const foreign = claims === undefined ? {} : await it.as({ ...claims });
      const status = claims === undefined ? 401 : 404;
      expect((await ask(endpoint, { headers: { ...foreign }, body: echo })).status).toBe(status);
    }
    expect((await ask(endpoint, { headers: ada, body: echo })).status).toBe(202);
    await eventually('the answer', () => heard().includes('for ada'));
    it.later(10 * 60_000);
    expect((await ask(endpoint, { headers: ada, body: echo })).status).toBe(401);
    stream.destroy();
  });

  test('a call that needs more is refused with its POST', async () => {
    verifies('AUTH-066', 'TOOL-51');
    const refund = tool({ name: 'refund', scopes: ['orders:write'], run: () => 'refunded' });
    await using it = await dock(createServer({ name: 'shop', version: '1', parts: [refund] }));
    const [some, more] = [await it.as({}), await it.as({ scope: 'orders:write' })];
    const { endpoint, heard, stream } = await channel(it, some);
    await ask(endpoint, { headers: some, body: request('hello', 'initialize', hello('2024-11-05')) });
    const refused = await ask(endpoint, { headers: some, body: call(1, 'refund') });
    expect(refused.status).toBe(403);
    expect(refused.headers['www-authenticate']).toContain('scope="orders:write"');
    expect((await ask(endpoint, { headers: more, body: call(2, 'refund') })).status).toBe(202);
    await eventually('the answer', () => heard().includes('refunded'));
    expect(heard()).not.toContain('"id":1');
    stream.destroy();
  });
});
