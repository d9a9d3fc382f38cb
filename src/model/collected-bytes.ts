/** Bytes that come in pieces, copied into one block: a peer that sends byte by byte costs no more than another. */
const SMALLEST = 16 * 1024;

export class CollectedBytes {
  size = 0;
  /** The first piece as it came: mostly it is the only one. */
  #block: Uint8Array | undefined;

  add(chunk: Uint8Array): void {
    const size = this.size + chunk.length;
    if (this.#block === undefined) this.#block = chunk;
    else {
      if (size > this.#block.length) {
        const larger = new Uint8Array(Math.max(2 * size, SMALLEST));
        larger.set(this.bytes);
        this.#block = larger;
      }
      this.#block.set(chunk, this.size);
    }
    this.size = size;
  }

  get bytes(): Uint8Array {
    return this.#block?.subarray(0, this.size) ?? new Uint8Array();
  }
}
