import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RpcError } from '../errors.ts';
import { isId, MAX_ID_LENGTH } from './message.ts';
import { faultOf, MAX_DEPTH, parse, readableId } from './read.ts';

describe('parse', () => {
  test('parses whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('throws nothing but an RpcError with -32700', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((text) => text.slice(1)),
        ),
        (text) => {
          try {
            parse(text);
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(RpcError);
            expect(thrown).toMatchObject({ code: -32700 });
          }
        },
      ),
    );
    expect(() => parse('{"a":')).toThrow(expect.objectContaining({ code: -32700, message: 'Parse error: not JSON' }));
  });

  test.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('accepts %s nested to the limit and rejects one level more', (open, close) => {
    const nested = (depth: number): string =>
      `${open.repeat(depth - 1)}${open}${open === '[' ? '' : '1'}${close.repeat(depth)}`;
    expect(parse(nested(MAX_DEPTH - 1))).toBeDefined();
    expect(parse(nested(MAX_DEPTH))).toBeDefined();
    expect(() => parse(nested(MAX_DEPTH + 1))).toThrow(/nested deeper than 200/);
  });

  test('a million brackets are rejected without being parsed', () => {
    expect(() => parse('['.repeat(1_000_000))).toThrow(/nested deeper/);
  });

  test('brackets in strings and brackets side by side do not count as nesting', () => {
    const text = JSON.stringify({ a: '[{'.repeat(500), b: '\\"[[[', c: Array.from({ length: 500 }, () => [{}]) });
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  test('measures the depth of generated values correctly', () => {
    const nested = fc.tuple(
      fc.integer({ min: 150, max: 250 }),
      fc.string(),
      fc.array(fc.jsonValue(), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(nested, ([depth, noise, rest]) => {
        let value: unknown = [noise, ...rest.map((r) => JSON.stringify(r))];
        for (let i = 1; i < depth; i++) value = i % 2 === 0 ? [noise, value] : { [noise]: value };
        const read = (): unknown => parse(JSON.stringify(value));
        if (depth > MAX_DEPTH) expect(read).toThrow(/deeper/);
        else expect(read()).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('a key called __proto__ is a key like any other', () => {
    const value = parse('{"__proto__":{"method":"x"},"jsonrpc":"2.0"}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(faultOf(value)).toBe('a response has either "result" or "error"');
  });
});

describe('ids', () => {
  test('a string or a safe integer is an id, and nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.double(), fc.maxSafeInteger(), fc.string()), (value) => {
        const wanted =
          (typeof value === 'string' && value.length <= MAX_ID_LENGTH) ||
          (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
        expect(isId(value)).toBe(wanted);
      }),
    );
    expect([isId(0), isId(''), isId(-1), isId(null), isId(1.5), isId(2 ** 53), isId(true)]).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test('a string longer than the limit is not an id', () => {
    const ids = [MAX_ID_LENGTH - 1, MAX_ID_LENGTH, MAX_ID_LENGTH + 1].map((n) => 'x'.repeat(n));
    expect(ids.map(isId)).toEqual([true, true, false]);
  });

  test('readableId finds the id of a malformed message', () => {
    expect(readableId({ id: 7, method: 5 })).toBe(7);
    expect([readableId({ id: null }), readableId([1]), readableId('a'), readableId({})]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });
});

/** Valid and nearly valid values of members. */
const edge = fc.constantFrom<unknown>(
  undefined,
  null,
  0,
  1.5,
  'x',
  '',
  {},
  [],
  { code: 1, message: 'm' },
  { code: 1.5, message: 'm' },
  true,
);
const almost = fc
  .record(
    {
      jsonrpc: fc.constantFrom<unknown>('2.0', '2.0', '2.0', '1.0', 2),
      id: edge,
      method: edge,
      params: edge,
      result: edge,
      error: edge,
    },
    { requiredKeys: [] },
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

/** An independent implementation of the rules of `faultOf`. */
function isMessage(v: Record<string, unknown>): boolean {
  const has = (key: string): boolean => Object.hasOwn(v, key);
  const object = (x: unknown): boolean => Object.prototype.toString.call(x) === '[object Object]';
  const goodId = typeof v['id'] === 'string' || Number.isInteger(v['id']);
  if (v['jsonrpc'] !== '2.0') return false;
  if (has('method')) {
    if (has('result') || has('error') || typeof v['method'] !== 'string') return false;
    return (!has('params') || object(v['params'])) && (!has('id') || goodId);
  }
  if (has('result') === has('error')) return false;
  if (has('result')) return goodId && object(v['result']);
  const error = v['error'] as Record<string, unknown> | null;
  const readable = object(error) && Number.isInteger(error?.['code']) && typeof error?.['message'] === 'string';
  return readable && (!has('id') || v['id'] === null || goodId);
}

describe('faultOf', () => {
  test('agrees with an independent implementation of the rules', () => {
    fc.assert(
      fc.property(almost, (value) => {
        expect(faultOf(value) === undefined).toBe(isMessage(value));
      }),
      { numRuns: 5000 },
    );
  });

  test('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(['string', 'undefined']).toContain(typeof faultOf(value));
      }),
    );
  });

  test.each([
    [[], 'a message is a JSON object'],
    ['x', 'a message is a JSON object'],
    [{ method: 'a' }, '"jsonrpc" must be "2.0"'],
    [{ jsonrpc: '2.0', method: 5 }, '"method" must be a string'],
    [{ jsonrpc: '2.0', method: 'a', params: [1] }, '"params" must be an object'],
    [{ jsonrpc: '2.0', method: 'a', params: null }, '"params" must be an object'],
    [{ jsonrpc: '2.0', method: 'a', id: null }, '"id" must be a string or an integer'],
    [{ jsonrpc: '2.0', method: 'a', id: 1.5 }, '"id" must be a string or an integer'],
    [{ jsonrpc: '2.0', method: 'a', id: 1, result: {} }, 'a message has a method or an outcome, not both'],
    [{ jsonrpc: '2.0', id: 1 }, 'a response has either "result" or "error"'],
    [
      { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } },
      'a response has either "result" or "error"',
    ],
    [{ jsonrpc: '2.0', id: 1, result: 'x' }, '"result" must be an object'],
    [{ jsonrpc: '2.0', result: {} }, '"id" must be a string or an integer'],
    [{ jsonrpc: '2.0', id: [], error: { code: 1, message: '' } }, '"id" must be a string or an integer'],
    [
      { jsonrpc: '2.0', id: 1, error: { code: '1', message: '' } },
      '"error" needs an integer "code" and a string "message"',
    ],
    // An integer, but not a safe one: peers in other languages cannot hold it.
    [
      { jsonrpc: '2.0', id: 1, error: { code: 1e300, message: '' } },
      '"error" needs an integer "code" and a string "message"',
    ],
  ])('names the fault of %j', (value, fault) => {
    expect(faultOf(value)).toBe(fault);
  });

  test('an error response without an id, or with null, is valid', () => {
    expect(faultOf({ jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } })).toBeUndefined();
    expect(faultOf({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } })).toBeUndefined();
  });
});
