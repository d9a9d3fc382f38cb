/** The grammar of `_meta` keys, and the keys that are reserved for the protocol. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { verifies } from '../../test/support/verifies.ts';
import { filterMeta, isReserved, metaFault, metaKeyFault } from './meta.ts';

test.each([
  'k',
  'k1',
  'a.b_c-d',
  '0',
  '',
  'com.example/',
  'com.example/k',
  'com.ex-ample.x2/k.k',
  'A.B/C',
  'localhost/x',
])('%j is a valid key', (key) => {
  verifies('BASE-043', 'BASE-044', 'BASE-048');
  expect(metaKeyFault(key)).toBeUndefined();
});

test.each([
  '/k',
  '.com/k',
  'com./k',
  'com..example/k',
  '1com.example/k',
  'com.-example/k',
  'com.example-/k',
  'com.exa_mple/k',
  'com.exämple/k',
  'com example/k',
])('the prefix of %j is invalid', (key) => {
  verifies('BASE-043', 'BASE-044');
  expect(metaKeyFault(key)).toBe('expected a key such as "com.example/name"');
});

test.each(['-k', 'k-', '_k', 'k.', 'k k', 'ké', 'com.example/-k', 'com.example/k/l', 'com.example/k ', 'a\n'])(
  'the name in %j is invalid',
  (key) => {
    verifies('BASE-048');
    expect(metaKeyFault(key)).toBe('expected a key such as "com.example/name"');
  },
);

test.each([
  'io.modelcontextprotocol/x',
  'dev.mcp/x',
  'com.mcp.tools/x',
  'IO.ModelContextProtocol/x',
  // By the older rule, one of the two words with a label behind it.
  'modelcontextprotocol.io/x',
  'mcp.dev/x',
  'tools.mcp.com/x',
  'a.b.mcp.com/x',
])('the prefix of %s is reserved for the protocol', (key) => {
  verifies('BASE-046', 'BASE-047');
  expect(isReserved(key)).toBe(true);
  expect(metaFault({ ok: 1, [key]: 1 })).toBe(`the _meta key "${key}": reserved for the protocol`);
});

test.each(['com.example.mcp/x', 'com.example/mcp', 'mcp/x', 'modelcontextprotocol/x', 'com.mcpx.a/x', 'mcp', 'x'])(
  'the key %s is not reserved',
  (key) => {
    verifies('BASE-046', 'BASE-047');
    expect(isReserved(key)).toBe(false);
    expect(metaFault({ [key]: 1 })).toBeUndefined();
  },
);

test.each([
  'progressToken',
  'traceparent',
  'tracestate',
  'baggage',
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientInfo',
  'io.modelcontextprotocol/clientCapabilities',
  'io.modelcontextprotocol/logLevel',
  'io.modelcontextprotocol/serverInfo',
  'io.modelcontextprotocol/subscriptionId',
])('the key %s is defined by the protocol', (key) => {
  verifies('BASE-049');
  expect(isReserved(key)).toBe(true);
});

test('no key upsets the check, and a fault names the key', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (key) => {
      const fault = metaFault({ [key]: 1 });
      expect(fault === undefined || fault.includes(`"${key}"`)).toBe(true);
    }),
  );
  expect(metaFault(undefined)).toBeUndefined();
  expect(metaFault({})).toBeUndefined();
});

test('whether a key is reserved agrees with a plain reading of its labels', () => {
  const word = fc.constantFrom('mcp', 'MCP', 'modelcontextprotocol', 'ModelContextProtocol', 'com', 'mcpx', '', 'é');
  const keys = fc.tuple(fc.array(word, { maxLength: 5 }), fc.constantFrom('/x', '/mcp.a/x', '', '/'));
  fc.assert(
    fc.property(keys, ([labels, rest]) => {
      const isOurs = (one: string, at: number): boolean =>
        ['mcp', 'modelcontextprotocol'].includes(one.toLowerCase()) && (at === 1 || at < labels.length - 1);
      expect(isReserved(labels.join('.') + rest)).toBe(rest !== '' && labels.some(isOurs));
    }),
    { numRuns: 2000 },
  );
});

test('a long key of many labels takes no longer than its length', () => {
  expect(isReserved('mcp.'.repeat(200_000))).toBe(false);
  expect(isReserved(`${'a.'.repeat(200_000)}b/x`)).toBe(false);
});

test('a filter of keys keeps the members that pass, each as it is', () => {
  const isShort = (key: string): boolean => key.length < 10;
  const meta = JSON.parse('{"a":1,"__proto__":{"b":2},"much-longer":3}') as Record<string, unknown>;
  const kept = filterMeta(meta, isShort);
  expect(Object.entries(kept ?? {})).toEqual([
    ['a', 1],
    ['__proto__', { b: 2 }],
  ]);
  expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  expect(filterMeta(meta, () => true)).toBe(meta);
  expect([filterMeta(meta, () => false), filterMeta({}, isShort)]).toEqual([undefined, undefined]);
});
