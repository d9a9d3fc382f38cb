/** Tasks survive `kill -9` at every point of their life, in all stores and both forms, and at random. `npm run kills` is the long form. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killAtRandom, stallAtRandom } from './chaos.ts';
import { killAt, killPoints } from './kill-table.ts';
import { type Laboratory, openLaboratory, type StoreKind } from './laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(() => lab.close());

const kinds: readonly StoreKind[] = ['sqlite', 'redis'];

describe.each(kinds)('killed, with %s', (kind) => {
  test.each(killPoints)('$when', async (point) => {
    const forms = ['handle', 'augmented'] as const;
    const [handle, augmented] = await Promise.all(forms.map((form) => killAt(lab, point, kind, form)));
    expect(handle).toEqual(point.expected);
    // An unanswered question is shown again, because its stream is gone.
    const again = point.stopAt === 'from outside' ? 1 : 0;
    expect(augmented).toEqual({ ...point.expected, asked: point.expected.asked + again });
  });

  test('twelve tasks in processes that are killed at random', { timeout: 120_000 }, async () => {
    const { outcomes, deeds, contradictions, faults } = await killAtRandom(lab, kind, 12);
    expect(faults).toBeGreaterThan(0);
    expect({ outcomes, deeds, contradictions }).toEqual({
      outcomes: { 'Paid 4200: r-1': 12 },
      deeds: 12,
      contradictions: [],
    });
  });

  test('twelve tasks in two processes that stall at random, one with a wrong clock', { timeout: 120_000 }, async () => {
    const { outcomes, deeds, contradictions, faults } = await stallAtRandom(lab, kind, 12);
    expect(faults).toBeGreaterThan(0);
    expect({ outcomes, deeds, contradictions }).toEqual({
      outcomes: { 'Paid 4200: r-1': 12 },
      deeds: 12,
      contradictions: [],
    });
  });
});
