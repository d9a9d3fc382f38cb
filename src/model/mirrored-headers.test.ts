import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { argumentAt, decodeHeader, encodeHeader } from './header-value.ts';
import { mirroredHeadersIn } from './mirrored-headers.ts';

test('mirroredHeadersIn() finds headers of properties at any depth', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      where: { type: 'object', properties: { zone: { type: 'integer', 'x-mcp-header': 'Zone' } } },
      plain: { type: 'string' },
    },
  };
  expect(mirroredHeadersIn(schema)).toEqual([
    { name: 'mcp-param-region', path: ['region'] },
    { name: 'mcp-param-zone', path: ['where', 'zone'] },
  ]);
});

test('an argument that is null, absent or inherited has no value', () => {
  verifies('HTTP-099');
  const args = { a: { b: 1 }, none: null };
  expect(argumentAt(args, ['a', 'b'])).toBe(1);
  for (const path of [['none'], ['x'], ['a', 'x'], ['toString'], ['a', 'b', 'c']])
    expect(argumentAt(args, path)).toBeUndefined();
});

test.each([
  ['plain', 'plain'],
  ['', '=?base64??='],
  [42, '42'],
  [true, 'true'],
  ['Zürich', '=?base64?WsO8cmljaA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['two\nlines', '=?base64?dHdvCmxpbmVz?='],
  ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
])('%j travels as %s and comes back', (value, header) => {
  verifies('HTTP-085', 'HTTP-100', 'HTTP-101', 'HTTP-102', 'HTTP-103');
  expect(encodeHeader(value)).toBe(header);
  expect(decodeHeader(header)).toBe(String(value));
});

test('decodeHeader() returns undefined for invalid characters and encodings', () => {
  verifies('HTTP-106');
  for (const header of ['Zürich', 'a\u0000b', ' a', '=?base64?***?=', '=?base64?/w==?=', '=?base64?SGVsbG8?=']) {
    expect(decodeHeader(header)).toBeUndefined();
  }
  expect(decodeHeader('')).toBe('');
  // The markers must be in lower case.
  expect(decodeHeader('=?BASE64?WsO8cmljaA==?=')).toBe('=?BASE64?WsO8cmljaA==?=');
});
