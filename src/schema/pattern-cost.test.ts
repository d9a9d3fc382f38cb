import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOfPattern, longestText, stepsPerCharacter } from './pattern-cost.ts';

const costOf = (pattern: string, flags = 'u'): ReturnType<typeof costOfPattern> =>
  costOfPattern(pattern, { left: 200_000 }, { flags, lookaround: true });
const stepsOf = (pattern: string): number | undefined => stepsPerCharacter(pattern, { left: 200_000 });

describe('patterns that are proven to be linear', () => {
  test.each([
    ['', 1],
    ['^$', 1],
    ['^[a-z]+(-[a-z]+)*$', 1],
    ['^\\d{4}-\\d{2}-\\d{2}$', 1],
    ['^#[0-9a-fA-F]{6}$', 1],
    ['^[\\w.-]{1,64}$', 1],
    ['^[^@\\s]+@[^@\\s]+$', 1],
    ['^(?:a|b)*$', 1],
    ['^(?<year>\\d+)-x*?y$', 1],
    ['^https?://', 1],
    ['^\\p{L}+$', 1],
    ['^\\x41\\u0042\\u{43}\\cA+$', 1],
    ['^a+$|^b+$', 1],
    ['^(GET|PUT|POST|PATCH)$', 4],
    ['^[a-z]{1,8}[a-z0-9]$', 8],
    ['\\S', 2],
    ['foo', 4],
    ['[a-z]+', 3],
    ['a|^b', 3],
    ['^(?:[]+)+$', 1],
  ])('%s takes at most %i steps for each character', (pattern, steps) => {
    expect(new RegExp(pattern, 'u')).toBeInstanceOf(RegExp);
    expect(stepsOf(pattern)).toBe(steps);
  });
});

describe('patterns that are not proven to be linear', () => {
  test.each([
    ['a loop in a loop', '^(a+)+$'],
    ['a loop in a loop, further in', '^((a+)b?)+$'],
    ['a loop over nothing', '^(a*)*$'],
    ['a choice that overlaps in a loop', '^(a|aa)+$'],
    ['a choice that is the same twice in a loop', '^(a|a)*$'],
    ['two loops next to each other', '^a*a*b$'],
    ['loops that overlap', '^.+@.+$'],
    ['loops that overlap beyond ASCII', '^\\p{L}+\\p{N}+$'],
    ['a loop that can start anywhere', 'a+b'],
    ['a loop in a loop at an open end', '^((a*)*b)*'],
    ['many options', '^(a?){40}$'],
    ['many choices', `^${'(a|a)'.repeat(40)}$`],
    ['long options', '^a{0,500}a{0,500}b$'],
    ['a backreference', '^(.)\\1$'],
    ['a named backreference', '^(?<x>.)\\k<x>$'],
    ['lookahead', '^(?=a)a'],
    ['lookbehind', '(?<!a)b'],
    ['a word boundary', '\\bfoo\\b'],
    ['an anchor inside', '^(a|^b)$'],
    ['an end inside', '^a$b'],
    ['a repetition of a repetition of nothing', '^(?:(?:(?:){999}){999}){999}$'],
    ['more than can be unfolded', '^(?:(?:(?:ab){99}){99}){99}$'],
    ['length', `^${'a'.repeat(1_100)}$`],
  ])('%s', (_, pattern) => {
    expect(new RegExp(pattern, 'u')).toBeInstanceOf(RegExp);
    expect(stepsOf(pattern)).toBeUndefined();
  });
});

describe('the power of the length that bounds the steps', () => {
  test.each([
    ['^[a-z]+$', 'u', 1],
    ['^(?:ab|ac)*$', 'u', 1],
    ['^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$', 'u', 2],
    ['^.+\\.pdf$', 'u', 2],
    ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 'u', 2],
    ['^(?!.*\\.\\.)[a-z.]+$', 'u', 2],
    ['\\bdelete\\b', '', 1],
    ['^delete_', 'i', 1],
    ['^mail\\-{id}$', '', 1],
    ['a+b', 'u', 2],
    ['rm.*-rf', 'u', 3],
    ['^a+$', 'm', 2],
  ])('%s with the flags "%s" has the power %i', (pattern, flags, degree) => {
    expect(new RegExp(pattern, flags)).toBeInstanceOf(RegExp);
    expect(costOf(pattern, flags)?.degree).toBe(degree);
  });

  test.each([
    ['two ways to go round a loop', '^(a+)+$', ''],
    ['two ways to go round a loop that only meet later', '^(?:a{3}b|aaab)*$', ''],
    ['two ways to go round a loop when case does not count', '^(?:k|\u212a)*$', 'iu'],
    ['two ways to go round a loop in a lookahead', '^(?!(a|aa)*$)', ''],
    ['a backreference', '^(.)\\1$', ''],
    ['lookbehind', '(?<=a+)b', ''],
    ['sets of strings', '^[[a-z]--q]$', 'v'],
    ['an escape that means something else without the flag u', '^(?:u|\\u{2})*$', ''],
    ['a number in base eight', '^(?:\\001|\\01)*$', ''],
  ])('is unknown for %s', (_, pattern, flags) => {
    expect(new RegExp(pattern, flags)).toBeInstanceOf(RegExp);
    expect(costOf(pattern, flags)).toBeUndefined();
  });

  test('says how long a text can be', () => {
    expect(longestText({ steps: 2, degree: 1 }, 1_000)).toBe(500);
    expect(longestText({ steps: 2, degree: 2 }, 1_000_000)).toBe(1_000);
    expect(longestText({ steps: 1, degree: 3 }, 36_000)).toBe(60);
  });
});

test('the analysis budget is shared by the expressions of one schema', () => {
  const effort = { left: 10_000 };
  const results = ['^[a-z]+$', '^(?:(?:(?:ab){99}){99}){99}$', '^[a-z]+$'].map((pattern) =>
    stepsPerCharacter(pattern, effort),
  );
  expect(results).toEqual([1, undefined, undefined]);
});

test('parsing an expression costs analysis budget for each of its characters', () => {
  const pattern = '^a$';
  expect(stepsPerCharacter(pattern, { left: 8 * pattern.length - 1 })).toBeUndefined();
  expect(stepsPerCharacter(pattern, { left: 16 * pattern.length })).toBe(1);
});

/** An expression, as text and as a backtracking matcher. Each character that the matcher reads is a step. */
interface Expression {
  readonly text: string;
  match(input: string, at: number, rest: (at: number) => boolean, step: () => void): boolean;
}
const character = (text: string): Expression => ({
  text,
  match(input, at, rest, step) {
    step();
    return at < input.length && new RegExp(text, 'u').test(input.charAt(at)) && rest(at + 1);
  },
});
const sequence = (parts: readonly Expression[]): Expression => ({
  text: parts.map((part) => part.text).join(''),
  match(input, at, rest, step) {
    const from = (i: number, here: number): boolean =>
      parts[i] === undefined ? rest(here) : parts[i].match(input, here, (next) => from(i + 1, next), step);
    return from(0, at);
  },
});
const choice = (parts: readonly Expression[]): Expression => ({
  text: `(?:${parts.map((part) => part.text).join('|')})`,
  match: (input, at, rest, step) => parts.some((part) => part.match(input, at, rest, step)),
});
const repeat = (part: Expression, [sign, min, max]: readonly [string, number, number]): Expression => ({
  text: `(?:${part.text})${sign}`,
  match(input, at, rest, step) {
    const go = (here: number, count: number): boolean =>
      (count < max && part.match(input, here, (next) => (next > here || count < min) && go(next, count + 1), step)) ||
      (count >= min && rest(here));
    return go(at, 0);
  },
});
const signs = [
  ['*', 0, Number.POSITIVE_INFINITY],
  ['+', 1, Number.POSITIVE_INFINITY],
  ['?', 0, 1],
  ['{1,3}', 1, 3],
  ['{2,}', 2, Number.POSITIVE_INFINITY],
] as const;

const expressions = fc.letrec<{ any: Expression }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'a', 'b', '[ab]', '[^a]').map(character),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map(sequence),
    fc.array(tie('any'), { minLength: 2, maxLength: 3 }).map(choice),
    { weight: 3, arbitrary: fc.tuple(tie('any'), fc.constantFrom(...signs)).map(([part, sign]) => repeat(part, sign)) },
  ),
})).any;

test('an engine that backtracks takes no more steps than promised, whatever the text', () => {
  const proven = { linear: 0, power: 0 };
  fc.assert(
    fc.property(
      fc.tuple(fc.boolean(), expressions, fc.boolean()),
      fc.array(fc.constantFrom('a', 'a', 'b'), { minLength: 1, maxLength: 3 }).map((unit) => unit.join('')),
      ([start, body, end], unit) => {
        const pattern = `${start ? '^' : ''}${body.text}${end ? '$' : ''}`;
        const { steps: promised, degree } = costOf(pattern) ?? { steps: 0, degree: 9 };
        if (degree > 3 || promised > 1_000) return;
        proven[degree === 1 && stepsOf(pattern) === promised ? 'linear' : 'power']++;
        const input = `${unit.repeat(degree === 1 ? 60 : 10)}!`;
        let steps = 0;
        const step = (): void => {
          if (++steps > 1e6) throw new Error(`${pattern} goes on and on`);
        };
        const done = (at: number): boolean => !end || at === input.length;
        for (let at = 0; at < (start ? 1 : input.length); at++) if (body.match(input, at, done, step)) break;
        expect(steps).toBeLessThanOrEqual(promised * (input.length + 1) ** degree * (pattern.length + 1));
      },
    ),
    { numRuns: 3_000, seed: 7 },
  );
  expect(proven.linear).toBeGreaterThan(500);
  expect(proven.power).toBeGreaterThan(100);
});
