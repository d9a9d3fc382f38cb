/** Ids that cannot be guessed. The source of randomness is asked for many at once: one by one, it costs more than the record of a task. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** 32 bytes as base64url: six bits in each character, and four in the last. */
const LENGTH = 43;
const AT_ONCE = 128;

export class RandomIds {
  readonly #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(LENGTH * AT_ONCE);
  #used: number = LENGTH * AT_ONCE;

  next(): string {
    if (this.#used === this.#bytes.length) {
      crypto.getRandomValues(this.#bytes);
      this.#used = 0;
    }
    let id = '';
    for (const last = this.#used + LENGTH - 1; this.#used < last; this.#used++) id += this.#digit(0b111111);
    id += this.#digit(0b111100);
    this.#used++;
    return id;
  }

  #digit(bits: number): string {
    return DIGITS.charAt((this.#bytes[this.#used] ?? 0) & bits);
  }
}
