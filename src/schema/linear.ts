/**
 * Which regular expressions cannot backtrack for long. An expression is unfolded into its positions; where, on any character,
 * at most one of them can follow, an engine never reconsiders. What cannot be proven is not accepted.
 */
import { type Characters, type Item, readPattern } from './pattern.ts';

const MAX_LENGTH = 1_024;
const MAX_PATHS = 1_000;

/** What may still be spent on finding out; shared by the expressions of one schema. */
export interface Effort {
  left: number;
}

interface Position {
  readonly of: Characters;
  /** Inside an unbounded repetition, where a second way costs more than a constant. */
  readonly loops: boolean;
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
  /** How many characters can be looked at without going round a loop. */
  length: number;
  ambiguous: boolean;
}

/** The most steps a character can cost, or `undefined` where the cost is not provably linear in the length of the text. */
export function stepsPerCharacter(pattern: string, effort: Effort): number | undefined {
  if (pattern.length > MAX_LENGTH) return undefined;
  try {
    const state: Unfolding = { effort, positions: [], length: 0, ambiguous: false };
    spend(8 * pattern.length, state);
    const { item, anchored } = readPattern(pattern);
    const { first, paths } = unfold(item, false, state);
    findSecondWays(false, first, state);
    for (const { loops, next } of state.positions) findSecondWays(loops, next, state);
    const steps = state.ambiguous ? paths : 1;
    if (steps > MAX_PATHS) return undefined;
    if (anchored) return steps;
    // Without an anchor every character is a new start, so a run must not be able to go on for long.
    return state.positions.some((position) => position.loops) ? undefined : steps * (state.length + 1);
  } catch {
    return undefined;
  }
}

function unfold(item: Item, loops: boolean, state: Unfolding): Fragment {
  spend(1, state);
  switch (item.kind) {
    case 'one': {
      const position: Position = { of: item.of, loops, next: [] };
      state.positions.push(position);
      state.length++;
      return { first: [position], last: [position], empty: false, paths: 1 };
    }
    case 'sequence':
      return item.items.reduce((before, next) => join(before, unfold(next, loops, state), state), nothing);
    case 'choice': {
      const branches = item.items.map((branch) => unfold(branch, loops, state));
      if (branches.filter((branch) => branch.empty).length > 1) state.ambiguous = true;
      return {
        first: branches.flatMap((branch) => branch.first),
        last: branches.flatMap((branch) => branch.last),
        empty: branches.some((branch) => branch.empty),
        paths: branches.reduce((sum, branch) => sum + branch.paths, 0),
      };
    }
    case 'repeat':
      return repeat(item, loops, state);
  }
}

function repeat({ item, min, max }: Item & { kind: 'repeat' }, loops: boolean, state: Unfolding): Fragment {
  // Of one character repeated, all copies are alike: one that must be there and one that may be show every conflict.
  if (item.kind === 'one' && max !== Number.POSITIVE_INFINITY && max > 2) {
    state.length += max;
    const least = Math.min(min, 1);
    const both = repeat({ kind: 'repeat', item, min: least, max: max > min ? least + 1 : least }, loops, state);
    return { ...both, paths: max - min + 1 };
  }
  let tail = nothing;
  if (max === Number.POSITIVE_INFINITY) {
    const body = unfold(item, true, state);
    if (body.empty) throw new RangeError('a loop over nothing');
    link(body.last, body.first, state);
    tail = min === 0 ? { ...body, empty: true } : body;
  } else {
    for (let i = min; i < max; i++) {
      const more = join(unfold(item, loops, state), tail, state);
      if (more.empty) state.ambiguous = true;
      tail = { ...more, empty: true, paths: more.paths + 1 };
    }
  }
  const copies = max === Number.POSITIVE_INFINITY ? min - 1 : min;
  for (let i = 0; i < copies; i++) tail = join(unfold(item, loops, state), tail, state);
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

function findSecondWays(loops: boolean, next: readonly Position[], state: Unfolding): void {
  spend(next.length ** 2 / 2, state);
  for (const [i, a] of next.entries()) {
    for (const b of next.slice(i + 1)) {
      if (a !== b && !overlap(a.of, b.of)) continue;
      if (loops || a.loops || b.loops) throw new RangeError('two ways inside a loop');
      state.ambiguous = true;
    }
  }
}

function spend(effort: number, state: Unfolding): void {
  state.effort.left -= effort;
  if (state.effort.left < 0) throw new RangeError('too much to look into');
}

const overlap = (a: Characters, b: Characters): boolean => (a.low & b.low) !== 0n || (a.high && b.high);
