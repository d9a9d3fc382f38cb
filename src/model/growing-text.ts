/**
 * A text that grows piece by piece. A string that is appended to keeps a node for every piece, until it is read: for pieces of a
 * letter, many times the text itself.
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
