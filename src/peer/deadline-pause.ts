/** While a person thinks, nobody is late: deadlines ask this before they strike. */
export class DeadlinePause {
  #thinking = 0;

  get isPaused(): boolean {
    return this.#thinking > 0;
  }

  /** For as long as this takes. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#thinking++;
    try {
      return await work;
    } finally {
      this.#thinking--;
    }
  }
}
