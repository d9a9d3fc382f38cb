/** Types and helpers that all checks of a backend share. */
import type { Backend } from '../../stores/backend.ts';

export interface CheckContext {
  readonly one: Backend;
  /** A second handle on the same data. */
  readonly other: Backend;
  /** A handle on other data. */
  readonly elsewhere: Backend;
  readonly pass: (ms: number) => Promise<void>;
}

export type BackendCheckBody = (context: CheckContext) => Promise<void>;

/** A TTL that does not expire during a check. */
export const LONG_MS = 60_000;
/** A TTL that is short enough to wait for. */
export const SHORT_MS = 80;

/**
 * Retries a check that must act before a TTL expires. `isInTime` gets a fresh key and a TTL, and resolves with false if the TTL expired
 * too early, because the machine was slow. Each retry has a longer TTL.
 */
export async function beforeExpiry(isInTime: (key: string, ttlMs: number) => Promise<boolean>): Promise<void> {
  for (const ttlMs of [SHORT_MS, 10 * SHORT_MS, 100 * SHORT_MS]) if (await isInTime(`k${ttlMs}`, ttlMs)) return;
  throw new Error(`Expected a life of ${100 * SHORT_MS} ms to be long enough for two commands`);
}

/** Texts that a store must preserve exactly. */
export const ODD_TEXTS: readonly string[] = [
  '',
  'é 日本 🌊 \u0000 \u2028 "\\ %s $1 \' -- :x',
  '{"__proto__":1}',
  ' leading and trailing ',
  '*',
];
