import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { McpError, RpcError } from '../errors.ts';
import {
  failure,
  INTERNAL_ERROR,
  isFailure,
  isNotification,
  isObject,
  isRequest,
  isResponse,
  type JsonObject,
  type Message,
  notification,
  request,
  resultOf,
  success,
  withMembers,
} from './message.ts';
import { faultOf } from './read.ts';

const id = fc.oneof(fc.string(), fc.maxSafeInteger());
const params = fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined });
const made: fc.Arbitrary<Message> = fc.oneof(
  fc.tuple(id, fc.string(), params).map(([i, method, p]) => request(i, method, p)),
  fc.tuple(fc.string(), params).map(([method, p]) => notification(method, p)),
  fc.tuple(id, fc.dictionary(fc.string(), fc.jsonValue())).map(([i, result]) => success(i, result)),
  fc.tuple(fc.option(id, { nil: undefined }), fc.string()).map(([i, text]) => failure(i, new RpcError(-32602, text))),
);

describe('type guards', () => {
  test('each constructor makes a valid message of exactly one kind', () => {
    verifies('BASE-001', 'BASE-011', 'BASE-012', 'BASE-013', 'BASE-014', 'BASE-015', 'BASE-017');
    fc.assert(
      fc.property(made, (message) => {
        expect(faultOf(message)).toBeUndefined();
        expect([isRequest(message), isNotification(message), isResponse(message)].filter(Boolean)).toHaveLength(1);
      }),
    );
  });

  test('messages survive serializing and parsing', () => {
    fc.assert(
      fc.property(made, (message) => {
        const written = JSON.stringify(message);
        expect(JSON.stringify(JSON.parse(written))).toBe(written);
      }),
    );
  });

  test('a notification has no id and a request has one, 0 and the empty string included', () => {
    verifies('BASE-018');
    expect('id' in notification('a')).toBe(false);
    expect(Object.keys(notification('a', { id: 1 }))).toEqual(['jsonrpc', 'method', 'params']);
    expect(isRequest(request(0, 'a'))).toBe(true);
    expect(isRequest(request('', 'a'))).toBe(true);
  });

  test('a request or notification without params has no "params" member', () => {
    expect(request(1, 'a')).toStrictEqual({ jsonrpc: '2.0', id: 1, method: 'a' });
    expect(notification('a')).toStrictEqual({ jsonrpc: '2.0', method: 'a' });
    expect(request(1, 'a', {})).toStrictEqual({ jsonrpc: '2.0', id: 1, method: 'a', params: {} });
  });

  test('an array is not an object', () => {
    expect([isObject({}), isObject([]), isObject(null), isObject('a')]).toEqual([true, false, false, false]);
  });
});

describe('failures', () => {
  test('an RpcError is sent with its code, message and data', () => {
    verifies('BASE-014');
    expect(failure(1, new RpcError(-32602, 'No such tool', { tool: 'x' }))).toStrictEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'No such tool', data: { tool: 'x' } },
    });
    expect(failure(1, new RpcError(-32602, 'No such tool')).error).toStrictEqual({
      code: -32602,
      message: 'No such tool',
    });
  });

  test.each([new Error('secret'), new McpError('MCP_CLOSED', { why: 'secret' }), 'secret', undefined, { code: 1 }])(
    'the details of %o are not sent to the peer',
    (thrown) => {
      expect(failure(1, thrown)).toStrictEqual({
        jsonrpc: '2.0',
        id: 1,
        error: { code: INTERNAL_ERROR, message: 'Internal error' },
      });
    },
  );

  test('an error response omits an unknown id', () => {
    verifies('BASE-010');
    expect('id' in failure(undefined, new Error('x'))).toBe(false);
  });

  test('resultOf throws the error of a failure', () => {
    const failed = failure(1, new RpcError(-32602, 'No', { a: 1 }));
    expect(isFailure(failed)).toBe(true);
    expect(() => resultOf(failed)).toThrow(expect.objectContaining({ code: -32602, message: 'No', data: { a: 1 } }));
    expect(resultOf(success(1, { a: 1 }))).toEqual({ a: 1 });
  });
});

test('withMembers copies an object, sets members and does not change the original', () => {
  const original = { a: 1, b: 2 };
  expect(withMembers(original, { b: 3, c: 4 })).toEqual({ a: 1, b: 3, c: 4 });
  expect(withMembers(undefined, { c: 4 })).toEqual({ c: 4 });
  expect(original).toEqual({ a: 1, b: 2 });
});

test('withMembers copies a member called __proto__ without setting the prototype', () => {
  const text = '{"__proto__":{"name":"x"},"a":1,"_meta":{}}';
  const copy = withMembers(JSON.parse(text.replace(',"_meta":{}', '')) as JsonObject, { _meta: {} }); // an object
  expect(JSON.stringify(copy)).toBe(text);
  expect(copy['name']).toBeUndefined();
});
