/** Waits until an expectation holds. The timeout is far longer than a busy machine needs. */
import { vi } from 'vitest';

export function soon<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: 30_000, interval: 5 });
}
