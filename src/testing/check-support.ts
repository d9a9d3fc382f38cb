/** Assertions of the backend and task store checks, which need no test framework. */
import { canonicalJson } from '../model/canonical.ts';
import { systemClock } from '../peer/clock.ts';

const WAIT_MS = 5_000;

/** Rejects after a timeout of a few seconds. */
export function inTime(what: string, done: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = systemClock.after(WAIT_MS, () => reject(new Error(`Expected ${what} within ${WAIT_MS} ms`)));
    done.then(resolve, reject).finally(stop);
  });
}

/** Compares values as canonical JSON. */
export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const [is, should] = [canonicalJson(actual), canonicalJson(expected)];
  if (is !== should) throw new Error(`${what}: expected ${shorten(should)}, got ${shorten(is)}`);
}

const shorten = (json: string | undefined): string =>
  json === undefined || json.length <= 500 ? `${json}` : `${json.slice(0, 500)}… (${json.length} characters)`;
