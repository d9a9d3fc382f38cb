import { expect, test } from 'vitest';
import { backoffMs, MAX_ATTEMPTS } from './backoff.ts';

test('backoff delays are between 1 and 30 seconds, and grow with each failure', () => {
  for (let failed = 1; failed < 20; failed++) {
    expect(backoffMs(failed, 0)).toBe(1_000);
    expect(backoffMs(failed, 1)).toBe(Math.min(30_000, 1_000 * 2 ** failed));
  }
  expect(MAX_ATTEMPTS).toBe(5);
});
