/**
 * Limits how many parts of a foreign schema are read for display. Parts refer to each other, so at any depth limit a short schema can
 * have more paths than there is time for.
 */
const MAX_PARTS = 1_000;

export class ReadingBudget {
  #left: number;

  constructor(parts: number = MAX_PARTS) {
    this.#left = parts;
  }

  /** Counts one more part; false if the budget is used up. */
  take(): boolean {
    return --this.#left >= 0;
  }
}
