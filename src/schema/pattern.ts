/** Parses the plain subset of regular expressions: characters, groups, alternatives, repetition. Rejects everything else. */

/** The characters that match: a bit for each ASCII character, and whether any other can match. */
export interface CharacterSet {
  readonly low: bigint;
  readonly high: boolean;
}
export type Item =
  | { readonly kind: 'one'; readonly of: CharacterSet }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly Item[] }
  | { readonly kind: 'repeat'; readonly item: Item; readonly min: number; readonly max: number };

/** A character, an escape or a class. Excludes backreferences and word boundaries. */
const ATOM =
  /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]+\}|0(?!\d)|[^\dbkucpx])|\[(?:\\.|[^\]\\])*\]|[^\\^$*+?{}()|[\]]/iu;
const OPEN = /\((?:\?:|\?<[^=!>][^>]*>)?(?!\?)/u;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,)?(\d*)\})\??/u;
/** Zero-width assertions: word boundaries, anchors, and the beginning of a lookahead. */
const BOUNDARY = /\\[bB]|[$^]/u;
const LOOKAHEAD = /\(\?[=!]/u;
/** Characters that are literals without the flag `u`. */
const LOOSE = /[{}\]]/u;
/** Escapes with another meaning without the flag `u`: `\u{61}` is 61 times the letter `u`. */
const UNICODE_ONLY = /^\\[up]\{/i;
/** Escapes and classes that match only ASCII characters. */
const narrow = /^(?:\\[dwtnvfr0!-/:-@[-`{-~]|\[(?!\^)(?:\\[dwtnvfr0!-/:-@[-`{-~]|[ -[\]-~])*\])$/;

/** Matches the empty text: it never fails, so it costs nothing. */
const nothing: Item = { kind: 'sequence', items: [] };

export interface PatternContext {
  readonly flags: string;
  /**
   * Treats boundaries as empty, and a lookahead as an optional group. The engine never takes more steps than that, so a bound on the
   * steps still holds. If false, both are rejected.
   */
  readonly lookaround: boolean;
}

/**
 * Parses a valid expression. `anchored` is true if each of its alternatives begins with `^`. Throws on lookbehind, backreferences
 * and the flag `v` (sets of strings), and on lookaround unless it is enabled.
 */
export function readPattern(
  pattern: string,
  { flags, lookaround }: PatternContext,
): { readonly item: Item; readonly anchored: boolean } {
  if (flags.includes('v')) throw new SyntaxError('not looked into: sets of strings');
  const seen = new Map<string, CharacterSet>();
  let at = 0;
  // With the flag `m`, `^` matches at the beginning of every line.
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

  function parseChoice(depth: number): Item {
    const items = [parseSequence(depth)];
    while (skip('|')) items.push(parseSequence(depth));
    return { kind: 'choice', items };
  }

  function parseSequence(depth: number): Item {
    const items: Item[] = [];
    if (depth === 0 && !skip('^')) anchored = false;
    let ended = depth > 0;
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') {
      if (depth === 0 && pattern[at] === '$' && (pattern[at + 1] ?? '|') === '|') ended = skip('$');
      else items.push(parseRepeated(depth));
    }
    const last = items.at(-1);
    // Without `$`, a match cannot fail after the minimum of a final repetition, so further repetitions never backtrack.
    if (!ended && last?.kind === 'repeat') items.splice(-1, 1, { ...last, max: Math.min(last.max, last.min + 1) });
    return { kind: 'sequence', items };
  }

  function parseRepeated(depth: number): Item {
    const item = parseSingle(depth);
    const [match, sign, least, comma, most] = nextQuantifier() ?? [];
    if (match === undefined) return item;
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
    const endless = sign === undefined ? comma !== undefined && most === '' : sign !== '?';
    const max = endless ? Number.POSITIVE_INFINITY : sign === '?' ? 1 : Number(most || least);
    return { kind: 'repeat', item, min, max };
  }

  function parseSingle(depth: number): Item {
    if (nextOpen() !== undefined) {
      const inner = parseChoice(depth + 1);
      at++;
      return inner;
    }
    if (lookaround && nextBoundary() !== undefined) return nothing;
    if (lookaround && nextLookahead() !== undefined) {
      const item = parseChoice(depth + 1);
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

  const item = parseChoice(0);
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
  // With the flags `iu`, two letters beyond ASCII match ASCII letters: the Kelvin sign matches k, and the long s matches s.
  const high = (token.length > 1 && !narrow.test(token)) || token === '.' || point > 127;
  return { low, high: high || fits.test('\u212a') || fits.test('\u017f') };
}
