/** Which headers match the parts of the body that they repeat. */
import { expect, test } from 'vitest';
import { FakeView } from '../../../test/support/fake-http.ts';
import { type JsonObject, request } from '../../jsonrpc/message.ts';
import type { MirroredHeader } from '../../model/mirrored-headers.ts';
import type { Servable } from '../../peer/exchange.ts';
import { headerMismatch, versionMismatch } from './header-mismatch.ts';

const open = (): never => {
  throw new Error('Nothing is opened here');
};
/** A server with one tool whose argument is repeated in a header, and one extension method that names a task. */
const mirroring = (...mirrored: readonly MirroredHeader[]): Servable => ({
  ...{ open, mirrored: () => mirrored },
  nameParam: (method) => (method === 'example.test/get' ? 'taskId' : undefined),
});
const region = { name: 'mcp-param-region', path: ['region'] };
const fault = (method: string, params: JsonObject, headers: Record<string, string>, server = mirroring(region)) =>
  headerMismatch(new FakeView({ headers: { 'mcp-method': method, ...headers } }), request(1, method, params), server);
const called = (args: unknown, headers: Record<string, string> = {}, server?: Servable): string | undefined =>
  fault('tools/call', { name: 'route', arguments: args }, { 'mcp-name': 'route', ...headers }, server);

test('a version header that is missing or differs from the body is rejected with the expected value', () => {
  const of = (version: string | undefined): string | undefined =>
    versionMismatch(new FakeView({ headers: { 'mcp-protocol-version': version } }), 'v1');
  expect(of('v1')).toBeUndefined();
  expect(of('v2')).toBe('MCP-Protocol-Version must be "v1", as _meta says');
  expect(of(undefined)).toBe('MCP-Protocol-Version is missing; it must repeat the version in _meta');
});

test('a header that a tool asks for must repeat its argument', () => {
  expect(called({ region: 'eu' }, { 'mcp-param-region': 'eu' })).toBeUndefined();
  const told = 'Mcp-Param-region must repeat the argument "region"';
  expect([called({ region: 'eu' }), called({ region: 'eu' }, { 'mcp-param-region': 'us' })]).toEqual([told, told]);
});

test('an argument that is absent, null or an object must have no header', () => {
  for (const args of [undefined, {}, [], 'region', { region: null }, { region: {} }, { region: ['eu'] }]) {
    expect(called(args), JSON.stringify(args)).toBeUndefined();
    for (const text of ['undefined', 'null', '[object Object]', 'eu', ''])
      expect(called(args, { 'mcp-param-region': text }), JSON.stringify([args, text])).toContain('Mcp-Param-region');
  }
});

test('Mcp-Name repeats the parameter that the server names for an extension method', () => {
  const get = (name: string, params: JsonObject = { taskId: 't1' }): string | undefined =>
    fault('example.test/get', params, { 'mcp-name': name });
  expect([get('t1'), get('t2')]).toEqual([undefined, 'Mcp-Name must be "t1", as the body says']);
  // If the body lacks the name, the server rejects the request.
  expect(get('t2', { taskId: 7 })).toBeUndefined();
  expect(fault('example.test/other', { taskId: 't1', undefined: 'x' }, {})).toBeUndefined();
});

test('a server without header parameters accepts requests with the headers of the protocol', () => {
  expect(called({ region: 'eu' }, {}, { open })).toBeUndefined();
  expect(fault('example.test/get', { taskId: 't1' }, {}, { open })).toBeUndefined();
  expect(called({}, { 'mcp-method': 'tools/list' }, { open })).toBe(
    'Mcp-Method must be "tools/call", as the body says',
  );
  expect(called({}, { 'mcp-name': 'other' }, { open })).toBe('Mcp-Name must be "route", as the body says');
});
