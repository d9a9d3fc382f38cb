/**
 * Reads the questions of an inbox for all acts that wait. A read takes every question, so with one read per act the work would grow with
 * the square of their number.
 */
export class SharedLooks<Q extends { readonly id: string }> {
  readonly #read: () => Promise<readonly Q[]>;
  readonly #pause: () => Promise<void>;
  #reading: Promise<readonly Q[]> | undefined;
  #next: Promise<ReadonlyMap<string, Q>> | undefined;

  constructor(read: () => Promise<readonly Q[]>, pause: () => Promise<void>) {
    this.#read = read;
    this.#pause = pause;
  }

  /** The questions now. Shares a read that is under way, which can lack the latest. */
  now(): Promise<readonly Q[]> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The questions after the pause, by id. The read begins later than this call, so that the caller's own question is in it. */
  next(): Promise<ReadonlyMap<string, Q>> {
    this.#next ??= this.#pause().then(async () => {
      this.#next = undefined;
      return new Map((await this.#read()).map((one) => [one.id, one]));
    });
    return this.#next;
  }
}
