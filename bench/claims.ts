/** What may be claimed of a row that was measured several times: nothing that one of its rounds contradicts. */
import type { ContenderResult } from './scenario.ts';
import type { Spread } from './stats.ts';

/** Rounds that differ by more than this factor say too little about the row to put a figure on it. */
const WIDEST = 2;

export type Verdict = 'met' | 'missed' | 'undecided';

/** Whether a figure is at most so much: in all rounds, in none, or in some. */
export function atMost({ min, max }: Spread, most: number): Verdict {
  if (max <= most) return 'met';
  return min > most ? 'missed' : 'undecided';
}

export function atLeast({ min, max }: Spread, least: number): Verdict {
  if (min >= least) return 'met';
  return max < least ? 'missed' : 'undecided';
}

export function isSteady({ min, max }: Spread): boolean {
  return max <= WIDEST * min;
}

/** How many times ours another's cost is: the least and the most that the rounds of both allow. */
export function factorOf(theirs: ContenderResult, ours: ContenderResult): Spread | undefined {
  // Ratios are taken within a round, so they bear a busy machine better than costs do.
  const [over, under] = theirs.ratio && ours.ratio ? [theirs.ratio, ours.ratio] : [theirs.cost, ours.cost];
  if (over === undefined || under === undefined) return undefined;
  return { median: over.median / under.median, min: over.min / under.max, max: over.max / under.min };
}
