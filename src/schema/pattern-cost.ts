/**
 * How long regular expressions can backtrack. An expression is unfolded into its positions. An engine reconsiders only where, on
 * the same character, two of them can follow: a constant number of times outside of loops, once for each character where it can
 * leave a loop early, and without bound where a loop can be gone round in two ways. What cannot be proven is not accepted.
 */
import { type CharacterSet, type Item, type PatternContext, readPattern } from './pattern.ts';

const MAX_LENGTH = 1_024;
const MAX_PATHS = 1_000;

/** What may still be spent on finding out; shared by the expressions of one schema. */
export interface Effort {
  left: number;
}

/** At most `steps * length ** degree` steps for a text. */
export interface PatternCost {
  readonly steps: number;
  readonly degree: number;
}

interface Position {
  readonly of: CharacterSet;
  /** The outermost unbounded repetition around it; 0 if there is none. */
  readonly loop: number;
  /** Listed twice if there are two ways to get there. */
  readonly next: Position[];
}
interface Fragment {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  readonly empty: boolean;
  /** In how many ways it can be walked, each loop taken once. */
  readonly paths: number;
}
interface Unfolding {
  readonly effort: Effort;
  readonly positions: Position[];
  /** Whether repetitions of one character are unfolded in full. */
  readonly full: boolean;
  loops: number;
  /** How many characters can be looked at without going round a loop. */
  length: number;
  ambiguous: boolean;
  /** Loops that can be left at more than one character of the same text. */
  readonly open: Set<number>;
  /** Loops in which two positions can follow one on the same character. */
  readonly tangled: Set<number>;
}

/** The most steps a character can cost, or `undefined` where the cost is not provably linear in the length of the text. */
export function stepsPerCharacter(pattern: string, effort: Effort): number | undefined {
  const { degree, steps = 0 } = costOfPattern(pattern, effort, { flags: 'u', lookaround: false }) ?? {};
  return degree === 1 && steps <= MAX_PATHS ? steps : undefined;
}

/** `undefined` where no power of the length of the text is a bound, as far as can be seen. */
export function costOfPattern(pattern: string, effort: Effort, reading: PatternContext): PatternCost | undefined {
  if (pattern.length > MAX_LENGTH) return undefined;
  try {
    effort.left -= 8 * pattern.length;
    const { item, anchored } = readPattern(pattern, reading);
    const rough = unfolding(item, false, effort);
    const state = rough.tangled.size === 0 ? rough : unfolding(item, true, effort);
    let steps = state.ambiguous || state.open.size > 0 ? state.paths : 1;
    for (const loop of state.tangled) steps *= waysThrough(loop, state);
    const degree = 1 + state.open.size;
    if (anchored) return { steps, degree };
    // Without an anchor every character is a new start.
    return state.loops > 0 ? { steps, degree: degree + 1 } : { steps: steps * (state.length + 1), degree };
  } catch {
    return undefined;
  }
}

/** What looking into one expression can cost, where it stands alone. */
const MAX_EFFORT = 250_000;

/** The longest text on which an expression takes no more than so many steps; `undefined` where that cannot be known. */
export function longestTextFor({ source, flags }: RegExp, most: number): number | undefined {
  const cost = costOfPattern(source, { left: MAX_EFFORT }, { flags: flags.replace(/[dgy]/g, ''), lookaround: true });
  return cost && longestText(cost, most);
}

/** Steps for a text of this length. The moments at which loops are left are in order, hence the factorial. */
export const stepsFor = ({ steps, degree }: PatternCost, length: number): number =>
  (steps * length ** degree) / factorial(degree);

/** The longest text that takes no more than so many steps. */
export const longestText = ({ steps, degree }: PatternCost, most: number): number =>
  // Roots of whole numbers are rounded.
  Math.floor(((most * factorial(degree)) / steps) ** (1 / degree) + 1e-9);

const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));

function unfolding(item: Item, full: boolean, effort: Effort): Unfolding & { readonly paths: number } {
  const state: Unfolding = {
    ...{ effort, full, positions: [], open: new Set(), tangled: new Set() },
    ...{ loops: 0, length: 0, ambiguous: false },
  };
  const { first, paths } = unfold(item, 0, state);
  findSecondWays(0, first, state);
  for (const { loop, next } of state.positions) findSecondWays(loop, next, state);
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
  // Of one character repeated, all copies are alike: one that must be there and one that may be show every conflict.
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

function findSecondWays(loop: number, next: readonly Position[], state: Unfolding): void {
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
 * In how many ways one text can lead through a loop in which some character can be taken in two ways. Throws where two of them
 * meet again: then each round doubles them.
 */
function waysThrough(loop: number, state: Unfolding): number {
  const inside = state.positions.filter((position) => position.loop === loop);
  const seen = new Map(inside.map((position) => [position, new Set<Position>()]));
  const pairs: (readonly [Position, Position])[] = inside.map((position) => [position, position]);
  for (const [a, b] of pairs) {
    spend(a.next.length * b.next.length, state);
    for (const [i, x] of a.next.entries()) {
      // Of two that are the same, each pair of ways on is looked at once.
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
