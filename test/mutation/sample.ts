/** Picks a pseudo-random sample of a list; the same list and seed give the same sample. */
import { createHash } from 'node:crypto';

export function pick<T>(all: readonly T[], count: number, seed: string): T[] {
  const order = (index: number): string => createHash('sha256').update(`${seed}:${index}`).digest('hex');
  const chosen = all
    .map((_, index) => ({ index, order: order(index) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, count)
    .map(({ index }) => index);
  return all.filter((_, index) => chosen.includes(index));
}
