/** The text of a body that comes in pieces. */

export class TextChunks {
  readonly #chunks: Uint8Array[] = [];
  size = 0;

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.size += chunk.length;
  }

  /** Throws where it is not UTF-8 and `fatal` is set. */
  read(options: { readonly fatal?: boolean } = {}): string {
    const decoder = new TextDecoder('utf-8', options);
    const [first = new Uint8Array(), ...rest] = this.#chunks;
    if (rest.length === 0) return decoder.decode(first);
    const all = new Uint8Array(this.size);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return decoder.decode(all);
  }
}

/** Shared, so it decodes whole texts only: nothing of one text is left in it for the next. */
const wholeText = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes each piece of a stream as it comes. */
export class EventDecoder {
  #decoder: TextDecoder | undefined;

  /** A piece that ends in ASCII cuts no character in two, and needs no decoder that remembers. */
  decode(chunk: Uint8Array): string {
    if (this.#decoder === undefined && (chunk.at(-1) ?? 0) < 0x80) return wholeText.decode(chunk);
    this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
    return this.#decoder.decode(chunk, { stream: true });
  }
}
