/**
 * Builds a text from many pieces. A string that is appended to retains a node for every piece until it is read: with one-letter pieces,
 * these take many times the memory of the text.
 */
const MAX_PIECES = 1_000;

export class GrowingText {
  length = 0;
  readonly #joined: string[] = [];
  #pieces: string[] = [];

  add(piece: string): void {
    this.length += piece.length;
    if (this.#pieces.push(piece) < MAX_PIECES) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  toString(): string {
    return this.#joined.join('') + this.#pieces.join('');
  }
}
