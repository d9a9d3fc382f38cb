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
/** For what must be done before a life ends: a busy machine can take longer than `SHORT_MS`. */
export const UNHURRIED_MS = 500;

/** Texts that a store must keep as they are. */
export const ODD_TEXTS: readonly string[] = [
  '',
  'é 日本 🌊 \u0000 \u2028 "\\ %s $1 \' -- :x',
  '{"__proto__":1}',
  ' leading and trailing ',
  '*',
];
