import fc from 'fast-check';
import { expect, test } from 'vitest';
import { notification, request, success } from './message.ts';
import { constantResult, isConstant, write, writeBody } from './write.ts';

const ids = fc.oneof(fc.string(), fc.maxSafeInteger());
const results = fc.dictionary(fc.string(), fc.jsonValue());

test('a constant result is serialized like any other', () => {
  fc.assert(
    fc.property(ids, results, (id, result) => {
      const kept = constantResult(result);
      expect(write(success(id, kept))).toBe(JSON.stringify(success(id, result)));
      expect(write(success(id, kept))).toBe(write(success(id, result)));
    }),
  );
});

test('a constant result is serialized only once', () => {
  let asked = 0;
  const kept = constantResult({ tools: { toJSON: () => ++asked } });
  const texts = [write(success(1, kept)), write(success('b', kept))];
  expect(texts).toEqual([
    '{"jsonrpc":"2.0","id":1,"result":{"tools":1}}',
    '{"jsonrpc":"2.0","id":"b","result":{"tools":1}}',
  ]);
});

test('a copy of a constant result is not constant', () => {
  const kept = constantResult({ tools: [] });
  write(success(1, kept));
  expect(isConstant(kept)).toBe(true);
  expect(isConstant({ ...kept })).toBe(false);
  expect(write(success(1, { ...kept, tools: ['a'] }))).toBe('{"jsonrpc":"2.0","id":1,"result":{"tools":["a"]}}');
  expect(Object.isFrozen(kept)).toBe(true);
});

test('requests and notifications are serialized as JSON.stringify does', () => {
  fc.assert(
    fc.property(ids, fc.string(), results, (id, method, params) => {
      for (const message of [request(id, method, params), notification(method, params), notification(method)])
        expect(write(message)).toBe(JSON.stringify(message));
    }),
  );
  const none = notification('a', { toJSON: () => undefined });
  expect(write(none)).toBe('{"jsonrpc":"2.0","method":"a"}');
});

test('messages without a result, and arrays of messages, are serialized as JSON.stringify does', () => {
  for (const message of [request(1, 'ping'), notification('a', { b: 1 }), [success(1, constantResult({ a: 1 }))]]) {
    expect(write(message)).toBe(JSON.stringify(message));
  }
});

const decoded = (body: ReturnType<typeof writeBody>): string =>
  typeof body === 'string' ? body : body.text + new TextDecoder().decode(body.rest);

test('writeBody produces the same text as write, for short, long and constant results', () => {
  const long = 'é日🌊'.repeat(5_000);
  for (const result of [
    { tools: [] },
    { tools: [long] },
    constantResult({ tools: [] }),
    constantResult({ tools: [long] }),
  ])
    for (const id of [1, 'a"é', 2])
      expect(decoded(writeBody(success(id, result)))).toBe(write(success(id, { ...result })));
  for (const message of [request(1, 'ping'), notification('a', { b: long })])
    expect(writeBody(message)).toBe(JSON.stringify(message));
});

test('a long constant result is encoded once, and can still be serialized as text', () => {
  const kept = constantResult({ tools: ['a'.repeat(20_000)] });
  const [first, second] = [writeBody(success(1, kept)), writeBody(success(2, kept))];
  if (typeof first === 'string' || typeof second === 'string') throw new Error('Expected bytes, got a text');
  expect(second.rest).toBe(first.rest);
  expect(write(success(3, kept))).toBe(JSON.stringify(success(3, { ...kept })));
});
