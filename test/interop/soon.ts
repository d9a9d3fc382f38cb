/** Waits until an expectation holds; longer than vitest would by itself, for machines with much else to do. */
import { vi } from 'vitest';

export const soon = (expectation: () => Promise<void> | void): Promise<void> =>
  vi.waitFor(async () => expectation(), { timeout: 30_000, interval: 10 });
