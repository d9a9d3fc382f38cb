/** Creates HTTP requests of clients, with their headers. */
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from '../../src/model/names.ts';
import type { HttpService } from '../../src/transport/http/service.ts';
import { type FakeReply, type FakeRequest, knock } from './fake-http.ts';
import { hello, STATELESS } from './raw.ts';

export interface Sent {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: JsonObject;
}

const meta = { [PROTOCOL_VERSION]: STATELESS, [CLIENT_CAPABILITIES]: {} } as const;

/** A request of 2026-07-28. */
export function stateless(method: string, params: JsonObject = {}, more: Sent['headers'] = {}): Sent {
  const name = params['name'] ?? params['uri'];
  return {
    headers: {
      'mcp-protocol-version': STATELESS,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...more,
    },
    body: {
      jsonrpc: '2.0',
      id: 'it',
      method,
      params: { _meta: { ...meta, ...(params['_meta'] ?? {}) }, ...without(params) },
    },
  };
}

const without = ({ _meta, ...rest }: JsonObject): JsonObject => rest;

export const request = (id: string | number, method: string, params?: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

export const note = (method: string, params?: JsonObject): JsonObject => ({
  jsonrpc: '2.0',
  method,
  ...(params === undefined ? {} : { params }),
});

export const call = (id: string | number, name: string, args?: JsonObject, more: JsonObject = {}): JsonObject =>
  request(id, 'tools/call', { name, ...(args === undefined ? {} : { arguments: args }), ...more });

/** A call with a progress token. */
export const progressing = (id: string | number, name: string, args?: JsonObject): JsonObject =>
  call(id, name, args, { _meta: { progressToken: id } });

/** Opens a session, and returns its headers. */
export async function opened(
  service: HttpService,
  revision: string,
  more: FakeRequest['headers'] = {},
): Promise<Record<string, string | undefined>> {
  const capabilities = { elicitation: {} };
  const met = await knock(service, {
    headers: more,
    body: request('hello', 'initialize', hello(revision, capabilities)),
  });
  const headers = { ...more, 'mcp-session-id': met.headers['Mcp-Session-Id'] };
  await knock(service, { headers, body: note('notifications/initialized') });
  return headers;
}

export const errorOf = ({ status, json }: FakeReply): [number, number | undefined] => [status, json.error?.code];
