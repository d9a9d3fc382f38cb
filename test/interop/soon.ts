/** Waits until an expectation holds, longer than vitest's default, for busy machines. */
import { vi } from 'vitest';

export const soon = (expectation: () => Promise<void> | void): Promise<void> =>
  vi.waitFor(async () => expectation(), { timeout: 30_000, interval: 10 });
