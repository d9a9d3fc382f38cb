/** The text of a stream that comes in pieces of bytes. */

/** Shared, so it decodes whole texts only: nothing of one text is left in it for the next. */
const wholeText = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes each piece of a stream as it comes. */
export class EventDecoder {
  #decoder: TextDecoder | undefined;

  /** A chunk that ends in ASCII splits no character, so that a decoder without memory can take it. */
  decode(chunk: Uint8Array): string {
    if (this.#decoder === undefined && (chunk.at(-1) ?? 0) < 0x80) return wholeText.decode(chunk);
    this.#decoder ??= new TextDecoder('utf-8', { ignoreBOM: true });
    return this.#decoder.decode(chunk, { stream: true });
  }
}
