/** Reads the plain part of regular expressions: characters, groups, choices, repetition. Anything cleverer is rejected. */

/** Which characters fit: bits for those below 128, and whether any others may. */
export interface CharacterSet {
  readonly low: bigint;
  readonly high: boolean;
}
export type Item =
  | { readonly kind: 'one'; readonly of: CharacterSet }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly Item[] }
  | { readonly kind: 'repeat'; readonly item: Item; readonly min: number; readonly max: number };

/** A character, an escape or a class. Among escapes no backreference and no word boundary. */
const ATOM =
  /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]+\}|0(?!\d)|[^\dbkucpx])|\[(?:\\.|[^\]\\])*\]|[^\\^$*+?{}()|[\]]/iu;
const OPEN = /\((?:\?:|\?<[^=!>][^>]*>)?(?!\?)/u;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,)?(\d*)\})\??/u;
/** What only looks around: word boundaries, anchors, and the beginning of a lookahead. */
const BOUNDARY = /\\[bB]|[$^]/u;
const LOOKAHEAD = /\(\?[=!]/u;
/** Means itself where the flag `u` is missing. */
const LOOSE = /[{}\]]/u;
/** Means something else there. */
const UNICODE_ONLY = /^\\[up]\{/i;
/** Escapes and classes that can be nothing beyond ASCII. */
const narrow = /^(?:\\[dwtnvfr0!-/:-@[-`{-~]|\[(?!\^)(?:\\[dwtnvfr0!-/:-@[-`{-~]|[ -[\]-~])*\])$/;

/** What an expression can never fail on, and so costs nothing. */
const nothing: Item = { kind: 'sequence', items: [] };

export interface PatternContext {
  readonly flags: string;
  /**
   * Takes boundaries for nothing, and a lookahead for an option. An engine then does at most what the rest would let it do,
   * so that a bound on the steps still holds. Without it both are rejected.
   */
  readonly lookaround: boolean;
}

/**
 * The parts of a valid expression, and whether each of its alternatives begins with `^`.
 * Throws on lookbehind, backreferences and sets of strings (the flag `v`), and on what `reading` excludes.
 */
export function readPattern(
  pattern: string,
  { flags, lookaround }: PatternContext,
): { readonly item: Item; readonly anchored: boolean } {
  if (flags.includes('v')) throw new SyntaxError('not looked into: sets of strings');
  const seen = new Map<string, CharacterSet>();
  let at = 0;
  // Every line has a beginning.
  let anchored = !flags.includes('m');
  const reader = (token: RegExp): (() => RegExpExecArray | undefined) => {
    const sticky = new RegExp(token, `${token.flags}y`);
    return () => {
      sticky.lastIndex = at;
      const match = sticky.exec(pattern) ?? undefined;
      at += match?.[0].length ?? 0;
      return match;
    };
  };
  const [nextAtom, nextOpen, nextQuantifier] = [reader(ATOM), reader(OPEN), reader(QUANTIFIER)];
  const [nextBoundary, nextLookahead, nextLoose] = [reader(BOUNDARY), reader(LOOKAHEAD), reader(LOOSE)];
  const unicode = flags.includes('u');
  const skip = (char: string): boolean => pattern[at] === char && ++at > 0;

  function choice(depth: number): Item {
    const items = [sequence(depth)];
    while (skip('|')) items.push(sequence(depth));
    return { kind: 'choice', items };
  }

  function sequence(depth: number): Item {
    const items: Item[] = [];
    if (depth === 0 && !skip('^')) anchored = false;
    let ended = depth > 0;
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
      if (depth === 0 && pattern[at] === '$' && (pattern[at + 1] ?? '|') === '|') ended = skip('$');
      else items.push(repeated(depth));
    }
    const last = items.at(-1);
    // Where anything may follow, the least that fits decides. More repetitions start over, since the match can no longer fail.
    if (!ended && last?.kind === 'repeat') items.splice(-1, 1, { ...last, max: Math.min(last.max, last.min + 1) });
    return { kind: 'sequence', items };
  }

  function repeated(depth: number): Item {
    const item = single(depth);
    const [match, sign, least, comma, most] = nextQuantifier() ?? [];
    if (match === undefined) return item;
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
    const endless = sign === undefined ? comma !== undefined && most === '' : sign !== '?';
    const max = endless ? Number.POSITIVE_INFINITY : sign === '?' ? 1 : Number(most || least);
    return { kind: 'repeat', item, min, max };
  }

  function single(depth: number): Item {
    if (nextOpen() !== undefined) {
      const inner = choice(depth + 1);
      at++;
      return inner;
    }
    if (lookaround && nextBoundary() !== undefined) return nothing;
    if (lookaround && nextLookahead() !== undefined) {
      const item = choice(depth + 1);
      at++;
      return { kind: 'repeat', item, min: 0, max: 1 };
    }
    const token = (nextAtom() ?? (unicode ? undefined : nextLoose()))?.[0];
    if (token === undefined || (!unicode && UNICODE_ONLY.test(token)))
      throw new SyntaxError(`not looked into: ${pattern.slice(at)}`);
    const of = seen.get(token) ?? charactersOf(token, flags);
    seen.set(token, of);
    return { kind: 'one', of };
  }

  const item = choice(0);
  return { item, anchored };
}

function charactersOf(token: string, flags: string): CharacterSet {
  const point = token.codePointAt(0) ?? 0;
  const folds = flags.includes('i');
  if (token === String.fromCodePoint(point) && token !== '.' && !folds) {
    return point < 128 ? { low: 1n << BigInt(point), high: false } : { low: 0n, high: true };
  }
  const fits = new RegExp(`^${token}$`, flags);
  let low = 0n;
  for (let code = 0; code < 128; code++) if (fits.test(String.fromCharCode(code))) low |= 1n << BigInt(code);
  // Two letters beyond ASCII are the same as one of it where case does not count.
  const high = (token.length > 1 && !narrow.test(token)) || token === '.' || point > 127;
  return { low, high: high || fits.test('\u212a') || fits.test('\u017f') };
}
