/** Which headers a tool can declare to mirror its arguments. */
import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import { tool } from '../server/tool.ts';
import { headerFault, mirroredHeadersIn } from './mirrored-headers.ts';

const marked = (header: unknown, type: unknown = 'string'): JsonObject => ({ type, 'x-mcp-header': header });
const schema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

test('a header can be declared on a string, a boolean or an integer, at any depth', () => {
  verifies('TOOL-75', 'TOOL-76', 'HTTP-087', 'HTTP-091', 'HTTP-093');
  const inner = schema({ c: marked('C', 'integer'), d: schema({ e: marked('E') }) });
  expect(headerFault(schema({ a: marked('Region'), b: marked('Dry-Run', 'boolean'), inner }))).toBeUndefined();
  expect(headerFault(schema({ a: { type: 'string' } }))).toBeUndefined();
  expect(headerFault({})).toBeUndefined();
});

test.each(['', 'a b', 'a\r\nX: y', 'a\u0000', 'a:b', 'é', 'a/b', '(a)', 7, null, true])(
  '%j is no name of a header',
  (header) => {
    verifies('TOOL-72', 'TOOL-73', 'HTTP-089');
    expect(headerFault(schema({ a: marked(header) }))).toBe('x-mcp-header of "a" must be an HTTP field name');
  },
);

test('a header that is declared twice, in any case, is rejected', () => {
  verifies('TOOL-74', 'HTTP-090');
  expect(headerFault(schema({ a: marked('Region'), b: schema({ c: marked('REGION') }) }))).toBe(
    'x-mcp-header "REGION" is used twice',
  );
});

test.each(['number', 'object', 'array', 'null', ['string', 'null'], undefined])(
  'a header on a property of type %j is rejected',
  (type) => {
    verifies('TOOL-75', 'HTTP-091');
    expect(headerFault(schema({ a: { type, 'x-mcp-header': 'A' } }))).toBe(
      'x-mcp-header of "a" needs the type string, boolean or integer',
    );
  },
);

test.each<[string, JsonObject]>([
  ['the root', schema({}, marked('A', 'object'))],
  ['items', schema({ a: { type: 'array', items: marked('A') } })],
  ['properties of items', schema({ a: { type: 'array', items: schema({ b: marked('A') }) } })],
  ['a branch', schema({}, { anyOf: [schema({ a: marked('A') })] })],
  ['a condition', schema({}, { if: schema({ a: marked('A') }) })],
  ['a definition', schema({ a: { $ref: '#/$defs/a' } }, { $defs: { a: marked('A') } })],
  ['additional properties', schema({}, { additionalProperties: marked('A') })],
  ['pattern properties', schema({}, { patternProperties: { x: marked('A') } })],
  ['a branch, on a property called "default"', schema({}, { anyOf: [schema({ default: marked('A') })] })],
  ['a branch of a property', schema({ a: { oneOf: [marked('A')] } })],
  ['a branch, as an object', schema({}, { anyOf: [{ 'x-mcp-header': { toString: 1, valueOf: 1 } }] })],
])('a header in %s is rejected, because it is not reached through "properties"', (_where, input) => {
  verifies('TOOL-76', 'HTTP-093', 'HTTP-094');
  expect(headerFault(input)).toContain('only allowed on properties that are reached through "properties"');
});

test('a property with the name of the keyword is an ordinary property', () => {
  const named = schema({ 'x-mcp-header': { type: 'string' }, properties: schema({}) });
  expect(headerFault(named)).toBeUndefined();
  expect(headerFault(schema({}, { anyOf: [named], $defs: { 'x-mcp-header': { type: 'string' } } }))).toBeUndefined();
});

test.each(['const', 'default', 'enum', 'examples'])(
  'a value in "%s" that looks like a header is a value',
  (keyword) => {
    const value = { 'x-mcp-header': 'A' };
    const property = { [keyword]: keyword === 'enum' || keyword === 'examples' ? [value] : value };
    expect(headerFault(schema({ a: property }))).toBeUndefined();
  },
);

test('a schema takes about as long at any depth, as a peer can send millions of properties', () => {
  const wide = schema(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: 'string' }])));
  let deep = wide;
  for (let level = 0; level < 150; level++) deep = schema({ a: deep });
  const spent = (input: JsonObject): number => {
    const times = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      headerFault(input);
      mirroredHeadersIn(input);
      return process.cpuUsage(before).user;
    });
    return Math.min(...times);
  };
  // If each level copied what is below it, this would be over twenty times.
  expect(spent(deep)).toBeLessThan(10 * spent(wide));
});

test('a tool with a header that cannot be is refused where it is declared', () => {
  verifies('TOOL-72', 'TOOL-73', 'TOOL-74', 'TOOL-75', 'TOOL-76');
  const declare = (input: JsonObject): unknown => tool({ name: 't', input, run: () => 'x' });
  expect(() => declare(schema({ a: marked('a b') }))).toThrow(
    'tool "t": x-mcp-header of "a" must be an HTTP field name',
  );
  expect(declare(schema({ a: marked('A') }))).toMatchObject({
    definition: { inputSchema: { properties: { a: { 'x-mcp-header': 'A' } } } },
  });
});
