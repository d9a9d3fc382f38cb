/**
 * How many parts of a foreign schema are read to show it. Parts refer to each other, so a short schema can have more paths through it
 * than there is time for, at any depth.
 */
const MAX_PARTS = 1_000;

export class ReadingBudget {
  #left: number;

  constructor(parts: number = MAX_PARTS) {
    this.#left = parts;
  }

  /** One more part; false when there were enough. */
  take(): boolean {
    return --this.#left >= 0;
  }
}
