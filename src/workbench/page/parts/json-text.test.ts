import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatted, type JsonPath, type JsonValue, jsonNodeAt, parseJsonText, withValueAt } from './json-text.ts';

const parsedValue = (text: string): JsonValue | undefined => {
  const parsed = parseJsonText(text);
  return 'node' in parsed ? parsed.node.value : undefined;
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
  ['{\n  "a": 1,\n}', 2, 9, 'The last comma before "}" is one too many'],
  ["{'a': 1}", 1, 2, 'A name in double quotes is expected here, found "\'"'],
  ['{"a" 1}', 1, 6, '":" is expected after the name, found "1"'],
  ['[1 2]', 1, 4, '"," or "]" is expected here, found "2"'],
  ['{"a": "x', 1, 7, 'The text in quotes does not end'],
  ['"a\nb"', 1, 3, 'The text in quotes does not end on its line'],
  ['"\\q"', 1, 2, 'A backslash is followed by one of " \\ / b f n r t u'],
  ['', 1, 1, 'A value is expected here, found the end of the text'],
  ['1 x', 1, 3, 'Nothing more is expected here, found "x"'],
  ['01', 1, 2, 'A number ends here, found "1"'],
])('the text %j has a fault with line, column and what was expected', (text, line, column, message) => {
  const parsed = parseJsonText(text);
  expect('fault' in parsed && parsed.fault).toMatchObject({ line, column, message });
});

test('a text that is nested too deeply has a fault and does not end the page', () => {
  const parsed = parseJsonText('['.repeat(100_000));
  expect('fault' in parsed && parsed.fault.message).toBe('At most 500 levels are read');
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
  expect(withValueAt(text, ['big'], undefined)).toBe('{ "b":[1.0,2],  "c" : "\\u0041" }');
});

test('a value is added in the manner of the text, and removed with its comma', () => {
  expect(withValueAt('{}', ['a'], 1)).toBe('{\n  "a": 1\n}');
  expect(withValueAt('{\n  "a": 1\n}', ['b'], [true])).toBe('{\n  "a": 1,\n  "b": [\n    true\n  ]\n}');
  expect(withValueAt('{"a": 1}', ['b'], 2)).toBe('{"a": 1, "b": 2}');
  expect(withValueAt('{"a": 1}', ['b', 'c'], 2)).toBe('{"a": 1, "b": {\n  "c": 2\n}}');
  expect(withValueAt('{"a": 1, "b": 2}', ['b'], undefined)).toBe('{"a": 1}');
  expect(withValueAt('[1, 2, 3]', [0], undefined)).toBe('[2, 3]');
});

test('a text with a fault is not edited or formatted', () => {
  expect(withValueAt('{"a": ', ['a'], 1)).toBe('{"a": ');
  expect(formatted('{"a": ')).toBe('{"a": ');
  expect(formatted('{"a":1}')).toBe('{\n  "a": 1\n}');
});

test('setting a value at any path changes that value and no other', () => {
  const paths = (value: JsonValue, path: JsonPath = []): JsonPath[] => [
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
      expect(jsonNodeAt(after.node, path)?.value).toBe('new');
      const same = jsonNodeAt(before.node, path)?.value;
      expect(parsedValue(withValueAt(withValueAt(text, path, 'new'), path, same))).toEqual(before.node.value);
    }),
  );
});
