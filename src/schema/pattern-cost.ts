/**
 * Bounds how long a regular expression can backtrack (ReDoS). The expression is unfolded into its positions, as in a Glushkov
 * automaton. An engine backtracks only where two positions can follow on the same character: a constant number of times outside of
 * loops, once per character where it can leave a loop early, and exponentially where one iteration of a loop can match in two ways.
 * An expression without a proven bound is not accepted.
 */
import { type CharacterSet, type Item, type PatternContext, readPattern } from './pattern.ts';

const MAX_LENGTH = 1_024;
const MAX_PATHS = 1_000;

/** The remaining analysis budget, shared by the patterns of one schema. */
export interface Effort {
  left: number;
}

/** An upper bound: a text takes at most `steps * length ** degree` steps. */
export interface PatternCost {
  readonly steps: number;
  readonly degree: number;
}

interface Position {
  readonly of: CharacterSet;
  /** The outermost unbounded repetition around it; 0 if there is none. */
  readonly loop: number;
  /** The positions that can follow. A position that two paths lead to is listed twice. */
  readonly next: Position[];
}
interface Fragment {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  readonly empty: boolean;
  /** Number of paths through the fragment, with each loop taken once. */
  readonly paths: number;
}
interface Unfolding {
  readonly effort: Effort;
  readonly positions: Position[];
  /** Whether repetitions of one character are unfolded in full. */
  readonly full: boolean;
  loops: number;
  /** Characters that a match can read without repeating a loop. */
  length: number;
  ambiguous: boolean;
  /** Loops that can be left at more than one character of the same text. */
  readonly open: Set<number>;
  /** Loops in which two positions can follow one on the same character. */
  readonly tangled: Set<number>;
}

/** The maximum steps per character; `undefined` unless the cost is provably linear in the length of the text. */
export function stepsPerCharacter(pattern: string, effort: Effort): number | undefined {
  const { degree, steps = 0 } = costOfPattern(pattern, effort, { flags: 'u', lookaround: false }) ?? {};
  return degree === 1 && steps <= MAX_PATHS ? steps : undefined;
}

/** The cost of a pattern; `undefined` unless a polynomial bound can be proven. */
export function costOfPattern(pattern: string, effort: Effort, reading: PatternContext): PatternCost | undefined {
  if (pattern.length > MAX_LENGTH) return undefined;
  try {
    effort.left -= 8 * pattern.length;
    const { item, anchored } = readPattern(pattern, reading);
    const rough = unfoldPattern(item, false, effort);
    const state = rough.tangled.size === 0 ? rough : unfoldPattern(item, true, effort);
    let steps = state.ambiguous || state.open.size > 0 ? state.paths : 1;
    for (const loop of state.tangled) steps *= waysThrough(loop, state);
    const degree = 1 + state.open.size;
    if (anchored) return { steps, degree };
    // Without an anchor, the engine starts a match at every character.
    return state.loops > 0 ? { steps, degree: degree + 1 } : { steps: steps * (state.length + 1), degree };
  } catch {
    return undefined;
  }
}

/** Analysis budget for an expression outside of a schema. */
const MAX_EFFORT = 250_000;

/** The longest text on which an expression takes at most `most` steps; `undefined` if no bound can be proven. */
export function longestTextFor({ source, flags }: RegExp, most: number): number | undefined {
  const cost = costOfPattern(source, { left: MAX_EFFORT }, { flags: flags.replace(/[dgy]/g, ''), lookaround: true });
  return cost && longestText(cost, most);
}

/** The most steps for a text of this length. The positions where loops are left are ordered, so the bound is divided by the factorial. */
export const mostStepsFor = ({ steps, degree }: PatternCost, length: number): number =>
  (steps * length ** degree) / factorial(degree);

/** The longest text that takes at most `most` steps. */
export const longestText = ({ steps, degree }: PatternCost, most: number): number =>
  // 1e-9, because a root of a whole number can be rounded down.
  Math.floor(((most * factorial(degree)) / steps) ** (1 / degree) + 1e-9);

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

function unfoldPattern(item: Item, full: boolean, effort: Effort): Unfolding & { readonly paths: number } {
  const state: Unfolding = {
    ...{ effort, full, positions: [], open: new Set(), tangled: new Set() },
    ...{ loops: 0, length: 0, ambiguous: false },
  };
  const { first, paths } = unfold(item, 0, state);
  findAmbiguities(0, first, state);
  for (const { loop, next } of state.positions) findAmbiguities(loop, next, state);
  return { ...state, paths };
}

function unfold(item: Item, loop: number, state: Unfolding): Fragment {
  spend(1, state);
  switch (item.kind) {
    case 'one': {
      const position: Position = { of: item.of, loop, next: [] };
      state.positions.push(position);
      state.length++;
      return { first: [position], last: [position], empty: false, paths: 1 };
    }
    case 'sequence':
      return item.items.reduce((before, next) => join(before, unfold(next, loop, state), state), nothing);
    case 'choice': {
      const branches = item.items.map((branch) => unfold(branch, loop, state));
      if (branches.filter((branch) => branch.empty).length > 1) state.ambiguous = true;
      return {
        first: branches.flatMap((branch) => branch.first),
        last: branches.flatMap((branch) => branch.last),
        empty: branches.some((branch) => branch.empty),
        paths: branches.reduce((sum, branch) => sum + branch.paths, 0),
      };
    }
    case 'repeat':
      return repeat(item, loop, state);
  }
}

function repeat({ item, min, max }: Item & { kind: 'repeat' }, loop: number, state: Unfolding): Fragment {
  // All copies of one repeated character are alike: a required and an optional copy expose every ambiguity.
  if (item.kind === 'one' && max !== Number.POSITIVE_INFINITY && max > 2 && !(state.full && loop > 0)) {
    state.length += max;
    const least = Math.min(min, 1);
    const both = repeat({ kind: 'repeat', item, min: least, max: max > min ? least + 1 : least }, loop, state);
    return { ...both, paths: max - min + 1 };
  }
  let tail = nothing;
  if (max === Number.POSITIVE_INFINITY) {
    const body = unfold(item, loop || ++state.loops, state);
    if (body.empty) throw new RangeError('a loop over nothing');
    link(body.last, body.first, state);
    tail = min === 0 ? { ...body, empty: true, paths: body.paths + 1 } : body;
  } else {
    for (let i = min; i < max; i++) {
      const more = join(unfold(item, loop, state), tail, state);
      if (more.empty) state.ambiguous = true;
      tail = { ...more, empty: true, paths: more.paths + 1 };
    }
  }
  const copies = max === Number.POSITIVE_INFINITY ? min - 1 : min;
  for (let i = 0; i < copies; i++) tail = join(unfold(item, loop, state), tail, state);
  return tail;
}

const nothing: Fragment = { first: [], last: [], empty: true, paths: 1 };

function join(a: Fragment, b: Fragment, state: Unfolding): Fragment {
  link(a.last, b.first, state);
  spend(a.first.length + a.last.length + b.first.length + b.last.length, state);
  return {
    first: a.empty ? [...a.first, ...b.first] : a.first,
    last: b.empty ? [...a.last, ...b.last] : b.last,
    empty: a.empty && b.empty,
    paths: a.paths * b.paths,
  };
}

function link(from: readonly Position[], to: readonly Position[], state: Unfolding): void {
  spend(from.length * to.length, state);
  for (const position of from) position.next.push(...to);
}

/** Records each pair of positions that can follow on the same character. */
function findAmbiguities(loop: number, next: readonly Position[], state: Unfolding): void {
  spend(next.length ** 2 / 2, state);
  for (const [i, a] of next.entries()) {
    for (const b of next.slice(i + 1)) {
      if (!overlap(a.of, b.of)) continue;
      state.ambiguous = true;
      if (a === b && a.loop > 0) throw new RangeError('two ways to the same place of a loop');
      if (a.loop > 0 && a.loop === b.loop) state.tangled.add(a.loop);
      else if (loop > 0 && (a.loop === loop || b.loop === loop)) state.open.add(loop);
    }
  }
}

/**
 * The number of paths that one text can take through a loop with an ambiguous character. Throws if two paths meet again: then each
 * iteration doubles them, and backtracking is exponential.
 */
function waysThrough(loop: number, state: Unfolding): number {
  const inside = state.positions.filter((position) => position.loop === loop);
  const seen = new Map(inside.map((position) => [position, new Set<Position>()]));
  const pairs: (readonly [Position, Position])[] = inside.map((position) => [position, position]);
  for (const [a, b] of pairs) {
    spend(a.next.length * b.next.length, state);
    for (const [i, x] of a.next.entries()) {
      // If both positions are the same, each pair of followers is examined once.
      for (const y of a === b ? a.next.slice(i + 1) : b.next) {
        if (x.loop !== loop || y.loop !== loop || !overlap(x.of, y.of)) continue;
        if (x === y) throw new RangeError('two ways to the same place of a loop');
        if (seen.get(x)?.has(y)) continue;
        seen.get(x)?.add(y);
        pairs.push([x, y]);
      }
    }
  }
  return inside.length;
}

function spend(effort: number, state: Unfolding): void {
  state.effort.left -= effort;
  if (state.effort.left < 0) throw new RangeError('too much to look into');
}

const overlap = (a: CharacterSet, b: CharacterSet): boolean => (a.low & b.low) !== 0n || (a.high && b.high);
