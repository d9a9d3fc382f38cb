import { expect, test } from 'vitest';
import type { JsonObject, RpcRequest } from '../../jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, SERVER_INFO } from '../../model/names.ts';
import { claimedVersion, requestLifecycle } from './request.ts';

const lifecycle = requestLifecycle('2026-07-28');
const withMeta = (meta: unknown): RpcRequest => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { _meta: meta } as JsonObject, // as a client can send it
});
const me = { name: 'c', version: '1' };

test('a request claims the revision in its metadata, and without metadata none', () => {
  expect(claimedVersion(withMeta({ [PROTOCOL_VERSION]: 'x' }))).toBe('x');
  for (const none of [undefined, null, 'text', [], {}]) expect(claimedVersion(withMeta(none))).toBeUndefined();
});

test('a request without capabilities of its client is rejected', () => {
  for (const meta of [undefined, 'text', {}, { [CLIENT_CAPABILITIES]: 'all' }, { [CLIENT_CAPABILITIES]: [] }])
    expect(() => lifecycle.caller(withMeta(meta), {})).toThrow(CLIENT_CAPABILITIES);
});

test('a handler gets the info of the client of this request, if that is an object', () => {
  const callerOf = (info: unknown): unknown =>
    lifecycle.caller(withMeta({ [CLIENT_CAPABILITIES]: { roots: {} }, [CLIENT_INFO]: info }), {});
  expect(callerOf(me)).toEqual({ info: me, capabilities: { roots: {} } });
  for (const wrong of [undefined, 'text', 7, []]) expect(callerOf(wrong)).toMatchObject({ info: undefined });
});

test('a request names the level of its log messages, and an unknown level is rejected', () => {
  const levelOf = (level: unknown): unknown => lifecycle.logLevel(withMeta({ [LOG_LEVEL]: level }), {});
  expect([levelOf('error'), levelOf(undefined), lifecycle.logLevel(withMeta(undefined), {})]).toEqual([
    'error',
    undefined,
    undefined,
  ]);
  for (const wrong of ['loud', 7, null, {}]) expect(() => levelOf(wrong)).toThrow(/Unknown log level/);
});

test('every result gets a type and the info of the server, and keeps the type that it has', () => {
  const server = { name: 's', version: '1' };
  expect(lifecycle.stamp({ a: 1, _meta: { own: 1 } }, server)).toEqual({
    resultType: 'complete',
    a: 1,
    _meta: { own: 1, [SERVER_INFO]: server },
  });
  expect(lifecycle.stamp({ resultType: 'task' }, server)).toEqual({
    resultType: 'task',
    _meta: { [SERVER_INFO]: server },
  });
});

test('every request introduces the client, with its level only if it wants log messages', () => {
  const introduction = { [PROTOCOL_VERSION]: '2026-07-28', [CLIENT_INFO]: me, [CLIENT_CAPABILITIES]: {} };
  expect(lifecycle.introduce({ a: 1, _meta: { own: 1 } }, { info: me, capabilities: {} })).toEqual({
    a: 1,
    _meta: { own: 1, ...introduction },
  });
  expect(lifecycle.introduce(undefined, { info: me, capabilities: {}, logLevel: 'error' })).toEqual({
    _meta: { ...introduction, [LOG_LEVEL]: 'error' },
  });
});
