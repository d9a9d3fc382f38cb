import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsoncFault, lineOf, parseJsonc } from './jsonc.ts';
import { removeAt, setAt } from './jsonc-edit.ts';
import { plainValue } from './jsonc-tree.ts';

const read = (text: string): unknown => plainValue(parseJsonc(text));

describe('parseJsonc()', () => {
  test('parseJsonc() accepts comments and trailing commas', () => {
    expect(read('\ufeff// a\n{ "a": [1, 2.5e3, /* b */ true,], "b": { "c": null, }, } // c')).toEqual({
      a: [1, 2500, true],
      b: { c: null },
    });
    expect(read('{ "url": "http://x/*not*/ // a comment" }')).toEqual({ url: 'http://x/*not*/ // a comment' });
    expect(read('{ "a": 1, "a": 2 }')).toEqual({ a: 2 });
  });

  test('parseJsonc() reads everything that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['{ "a": 1 "b": 2 }', 1, 'expected , or }; "\\"" came'],
    ['{\n  a: 1 }', 2, 'expected a name in double quotes, or }; "a" came'],
    ['{\r\n\r\n  "a" 1 }', 3, 'expected : after "a"; "1" came'],
    ['{ "a": ', 1, 'the text ends here'],
    ['{ "a": tru }', 1, 'expected a value'],
    ['{ "a": 01 }', 1, 'expected a value'],
    ['{} {}', 1, 'expected the end of the text'],
    ['{ "a": "x\n" }', 1, 'never closed'],
    ['{ "a": "\\q" }', 1, 'escape'],
    ['/* a', 1, 'expected */'],
    [`${'['.repeat(200)}`, 1, 'nested'],
  ])('parseJsonc() reports the line and what was expected: %j', (text, line, why) => {
    const fault = thrownBy(() => parseJsonc(text));
    expect(fault).toBeInstanceOf(JsoncFault);
    expect(String(fault)).toContain(why);
    expect(lineOf(text, (fault as JsoncFault).offset)).toBe(line);
  });
});

describe('edits of JSONC', () => {
  const text = `// mine
{
  "a": 1, // one
  /* two */
  "b": { "x": [1,2],   "y": "z" },
  "c": {
    "d": true, // last
  }
}
`;

  test('setAt() changes one value and no other byte', () => {
    expect(setAt(text, ['a'], 2)).toBe(text.replace('"a": 1', '"a": 2'));
    expect(setAt(text, ['b', 'y'], 'w')).toBe(text.replace('"z"', '"w"'));
    expect(setAt(text, ['b', 'x'], [1, 2])).toBe(text);
    expect(setAt(text, ['b'], { x: [1, 2], y: 'z' })).toBe(text);
  });

  test('setAt() adds a member in the style of its neighbors', () => {
    expect(setAt(text, ['b', 'n'], 7)).toContain('"y": "z", "n": 7 },');
    expect(setAt(text, ['c', 'n'], { m: 1 })).toContain(
      '"d": true, // last\n    "n": {\n      "m": 1\n    },\n  }\n}\n',
    );
    expect(setAt(text, ['n', 'm'], 1)).toContain('// last\n  },\n  "n": {\n    "m": 1\n  }\n}\n');
    expect(setAt('{}', ['a'], 1)).toBe('{\n  "a": 1\n}');
    expect(setAt('{\r\n\t"a": 1 // one\r\n}', ['b'], 2)).toBe('{\r\n\t"a": 1, // one\r\n\t"b": 2\r\n}');
    expect(setAt('{ "a": null }', ['a', 'b'], 1)).toContain('"b": 1');
  });

  test('removeAt() removes a member with its comma and its line', () => {
    expect(removeAt(text, ['a'])).toContain('{\n  // one\n  /* two */');
    expect(removeAt(text, ['c'])).toContain('"y": "z" }\n}\n');
    expect(removeAt(text, ['c', 'd'])).toContain('"c": {\n    // last\n  }');
    expect(removeAt('{ "a": 1, "b": 2 }', ['a'])).toBe('{ "b": 2 }');
    expect(removeAt('{\n  "a": 1,\n  "b": 2\n}', ['b'])).toBe('{\n  "a": 1\n}');
    expect(removeAt('{\n  "a": 1,\n  "b": 2\n}', ['a'])).toBe('{\n  "b": 2\n}');
    expect(read(removeAt('{ // c\n "a": 1 }', ['a']))).toEqual({});
    expect(removeAt(text, ['nothing'])).toBe(text);
  });

  test('edits give the wanted value and keep every comment and every other member', () => {
    fc.assert(
      fc.property(jsonc(), fc.constantFrom('a', 'b', 'n'), fc.jsonValue({ maxDepth: 2 }), (before, key, value) => {
        const json = JSON.parse(JSON.stringify(value)) as unknown;
        const set = setAt(before, [key], json);
        expect(read(set)).toEqual({ ...(read(before) as object), [key]: json });
        const removed = removeAt(set, [key]);
        const { [key]: _, ...others } = read(before) as Record<string, unknown>;
        expect(read(removed)).toEqual(others);
        for (const after of [set, removed]) {
          expect(commentsOutside(after, key)).toEqual(commentsOutside(before, key));
          expect(slices(after, key)).toEqual(slices(before, key));
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** An object with members, each with its own value, blanks and comments. */
function jsonc(): fc.Arbitrary<string> {
  const trivia = fc.constantFrom('', ' ', '\n', '\n  ', ' /* c */ ', ' // l\n', '\r\n\t', '\n  // own line\n  ');
  const value = fc.constantFrom('1', '"x // y"', '[1, 2 ]', '{ "q" : 1 }', '{\n "r": [ ],\n}', 'null');
  const member = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    value,
    t: fc.tuple(trivia, trivia, trivia, trivia),
  });
  return fc
    .record({
      members: fc.uniqueArray(member, { selector: ({ key }) => key, maxLength: 4 }),
      trailing: fc.boolean(),
      ends: fc.tuple(trivia, trivia, trivia),
    })
    .map(({ members, trailing, ends: [head, inner, tail] }) => {
      const parts = members.map(({ key, value: one, t: [w, x, y, z] }) => `${w}"${key}"${x}:${y}${one}${z}`);
      const comma = trailing && parts.length > 0 ? `,${inner}` : inner;
      return `${head}{${parts.join(',')}${comma}}${tail}`;
    });
}

/** The text of every other member. */
function slices(text: string, key: string): Map<string, string> {
  const root = parseJsonc(text);
  const members = root.kind === 'object' ? root.members : [];
  return new Map(members.filter((one) => one.key !== key).map((one) => [one.key, text.slice(one.start, one.end)]));
}

function commentsOutside(text: string, key: string): string[] {
  const root = parseJsonc(text);
  const member = root.kind === 'object' ? root.members.find((one) => one.key === key) : undefined;
  const rest = member === undefined ? text : text.slice(0, member.start) + text.slice(member.end);
  return rest.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/\/\*.*?\*\/|\/\/[^\r\n]*/g) ?? [];
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}
