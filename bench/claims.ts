/** Claims that the rounds of a row support: a claim that one round contradicts is not made. */
import type { ContenderResult } from './scenario.ts';
import type { Spread } from './stats.ts';

/** A row whose rounds differ by more than this factor gets no figure. */
const WIDEST = 2;

export type Verdict = 'met' | 'missed' | 'undecided';

/** Met if all rounds are at most this, missed if none are. */
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

/** Their cost as a multiple of ours: the range that the rounds of both allow. */
export function factorOf(theirs: ContenderResult, ours: ContenderResult): Spread | undefined {
  // Ratios are taken within a round, so a busy machine distorts them less than costs.
  const [over, under] = theirs.ratio && ours.ratio ? [theirs.ratio, ours.ratio] : [theirs.cost, ours.cost];
  if (over === undefined || under === undefined) return undefined;
  return { median: over.median / under.median, min: over.min / under.max, max: over.max / under.min };
}
