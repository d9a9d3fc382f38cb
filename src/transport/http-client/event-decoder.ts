/** Decodes the bytes of an event stream to text, chunk by chunk. */

/** Shared, because it decodes only whole texts and so keeps no state between them. */
const wholeText = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes one stream. */
export class EventDecoder {
  #decoder: TextDecoder | undefined;

  /** A chunk that ends in ASCII splits no character, so the shared decoder can decode it. */
  decode(chunk: Uint8Array): string {
    if (this.#decoder === undefined && (chunk.at(-1) ?? 0) < 0x80) return wholeText.decode(chunk);
    this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
    return this.#decoder.decode(chunk, { stream: true });
  }
}
