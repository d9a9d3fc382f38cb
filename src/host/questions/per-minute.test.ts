import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/index.ts';
import { perMinute } from './per-minute.ts';

test('perMinute() allows no more than the limit within any minute', async () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), pauses, async (limit, waits) => {
      const clock = virtualClock();
      const tryOne = perMinute(limit, clock);
      const allowed: number[] = [];
      for (const ms of waits) {
        await clock.advance(ms);
        const recent = allowed.filter((time) => clock.now() - time < 60_000).length;
        expect(tryOne()).toBe(recent < limit);
        if (recent < limit) allowed.push(clock.now());
      }
    }),
    { numRuns: 50 },
  );
});
