/** The revision, client info and scopes of a request are each read once, so that no check can see another value. */
import { expect, test } from 'vitest';
import { FakeReply, FakeView, knock } from '../../../test/support/fake-http.ts';
import { call, opened, stateless } from '../../../test/support/http-messages.ts';
import { withHandshake } from '../../../test/support/raw.ts';
import { createServer, tool, use } from '../../index.ts';
import { isRequest, type JsonObject, withMembers } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from '../../model/names.ts';
import type { Layer } from '../../peer/exchange.ts';
import { HttpService } from './service.ts';

const parts = [
  tool({ name: 'look', run: () => 'seen' }),
  tool({ name: 'refund', scopes: ['orders:write'], run: () => 'done' }),
];
const dock = (): ReturnType<typeof createServer> => createServer({ name: 'dock', version: '1', parts });

/** Wraps an object to count how often each member is read. */
function counted<T extends object>(object: T): { object: T; reads: Map<string, number> } {
  const reads = new Map<string, number>();
  const get = (target: T, key: string | symbol): unknown => {
    if (typeof key === 'string') reads.set(key, (reads.get(key) ?? 0) + 1);
    return Reflect.get(target, key);
  };
  return { object: new Proxy(object, { get }), reads };
}

test('the revision and the capabilities in _meta are read once', async () => {
  const { headers, body } = stateless('tools/call', { name: 'look' });
  const params = body['params'] as JsonObject; // as `stateless` makes them
  const meta = counted(params['_meta'] as JsonObject);
  const parsed = { ...body, params: { ...params, _meta: meta.object } };
  const reply = new FakeReply();
  await new HttpService(dock(), {}).answer(Object.assign(new FakeView({ headers }), { parsed }), reply);
  expect(reply.json).toMatchObject({ result: { content: [{ text: 'seen' }] } });
  expect(meta.reads.get(PROTOCOL_VERSION)).toBe(1);
  expect(meta.reads.get(CLIENT_CAPABILITIES)).toBe(1);
});

/** Validation of what `auth` returned reads its scopes once. */
const FORM = 1;

/** A server for a caller with these scopes, and how often they were read. */
function guarded(
  scopes: readonly string[],
  ...layers: Layer[]
): { service: HttpService; reads: ReadonlyMap<string, number> } {
  const caller: AuthInfo = { issuer: 'i', subject: 'ada', scopes };
  const { object, reads } = counted(caller);
  return { service: new HttpService(use(dock(), ...layers), { auth: () => object }), reads };
}

test('the scopes of a request without a session are checked once', async () => {
  const { service, reads } = guarded(['orders:write']);
  const reply = await knock(service, stateless('tools/call', { name: 'refund' }));
  expect(reply.json).toMatchObject({ result: { content: [{ text: 'done' }] } });
  expect(reads.get('scopes')).toBe(FORM + 1);
});

test.each(withHandshake)('the scopes of a request in a session are checked once, in %s', async (revision) => {
  const { service, reads } = guarded(['orders:write']);
  const headers = await opened(service, revision);
  const before = reads.get('scopes') ?? 0;
  const reply = await knock(service, { headers, body: call(1, 'refund') });
  expect(reply.json).toMatchObject({ result: { content: [{ text: 'done' }] } });
  expect(reads.get('scopes')).toBe(before + FORM + 1);
});

test('a request that a layer made from another one is checked by the server', async () => {
  const refunding: Layer = (next) => (message, link) =>
    isRequest(message) && message.method === 'tools/call'
      ? next({ ...message, params: withMembers(message.params, { name: 'refund' }) }, link)
      : next(message, link);
  const { service } = guarded(['orders:read'], refunding);
  const reply = await knock(service, stateless('tools/call', { name: 'look' }));
  expect(reply.json.error?.message).toBe('Forbidden: the token lacks orders:write');
});
