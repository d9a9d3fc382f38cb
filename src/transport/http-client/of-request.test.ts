/** `Link.of`: the request on whose stream a message of the server arrived. */
import { expect, test } from 'vitest';
import {
  type Answer,
  event,
  FakeWeb,
  json,
  OpenStream,
  result,
  sessions,
  status,
  stream,
} from '../../../test/support/fake-web.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { link } from '../../../test/support/wire.ts';
import { notification, type RpcRequest, request, success } from '../../jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, INITIALIZED, MESSAGE, PROTOCOL_VERSION } from '../../model/names.ts';
import type { Connection, Exchange } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { httpTransport } from './http-transport.ts';

const url = 'https://a.example/mcp';
const logLine = notification(MESSAGE, { level: 'info', data: 'hi' });

interface Opened {
  readonly connection: Connection;
  readonly session: PeerSession;
  /** The methods that arrived, each with its request. */
  readonly seen: unknown[];
}

async function open(answer: Answer): Promise<Opened> {
  const seen: unknown[] = [];
  const session: PeerSession = {};
  const inbound: Exchange = (message, back) => {
    seen.push([(message as RpcRequest).method, back.of]);
    return Promise.resolve('id' in message ? success(message.id as string, {}) : undefined);
  };
  const fetch = new FakeWeb(answer).fetch;
  const connection = await httpTransport(url, { fetch, clock: virtualClock() })(inbound, session);
  return { connection, session, seen };
}

async function handshake({ connection, session }: Opened, revision: string): Promise<void> {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  await connection.exchange(request('hello', 'initialize', params), link());
  session.revision = revision;
  await connection.exchange(notification(INITIALIZED), link());
}

test.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
  'in a session of %s, a request or log message has the request of its stream, and none on the GET stream',
  async (revision) => {
    const standing = new OpenStream();
    const answer: Answer = (asked) => {
      if (asked.method === 'GET') return standing.response;
      if (asked.body['id'] === undefined || !('method' in asked.body)) return status(202);
      return stream(event(logLine), event(request('q', 'roots/list')), event(result(asked, {})));
    };
    const opened = await open(sessions(revision, answer));
    await handshake(opened, revision);
    await opened.connection.exchange(request('first', 'tools/call'), link());
    await opened.connection.exchange(request('second', 'tools/call'), link());
    standing.write(event(logLine));
    await settled();
    await opened.connection.close();
    expect(opened.seen).toEqual([
      [MESSAGE, 'first'],
      ['roots/list', 'first'],
      [MESSAGE, 'second'],
      ['roots/list', 'second'],
      [MESSAGE, undefined],
    ]);
  },
);

test('a resumed stream of 2025-11-25 still belongs to its request', async () => {
  const answer: Answer = (asked) => {
    const from = asked.headers['last-event-id'];
    if (asked.method === 'GET' && from === undefined) return status(405);
    if (asked.method === 'GET') return stream(event(logLine, '2'), event({ jsonrpc: '2.0', id: 2, result: {} }, '3'));
    return asked.body['method'] === 'tools/call' ? stream('retry: 0\n', event('', '1')) : status(202);
  };
  const clock = virtualClock();
  const seen: unknown[] = [];
  const session: PeerSession = {};
  const inbound: Exchange = (_, back) => {
    seen.push(back.of);
    return Promise.resolve(undefined);
  };
  const fetch = new FakeWeb(sessions('2025-11-25', answer)).fetch;
  const connection = await httpTransport(url, { fetch, clock })(inbound, session);
  await handshake({ connection, session, seen }, '2025-11-25');
  const called = connection.exchange(request('call', 'tools/call'), link());
  await clock.advance(100);
  await called;
  await connection.close();
  expect(seen).toEqual(['call']);
});

test('over HTTP+SSE, all messages arrive on one stream, so none has a request', async () => {
  const events = new OpenStream('event: endpoint\ndata: /messages\n\n');
  const answer: Answer = (asked) => {
    if (asked.method === 'GET') return events.response;
    if (new URL(asked.url).pathname !== '/messages') return status(404);
    const { id, method } = asked.body;
    if (method === 'initialize')
      events.write(event({ jsonrpc: '2.0', id, result: { protocolVersion: '2024-11-05', capabilities: {} } }));
    if (method === 'tools/call')
      events.write(event(logLine) + event(request('q', 'roots/list')) + event(result(asked, {})));
    return status(202);
  };
  const opened = await open(answer);
  await handshake(opened, '2024-11-05');
  await opened.connection.exchange(request('call', 'tools/call'), link());
  await opened.connection.close();
  expect(opened.seen).toEqual([
    [MESSAGE, undefined],
    ['roots/list', undefined],
  ]);
});

test('over HTTP+SSE of 2024-11-05, events of another type and empty ones are not messages', async () => {
  const events = new OpenStream('event: endpoint\ndata: /messages\n\n');
  const answer: Answer = (asked) => {
    if (asked.method === 'GET') return events.response;
    const { id, method } = asked.body;
    if (new URL(asked.url).pathname !== '/messages') return status(404);
    if (method === 'initialize')
      events.write(event({ jsonrpc: '2.0', id, result: { protocolVersion: '2024-11-05', capabilities: {} } }));
    if (method === 'tools/call')
      events.write(
        `event: ping\n${event(request('q', 'roots/list'))}data:\n\nevent: endpoint\ndata: /other\n\n${event(result(asked, {}))}`,
      );
    return status(202);
  };
  const opened = await open(answer);
  await handshake(opened, '2024-11-05');
  expect(await opened.connection.exchange(request('call', 'tools/call'), link())).toMatchObject({ id: 'call' });
  await opened.connection.close();
  expect(opened.seen).toEqual([]);
});

test('in 2026-07-28, log messages go to the link of their request, and a forbidden request has it', async () => {
  const opened = await open((asked) =>
    asked.body['method'] === 'tools/call'
      ? stream(event(logLine), event(request('q', 'roots/list')), event(result(asked, {})))
      : json(result(asked, {})),
  );
  const mine = link();
  const _meta = {
    [PROTOCOL_VERSION]: '2026-07-28',
    [CLIENT_INFO]: { name: 'c', version: '1' },
    [CLIENT_CAPABILITIES]: {},
  };
  await opened.connection.exchange(request('call', 'tools/call', { name: 't', _meta }), mine);
  await opened.connection.close();
  expect(mine.heard).toEqual([logLine]);
  expect(opened.seen).toEqual([['roots/list', 'call']]);
});
