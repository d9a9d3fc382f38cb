/** What every check of a backend gets. */
import type { Backend } from '../../stores/backend.ts';

export interface CheckContext {
  readonly one: Backend;
  /** Another handle on the same data. */
  readonly other: Backend;
  /** A handle on other data. */
  readonly elsewhere: Backend;
  readonly pass: (ms: number) => Promise<void>;
}

export type BackendCheckBody = (context: CheckContext) => Promise<void>;

/** So long that nothing expires during a check, and so short that a check can wait for it. */
export const LONG_MS = 60_000;
export const SHORT_MS = 80;

/**
 * For what must be done before a life ends. `isInTime` does it with a key of its own and a life, and resolves to false where the life
 * ended first, because the machine paused. The next life is longer.
 */
export async function beforeLifeEnds(isInTime: (key: string, lifeMs: number) => Promise<boolean>): Promise<void> {
  for (const lifeMs of [SHORT_MS, 10 * SHORT_MS, 100 * SHORT_MS]) if (await isInTime(`k${lifeMs}`, lifeMs)) return;
  throw new Error(`Expected a life of ${100 * SHORT_MS} ms to be long enough for two commands`);
}

/** Texts that a store must keep as they are. */
export const ODD_TEXTS: readonly string[] = [
  '',
  'é 日本 🌊 \u0000 \u2028 "\\ %s $1 \' -- :x',
  '{"__proto__":1}',
  ' leading and trailing ',
  '*',
];
