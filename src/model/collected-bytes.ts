/** Collects chunks in one buffer that doubles its size, so that a peer that sends byte by byte costs no more than another. */
export class CollectedBytes {
  size = 0;
  /** The first chunk is not copied: usually it is the only one. */
  #block: Uint8Array = new Uint8Array();

  add(chunk: Uint8Array): void {
    const size = this.size + chunk.length;
    if (this.size === 0) this.#block = chunk;
    else {
      if (size > this.#block.length) {
        const larger = new Uint8Array(2 * size);
        larger.set(this.bytes);
        this.#block = larger;
      }
      this.#block.set(chunk, this.size);
    }
    this.size = size;
  }

  get bytes(): Uint8Array {
    return this.#block.subarray(0, this.size);
  }
}
