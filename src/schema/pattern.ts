/** Reads the plain part of regular expressions: characters, groups, choices, repetition. Anything cleverer is refused. */

/** Which characters fit: bits for those below 128, and whether any others may. */
export interface Characters {
  readonly low: bigint;
  readonly high: boolean;
}
export type Item =
  | { readonly kind: 'one'; readonly of: Characters }
  | { readonly kind: 'sequence' | 'choice'; readonly items: readonly Item[] }
  | { readonly kind: 'repeat'; readonly item: Item; readonly min: number; readonly max: number };

/** A character, an escape or a class. Among escapes no backreference and no word boundary. */
const ATOM =
  /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]+\}|0|[^\dbkucpx])|\[(?:\\.|[^\]\\])*\]|[^\\^$*+?{}()|[\]]/iu;
const OPEN = /\((?:\?:|\?<[^=!>][^>]*>)?(?!\?)/u;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,)?(\d*)\})\??/u;
/** Escapes and classes that can be nothing beyond ASCII. */
const narrow = /^(?:\\[dwtnvfr0!-/:-@[-`{-~]|\[(?!\^)(?:\\[dwtnvfr0!-/:-@[-`{-~]|[ -[\]-~])*\])$/;

/**
 * The parts of a valid expression, and whether each of its alternatives begins with `^`.
 * Throws on lookaround, backreferences, word boundaries, and on anchors anywhere but at the ends.
 */
export function readPattern(pattern: string): { readonly item: Item; readonly anchored: boolean } {
  const seen = new Map<string, Characters>();
  let at = 0;
  let anchored = true;
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
    // Where anything may follow, the least that fits decides. Each time more begins anew, since it can no longer fail.
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
    const token = nextAtom()?.[0];
    if (token === undefined) throw new SyntaxError(`not looked into: ${pattern.slice(at)}`);
    const of = seen.get(token) ?? charactersOf(token);
    seen.set(token, of);
    return { kind: 'one', of };
  }

  const item = choice(0);
  return { item, anchored };
}

function charactersOf(token: string): Characters {
  const point = token.codePointAt(0) ?? 0;
  if (token === String.fromCodePoint(point) && token !== '.') {
    return point < 128 ? { low: 1n << BigInt(point), high: false } : { low: 0n, high: true };
  }
  const fits = new RegExp(`^${token}$`, 'u');
  let low = 0n;
  for (let code = 0; code < 128; code++) if (fits.test(String.fromCharCode(code))) low |= 1n << BigInt(code);
  return { low, high: !narrow.test(token) };
}
