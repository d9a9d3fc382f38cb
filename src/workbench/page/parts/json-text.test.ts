import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsoncPath } from '../../../files/jsonc-tree.ts';
import { formatJsonText, type JsonValue, jsonValueAt, parseJsonText, withValueAt } from './json-text.ts';

const parsedValue = (text: string): JsonValue | undefined => {
  const parsed = parseJsonText(text);
  return 'node' in parsed ? parsed.value : undefined;
};

test('every JSON text parses to what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 2), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      expect(parsedValue(spaced)).toEqual(JSON.parse(spaced));
    }),
  );
});

test('a text parses exactly when JSON.parse accepts it', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"a"',
    ':',
    ',',
    '1',
    '-',
    '0',
    '.5',
    'e3',
    'null',
    'true',
    ' ',
    '\n',
    '"',
    '\\',
    '\\u00e',
    "'",
    'x',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (list) => {
      const text = list.join('');
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect('node' in parseJsonText(text)).toBe(isJson);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['{\n  "a": 1,\n}', 2, 9, 'the last comma before } is one too many'],
  ["{'a': 1}", 1, 2, 'expected a name in double quotes, or }; "\'" came'],
  ['{"a" 1}', 1, 6, 'expected : after "a"; "1" came'],
  ['[1 2]', 1, 4, 'expected , or ]; "2" came'],
  ['{"a": "x', 1, 7, 'this text is never closed; expected "'],
  ['"a\nb"', 1, 1, 'this text is never closed; expected "'],
  ['"\\q"', 1, 1, 'this text holds a control character or an escape that JSON does not know'],
  [
    '',
    1,
    1,
    'expected a value: an object, a list, a text in double quotes, a number, true, false or null; the text ends here',
  ],
  ['1 x', 1, 3, 'expected the end of the text; "x" came'],
  [
    '01',
    1,
    1,
    'expected a value: an object, a list, a text in double quotes, a number, true, false or null; "01" came',
  ],
])('the text %j has a fault with line, column and what was expected', (text, line, column, message) => {
  const parsed = parseJsonText(text);
  expect('fault' in parsed && parsed.fault).toMatchObject({ line, column, message });
});

test('a text that is nested too deeply is a syntax error, not a stack overflow', () => {
  const parsed = parseJsonText('['.repeat(100_000));
  expect('fault' in parsed && parsed.fault.message).toBe('it is nested more than 200 levels deep');
});

test('a member named __proto__ is a member', () => {
  expect(Object.keys(parsedValue('{"__proto__": {"x": 1}}') ?? {})).toEqual(['__proto__']);
});

test('an edit of one value leaves every other character as it was typed', () => {
  const text = '{ "big": 12345678901234567890,\n   "b":[1.0,2],  "c" : "\\u0041" }';
  expect(withValueAt(text, ['c'], 'x')).toBe('{ "big": 12345678901234567890,\n   "b":[1.0,2],  "c" : "x" }');
  expect(withValueAt(text, ['b', 1], null)).toBe(
    '{ "big": 12345678901234567890,\n   "b":[1.0,null],  "c" : "\\u0041" }',
  );
  expect(withValueAt(text, ['big'], undefined)).toBe('{ \n   "b":[1.0,2],  "c" : "\\u0041" }');
});

test('a value is added in the manner of the text, and removed with its comma', () => {
  expect(withValueAt('{}', ['a'], 1)).toBe('{\n  "a": 1\n}');
  expect(withValueAt('{\n  "a": 1\n}', ['b'], [true])).toBe('{\n  "a": 1,\n  "b": [\n    true\n  ]\n}');
  expect(withValueAt('{"a": 1}', ['b'], 2)).toBe('{"a": 1, "b": 2}');
  expect(withValueAt('{"a": 1}', ['b', 'c'], 2)).toBe('{"a": 1, "b": { "c":2 }}');
  expect(withValueAt('{"a": 1, "b": 2}', ['b'], undefined)).toBe('{"a": 1}');
  expect(withValueAt('[1, 2, 3]', [0], undefined)).toBe('[2, 3]');
  expect(withValueAt('[1, 2, 3]', [2], undefined)).toBe('[1, 2]');
  expect(withValueAt('[1, 2, 2]', [1], undefined)).toBe('[1, 2]');
  expect(withValueAt('[1, 2]', [2], 3)).toBe('[1, 2, 3]');
  expect(withValueAt('{"a":[1]}', ['a', 1], 2)).toBe('{"a":[1,2]}');
  expect(withValueAt('[]', [0], 1)).toBe('[\n  1\n]');
});

test('a parent that is not an object or list is replaced when a value is added below it', () => {
  const objectFor = (before: string): unknown => parsedValue(withValueAt(before, ['a', 'b', 'c'], 1));
  for (const before of ['{"a": 5}', '{"a": []}', '{"a": null}', '{"a": {"b": "x"}}', '7'])
    expect(objectFor(before)).toEqual({ a: { b: { c: 1 } } });
  expect(parsedValue(withValueAt('{"a": {"b": 1}}', ['a', 0], 2))).toEqual({ a: [2] });
});

test('a text with a fault is not edited or formatted', () => {
  expect(withValueAt('{"a": ', ['a'], 1)).toBe('{"a": ');
  expect(formatJsonText('{"a": ')).toBe('{"a": ');
  expect(formatJsonText('{"a":1}')).toBe('{\n  "a": 1\n}');
});

test('setting a value at any path changes that value and no other', () => {
  const paths = (value: JsonValue, path: JsoncPath = []): JsoncPath[] => [
    path,
    ...(Array.isArray(value)
      ? value.flatMap((item, at) => paths(item, [...path, at]))
      : typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, item]) => paths(item, [...path, name]))
        : []),
  ];
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), fc.constantFrom(0, 2), (value, pick, indent) => {
      const text = JSON.stringify(value, null, indent);
      const all = paths(value as JsonValue);
      const path = all[pick % all.length] ?? [];
      const before = parseJsonText(text);
      const after = parseJsonText(withValueAt(text, path, 'new'));
      if (!('node' in before && 'node' in after)) throw new Error('does not parse');
      expect(jsonValueAt(after.node, path)).toBe('new');
      const same = jsonValueAt(before.node, path);
      expect(parsedValue(withValueAt(withValueAt(text, path, 'new'), path, same))).toEqual(before.value);
    }),
  );
});
