import { expect, test } from 'vitest';
import { isHeaderName, isHeaderValue } from './header-fields.ts';

const codes = (count: number): string[] => Array.from({ length: count }, (_, code) => String.fromCodePoint(code));

test('the name of a header consists of letters, digits and fifteen signs, and is not empty', () => {
  const allowed = codes(0x200).filter(isHeaderName).join('');
  expect(allowed).toBe("!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~");
  expect(isHeaderName('X-Request-Id')).toBe(true);
  for (const text of ['', 'X Id', 'X:', ' X', 'X ', 'X\r\nY', 'X\n', 'É']) expect(isHeaderName(text), text).toBe(false);
});

test('a value of a header has no line break, no control character, and nothing beyond one byte', () => {
  const refused = codes(0x200).filter((c) => !isHeaderValue(c));
  const controls = codes(0x20).filter((c) => c !== '\t');
  expect(refused).toEqual([...controls, '\x7f', ...codes(0x200).slice(0x100)]);
  for (const text of ['', 'a b\té']) expect(isHeaderValue(text), text).toBe(true);
  for (const text of ['a\r\nX: y', 'a\n', '\na', 'a\0', '日']) expect(isHeaderValue(text), text).toBe(false);
});
