import { expect, test } from 'vitest';
import type { JsonObject, RpcRequest } from '../../jsonrpc/message.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { LifecycleContext, ServerSide } from '../contract.ts';
import { revisions } from '../index.ts';
import { isInitialized, requestedVersion, sessionLifecycle } from './session.ts';

const side: ServerSide = { info: { name: 's', version: '1' }, revisions, capabilities: () => ({ tools: {} }) };
const request = (method: string, params?: JsonObject): RpcRequest => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params && { params }),
});
const hello = (protocolVersion: unknown): RpcRequest =>
  request('initialize', { protocolVersion, clientInfo: { name: 'c', version: '1' }, capabilities: { roots: {} } });

/** A conversation, and what the lifecycle did to it. */
function conversation(session: PeerSession = {}) {
  const done: string[] = [];
  const context: LifecycleContext = {
    session,
    end: () => void done.push('end'),
    renew: () => void done.push(`renew ${session.revision}`),
  };
  const answer = (message: RpcRequest, more: Partial<ServerSide> = {}): JsonObject | undefined =>
    sessionLifecycle.answer(message, { ...side, ...more }, context);
  return { session, done, answer };
}

test('the first handshake begins a session, and another one first ends the session before it', () => {
  const { session, done, answer } = conversation();
  expect(answer(hello('2025-06-18'))).toMatchObject({ protocolVersion: '2025-06-18', capabilities: { tools: {} } });
  expect(done).toEqual([]);
  expect(session).toMatchObject({ revision: '2025-06-18', batches: false, caller: { capabilities: { roots: {} } } });
  expect(answer(hello('2025-03-26'))).toMatchObject({ protocolVersion: '2025-03-26' });
  expect(done).toEqual(['renew 2025-06-18']);
  expect(session).toMatchObject({ revision: '2025-03-26', batches: true });
});

test('a channel that allows one session keeps it when a second handshake is rejected', () => {
  const session: PeerSession = { revision: '2025-06-18' };
  const renew = (): never => {
    throw new Error('one session only');
  };
  const again = (): unknown => sessionLifecycle.answer(hello('2025-03-26'), side, { session, end: renew, renew });
  expect(again).toThrow('one session only');
  expect(session).toEqual({ revision: '2025-06-18' });
});

test('a handshake for an unknown revision gets the newest one with handshakes, or an error from a strict server', () => {
  const { answer, session } = conversation();
  expect(answer(hello('1999-01-01'))).toMatchObject({ protocolVersion: '2025-11-25' });
  const strict = conversation();
  expect(() => strict.answer(hello('1999-01-01'), { strictVersions: true })).toThrow('Unsupported protocol version');
  expect(strict.session).toEqual({});
  expect(() => strict.answer(hello('2026-07-28'), { revisions: [] })).toThrow('Unsupported protocol version');
  expect(session.revision).toBe('2025-11-25');
});

test('a transport that cannot carry the revision gets the next newer one that it can', () => {
  const offered = ['2025-06-18', '2025-11-25'];
  expect(conversation({ offered }).answer(hello('2025-03-26'))).toMatchObject({ protocolVersion: '2025-06-18' });
  expect(conversation({ offered }).answer(hello('2025-06-18'))).toMatchObject({ protocolVersion: '2025-06-18' });
  expect(conversation({ offered }).answer(hello('1999-01-01'))).toMatchObject({ protocolVersion: '2025-11-25' });
});

test('the client sets the level of its log messages, and an unknown level changes nothing', () => {
  const { session, answer } = conversation();
  const level = (): unknown => sessionLifecycle.logLevel(request('tools/call'), session);
  expect(level()).toBe('info');
  expect(answer(request('logging/setLevel', { level: 'error' }))).toEqual({});
  expect(level()).toBe('error');
  for (const wrong of [undefined, 'loud', 7, null]) {
    const params = wrong === undefined ? {} : { level: wrong };
    expect(() => answer(request('logging/setLevel', params))).toThrow(/Unknown log level/);
  }
  expect(level()).toBe('error');
  expect(sessionLifecycle.logLevel(request('tools/call'), { requestsOnly: true, logLevel: 'error' })).toBeUndefined();
});

test('a ping is answered, shutdown ends the conversation, and other methods are left to the server', () => {
  const { done, answer } = conversation({ revision: '2025-11-25' });
  expect(answer(request('ping'))).toEqual({});
  expect(answer(request('tools/list'))).toBeUndefined();
  expect(done).toEqual([]);
  expect(answer(request('shutdown'))).toEqual({});
  expect(done).toEqual(['end']);
});

test('the requested revision is text, and a client without a handshake has no capabilities', () => {
  expect(requestedVersion(hello('2025-06-18'))).toBe('2025-06-18');
  expect([requestedVersion(hello(7)), requestedVersion(request('initialize'))]).toEqual([undefined, undefined]);
  expect(sessionLifecycle.caller(request('ping'), {})).toEqual({ capabilities: {} });
  const names = ['notifications/initialized', 'initialized', 'initialize', 'notifications/other'];
  expect(names.map(isInitialized)).toEqual([true, true, false, false]);
});
