/** Tokens whose signature was verified, so that it need not be again: with the same keys, the same token is as good as before. */
import type { Claims } from './token-verifier.ts';

/** Tokens that are remembered; the oldest goes first. */
const MAX_TOKENS = 2_000;

export class VerifiedTokens {
  /** Goes with the keys: when an issuer has other ones, nothing is known any more. */
  readonly #byKeys: WeakMap<object, Map<string, Claims>> = new WeakMap();

  get(keys: object, digest: string): Claims | undefined {
    return this.#byKeys.get(keys)?.get(digest);
  }

  set(keys: object, digest: string, claims: Claims): void {
    const kept = this.#byKeys.get(keys) ?? new Map<string, Claims>();
    this.#byKeys.set(keys, kept);
    const [oldest] = kept.keys();
    if (kept.size >= MAX_TOKENS && oldest !== undefined) kept.delete(oldest);
    kept.set(digest, claims);
  }
}
