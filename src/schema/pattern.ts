/** Reads the plain part of regular expressions: sets, groups, choices, repetition. Anything cleverer is refused. */

/** Code points from, to. */
export type Range = readonly [from: number, to: number];
export type Item =
  | { readonly kind: 'set'; readonly set: readonly Range[] }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly Item[] }
  | { readonly kind: 'repeat'; readonly item: Item; readonly min: number; readonly max: number };

const LAST = 0x10ffff;
const everything: readonly Range[] = [[0, LAST]];
const named: ReadonlyMap<string, readonly Range[]> = new Map([
  ['d', ranges('09')],
  ['w', ranges('09AZ__az')],
  [
    's',
    ranges('\t\r  \u00a0\u00a0\u1680\u1680\u2000\u200a\u2028\u2029\u202f\u202f\u205f\u205f\u3000\u3000\ufeff\ufeff'),
  ],
]);
const lineEnds = ranges('\n\n\r\r\u2028\u2029');
const controls: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['0', '\0'],
]);

/** Pairs of characters, first and last of each range. */
function ranges(pairs: string): Range[] {
  return Array.from(
    { length: pairs.length / 2 },
    (_, i): Range => [pairs.charCodeAt(2 * i), pairs.charCodeAt(2 * i + 1)],
  );
}

function complement(set: readonly Range[]): Range[] {
  const result: Range[] = [];
  let next = 0;
  for (const [from, to] of [...set].sort((a, b) => a[0] - b[0])) {
    if (from > next) result.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  return next > LAST ? result : [...result, [next, LAST]];
}

function refuse(what: string): never {
  throw new SyntaxError(`${what} is not looked into`);
}

/**
 * The parts of a valid expression, and whether each of its alternatives begins with `^`.
 * Throws on lookaround, backreferences, word boundaries, and anchors anywhere but at the ends.
 */
export function readPattern(pattern: string): { readonly item: Item; readonly anchored: boolean } {
  const chars = Array.from(pattern);
  let at = 0;
  let anchored = true;
  const take = (): string => chars[at++] ?? refuse('an unfinished expression');
  const skip = (char: string): boolean => chars[at] === char && ++at > 0;
  const until = (end: string): string => {
    let text = '';
    for (let c = take(); c !== end; c = take()) text += c;
    return text;
  };
  const hex = (length: number): number => Number.parseInt(Array.from({ length }, take).join(''), 16);

  function choice(depth: number): Item {
    const items = [sequence(depth)];
    while (skip('|')) items.push(sequence(depth));
    return { kind: 'choice', items };
  }

  function sequence(depth: number): Item {
    const items: Item[] = [];
    if (depth === 0 && !skip('^')) anchored = false;
    while (at < chars.length && chars[at] !== '|' && chars[at] !== ')') {
      if (depth === 0 && chars[at] === '$' && (chars[at + 1] ?? '|') === '|') at++;
      else items.push(repeated(atom(depth)));
    }
    return { kind: 'sequence', items };
  }

  function repeated(item: Item): Item {
    let [min, max] = [1, 1];
    if (skip('*')) [min, max] = [0, Number.POSITIVE_INFINITY];
    else if (skip('+')) max = Number.POSITIVE_INFINITY;
    else if (skip('?')) min = 0;
    else if (skip('{')) {
      const [least = '', most = least] = until('}').split(',');
      [min, max] = [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
    } else return item;
    skip('?'); // Whether greedy or lazy, the same choices exist.
    return { kind: 'repeat', item, min, max };
  }

  function atom(depth: number): Item {
    const char = take();
    if (char === '(') {
      if (skip('?') && !skip(':')) {
        if (!skip('<') || chars[at] === '=' || chars[at] === '!') refuse('lookaround');
        until('>');
      }
      const inner = choice(depth + 1);
      at++;
      return inner;
    }
    if (char === '.') return { kind: 'set', set: complement(lineEnds) };
    if (char === '[') return { kind: 'set', set: charClass() };
    if (char === '\\') return { kind: 'set', set: escaped(false) };
    if ('^$*+?{}]'.includes(char)) refuse(char);
    return { kind: 'set', set: [single(char)] };
  }

  function charClass(): readonly Range[] {
    const negated = skip('^');
    const set: Range[] = [];
    while (!skip(']')) {
      const member = classMember();
      const [low] = member;
      if (member.length === 1 && low !== undefined && chars[at] === '-' && chars[at + 1] !== ']') {
        at++;
        const [high = low] = classMember();
        set.push([low[0], high[1]]);
      } else set.push(...member);
    }
    return negated ? complement(set) : set;
  }

  function classMember(): readonly Range[] {
    const char = take();
    return char === '\\' ? escaped(true) : [single(char)];
  }

  function escaped(inClass: boolean): readonly Range[] {
    const char = take();
    const set = named.get(char.toLowerCase());
    if (set !== undefined) return char === char.toLowerCase() ? set : complement(set);
    if (char === 'p' || char === 'P') {
      until('}');
      return everything;
    }
    if (char === 'b' && inClass) return [[8, 8]];
    if (/[bBk1-9]/.test(char)) refuse(`\\${char}`);
    if (char === 'c') return [code(take().charCodeAt(0) % 32)];
    if (char === 'x') return [code(hex(2))];
    if (char === 'u') return [code(skip('{') ? Number.parseInt(until('}'), 16) : hex(4))];
    return [single(controls.get(char) ?? char)];
  }

  const item = choice(0);
  return { item, anchored };
}

const single = (char: string): Range => code(char.codePointAt(0) ?? 0);
/** Halves of surrogate pairs are not looked into: two of them make one character. */
const code = (point: number): Range => (point >= 0xd800 && point <= 0xdfff ? refuse('a surrogate') : [point, point]);
