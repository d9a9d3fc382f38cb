/** Generates unguessable ids. Gets random bytes for many ids at once: for single ids, this costs more than the record of a task. */
const DIGITS: readonly number[] = Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  (digit) => digit.charCodeAt(0),
);
/** 32 bytes as base64url: six bits in each character, and four in the last. */
const LENGTH = 43;
const AT_ONCE = 128;

export class RandomIds {
  readonly #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(LENGTH * AT_ONCE);
  readonly #codes: number[] = new Array(LENGTH).fill(0);
  #used: number = LENGTH * AT_ONCE;

  next(): string {
    if (this.#used === this.#bytes.length) {
      crypto.getRandomValues(this.#bytes);
      this.#used = 0;
    }
    const codes = this.#codes;
    const bytes = this.#bytes;
    const last = LENGTH - 1;
    for (let at = 0; at <= last; at++) {
      const bits = at === last ? 0b111100 : 0b111111;
      codes[at] = DIGITS[(bytes[this.#used++] ?? 0) & bits] ?? 0;
    }
    // In one call: concatenating 43 strings takes 43 times the memory.
    return String.fromCharCode(...codes);
  }
}
