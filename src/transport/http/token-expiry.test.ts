/** When a stream ends because its token expires. */
import { expect, test } from 'vitest';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { onTokenExpiry } from './token-expiry.ts';

const DAY_MS = 86_400_000;

async function endOf(expiresInMs: number | undefined, ms: number): Promise<boolean> {
  const clock = new HeldClock();
  let isOver = false;
  const expiresAt = expiresInMs === undefined ? {} : { expiresAt: clock.wall() + expiresInMs };
  onTokenExpiry({ subject: 'ada', scopes: [], ...expiresAt }, clock, () => {
    isOver = true;
  });
  await clock.pass(ms);
  return isOver;
}

test('a stream ends a minute after its token expires', async () => {
  expect([await endOf(10_000, 69_999), await endOf(10_000, 70_000)]).toEqual([false, true]);
});

test('a stream with a token that has already expired ends after a minute', async () => {
  expect([await endOf(-90_000, 59_999), await endOf(-90_000, 60_000)]).toEqual([false, true]);
});

test('a token of a month gets no timer, which would overflow and fire at once', async () => {
  const clock = new HeldClock();
  onTokenExpiry({ subject: 'ada', scopes: [], expiresAt: clock.wall() + 24 * DAY_MS }, clock, () => undefined);
  onTokenExpiry({ subject: 'ada', scopes: [], expiresAt: clock.wall() + 31 * DAY_MS }, clock, () => undefined);
  onTokenExpiry({ subject: 'ada', scopes: [], expiresAt: clock.wall() + 2 ** 31 - 60_000 }, clock, () => undefined);
  expect(clock.waits).toEqual([24 * DAY_MS + 60_000]);
  expect(await endOf(undefined, DAY_MS)).toBe(false);
});
