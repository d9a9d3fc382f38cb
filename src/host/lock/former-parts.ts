/**
 * Finds the approved part that a part was before it was renamed. Every pair is compared once at most, and all of it within a
 * budget: a server that renames thousands of parts at once must not keep the host busy.
 */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Pin } from './lock-file.ts';
import { type Features, featuresOf, SAME, similarity, similarityBound } from './similarity.ts';

export interface FormerPart extends Pin {
  readonly id: string;
}

/** `'unknown'` where there were too many to compare. */
export type Former = FormerPart | 'unknown' | undefined;

/** Features that are looked at while the parts of one kind of one server are compared. */
const MAX_WORK = 5_000_000;

/** The parts of one kind of one server, from one meeting to the next. */
export class FormerParts {
  /** How many pairs were compared. */
  comparisons = 0;
  #work = 0;
  #gone: ReadonlyMap<string, FormerPart> = new Map();
  /** By the hash of a definition. Files are read again and again; definitions stay the same. */
  readonly #features: Map<string, Features> = new Map();
  /** Hashes of parts that are gone and were each this much like the part with this hash, best first. */
  readonly #alike: Map<string, readonly string[] | 'unknown'> = new Map();

  /** `gone` are approved, and no longer offered. Fewer than before leave all that was compared as it is. */
  update(gone: readonly FormerPart[]): void {
    const before = this.#gone;
    this.#gone = new Map(gone.map((one) => [one.hash, one]));
    if ([...this.#gone.keys()].every((hash) => before.has(hash))) return;
    this.#alike.clear();
  }

  of(hash: string, definition: JsonObject): Former {
    if (this.#gone.size === 0) return undefined;
    let alike = this.#alike.get(hash);
    if (alike === undefined) {
      alike = this.#compare(hash, definition);
      this.#alike.set(hash, alike);
    }
    if (alike === 'unknown') return 'unknown';
    const still = alike.find((one) => this.#gone.has(one));
    return still === undefined ? undefined : this.#gone.get(still);
  }

  #compare(hash: string, definition: JsonObject): readonly string[] | 'unknown' {
    const own = this.#featuresOf(hash, definition);
    const found: { readonly hash: string; readonly alike: number }[] = [];
    for (const other of this.#gone.values()) {
      const its = this.#featuresOf(other.hash, other.definition);
      this.#work++;
      if (this.#work > MAX_WORK) return 'unknown';
      if (similarityBound(own, its) < SAME) continue;
      this.#work += own.shape.size + own.words.size;
      this.comparisons++;
      const alike = similarity(own, its);
      if (alike >= SAME) found.push({ hash: other.hash, alike });
    }
    return found.toSorted((a, b) => b.alike - a.alike).map((one) => one.hash);
  }

  #featuresOf(hash: string, definition: JsonObject): Features {
    let features = this.#features.get(hash);
    if (features === undefined) {
      features = featuresOf(definition);
      this.#features.set(hash, features);
    }
    return features;
  }
}
