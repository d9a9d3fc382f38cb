/** Only the caller that opened a session can use it, for every kind of message and of session. */
import { expect, test } from 'vitest';
import { port } from '../../../test/fixtures/port.ts';
import { type FakeRequest, knock, started } from '../../../test/support/fake-http.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { call, note, opened, request } from '../../../test/support/http-messages.ts';
import { soon } from '../../../test/support/soon.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { notification } from '../../jsonrpc/message.ts';
import type { Authenticator } from '../../model/auth.ts';
import type { HttpOptions } from './http-settings.ts';
import { HttpService } from './service.ts';
import type { SessionMessage, SessionPeers } from './session-peers.ts';
import { memorySessionStore, type SessionStore } from './session-store.ts';

/** Authenticates `Authorization: issuer subject client`. */
const auth: Authenticator = ({ header }) => {
  const [issuer, subject, clientId] = header('authorization')?.split(' ') ?? [];
  if (issuer === undefined || subject === undefined || clientId === undefined)
    return { status: 401, wwwAuthenticate: 'Bearer' };
  return { issuer, subject, clientId, scopes: [] };
};

function remoteStore(): SessionStore {
  const store = memorySessionStore();
  const later = async <T>(run: () => T): Promise<Awaited<T>> => {
    await settled();
    return await run();
  };
  return {
    get: (id) => later(() => store.get(id)),
    put: (...args) => later(() => store.put(...args)),
    touch: (...args) => later(() => store.touch(...args)),
    delete: (id) => later(() => store.delete(id)),
  };
}

function sealedSessions(): HttpOptions['sessions'] {
  const names = new Set<string>();
  return {
    sealed: [new Uint8Array(32)],
    ended: { add: (name) => void names.add(name), has: (name) => names.has(name) },
  };
}

const places = [
  ['in memory', memorySessionStore],
  ['in a store that answers later', remoteStore],
  ['in its id', sealedSessions],
] as const;

const messages: readonly (readonly [string, FakeRequest])[] = [
  ['a request', { body: request(2, 'ping') }],
  ['a call with the id of an open one', { body: call(1, 'echo', { message: 'x' }) }],
  ['a notification', { body: note('notifications/cancelled', { requestId: 1 }) }],
  ['a response', { body: { jsonrpc: '2.0', id: 1, result: {} } }],
  ['an array', { body: [note('notifications/cancelled', { requestId: 1 }), request(2, 'ping')] }],
  ['DELETE', { method: 'DELETE' }],
  ['GET', { method: 'GET' }],
];

const rows = places.flatMap(([place, make]) =>
  // A sealed session has no GET stream.
  messages
    .filter(([what]) => place !== 'in its id' || what !== 'GET')
    .map(([what, sent]) => [what, place, make, sent] as const),
);

test.each(rows)(
  '%s of another caller finds no session and changes nothing, where it is kept %s',
  async (_what, _place, make, sent) => {
    verifies('SEC-025', 'SEC-028', 'SEC-055');
    const { server, ran, aborted, go } = port();
    const service = new HttpService(server, { auth, sessions: make() });
    const mine = await opened(service, '2025-03-26', { authorization: 'a ada app' });
    const waiting = started(service, { headers: mine, body: call(1, 'wait') });
    await soon(() => expect(ran()).toBe(1));
    const statusAs = async (authorization: string | undefined): Promise<number> =>
      (await knock(service, { ...sent, headers: { ...mine, authorization } })).status;
    for (const other of ['a eve app', 'b ada app', 'a ada other']) expect(await statusAs(other)).toBe(404);
    expect(await statusAs(undefined)).toBe(401);
    expect([ran(), aborted]).toEqual([1, []]);
    go();
    await waiting.done;
    expect(waiting.reply.json['result']).toMatchObject({ content: [{ text: 'went on' }] });
    expect((await knock(service, { headers: mine, body: request(3, 'ping') })).status).toBe(200);
  },
);

test('a process continues the session of another process only for the caller of the session', async () => {
  verifies('SEC-025', 'SEC-028');
  const sessions = memorySessionStore();
  const [one, other] = [port(), port()].map(({ server }) => new HttpService(server, { auth, sessions }));
  if (one === undefined || other === undefined) throw new Error('There are two');
  const mine = await opened(one, '2025-11-25', { authorization: 'a ada app' });
  const statusAs = async (authorization: string): Promise<number> =>
    (await knock(other, { headers: { ...mine, authorization }, body: request(1, 'ping') })).status;
  expect([await statusAs('a eve app'), await statusAs('a ada app'), await statusAs('a eve app')]).toEqual([
    404, 200, 404,
  ]);
});

test.each(places)('a session has one caller or none, where it is kept %s', async (_place, make) => {
  const sessions = make();
  const served = (options: HttpOptions): HttpService => new HttpService(port().server, { ...options, sessions });
  const unnamed = (issuer: string): HttpOptions => ({ auth: () => ({ issuer, scopes: [] }) });
  const [open, a, b] = [{}, unnamed('a'), unnamed('b')].map(served);
  if (open === undefined || a === undefined || b === undefined) throw new Error('There are three');
  for (const [one, others] of [
    [open, [a, b]],
    [a, [b, open]],
  ] as const) {
    const headers = await opened(one, '2025-11-25');
    for (const [other, status] of [...others.map((service) => [service, 404] as const), [one, 200] as const])
      expect((await knock(other, { headers, body: request(1, 'ping') })).status).toBe(status);
  }
});

test('a message that another process forwards only reaches calls of the same caller', async () => {
  const { server, ran, aborted, go } = port();
  let forward: (message: SessionMessage) => void = () => undefined;
  const peers: SessionPeers = {
    node: 'a',
    forward: () => undefined,
    receive: (take) => {
      forward = take;
      return () => undefined;
    },
  };
  const service = new HttpService(server, { auth, peers });
  const mine = await opened(service, '2025-11-25', { authorization: 'a ada app' });
  const waiting = started(service, { headers: mine, body: call(1, 'wait') });
  await soon(() => expect(ran()).toBe(1));
  const message = notification('notifications/cancelled', { requestId: 1 });
  const session = mine['mcp-session-id'] ?? '';
  forward({ session: 'unknown', principal: '', message });
  for (const principal of ['', JSON.stringify(['a', 'eve', 'app'])]) forward({ session, principal, message });
  expect(aborted).toEqual([]);
  forward({ session, principal: JSON.stringify(['a', 'ada', 'app']), message });
  expect(aborted).toHaveLength(1);
  go();
  await waiting.done;
});
