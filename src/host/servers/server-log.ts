/** Keeps the last lines of a server's log messages, its stderr and the host's notes: bounded, printable, secrets masked. */
import { printable } from '../../model/printable.ts';
import type { Masks } from '../../model/secrets.ts';
import { maskText } from '../audit/mask-act.ts';

const MAX_LINES = 500;
const MAX_CHARACTERS = 2000;

export class ServerLog {
  readonly #masks: Masks;
  readonly #lines: string[] = [];
  /** The start of an incomplete line of stderr. */
  #partial = '';
  /** Set while the rest of a line that is too long is skipped. */
  #isSkipping = false;
  readonly #listeners: Set<(line: string) => void> = new Set();

  constructor(masks: Masks) {
    this.#masks = masks;
  }

  get lines(): readonly string[] {
    return this.#partial === '' ? [...this.#lines] : [...this.#lines, this.#format(`stderr: ${this.#partial}`)];
  }

  onLine(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** `from` is the host, the logger of the server, or its standard error. Of a text with more lines than are kept, only the last are read. */
  write(from: string, text: string): void {
    for (const line of text.split(/\r?\n/).slice(-MAX_LINES)) this.#push(`${from}: ${line}`);
  }

  /** Adds a chunk of stderr. A line can arrive in several chunks, or never end. */
  readonly stderr = (chunk: string): void => {
    const [first = '', ...more] = chunk.split(/\r?\n/);
    const lines = [this.#isSkipping ? '' : this.#partial + first, ...more];
    const partial = lines.pop() ?? '';
    if (more.length > 0) {
      for (const line of this.#isSkipping ? lines.slice(1) : lines) this.#push(`stderr: ${line}`);
      this.#isSkipping = false;
    }
    // Twice the displayed length, so that secrets are masked before the line is cut.
    const isTooLong = partial.length > 2 * MAX_CHARACTERS;
    if (isTooLong) this.#push(`stderr: ${partial}`);
    this.#isSkipping ||= isTooLong;
    this.#partial = isTooLong ? '' : partial;
  };

  #push(line: string): void {
    const formatted = this.#format(line);
    this.#lines.push(formatted);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    for (const listener of this.#listeners) {
      try {
        listener(formatted);
      } catch {
        // An exception of a listener must not affect the server, and no other log could report it.
      }
    }
  }

  #format(line: string): string {
    const masked = maskText(this.#masks.mask(line));
    return printable(masked.length > MAX_CHARACTERS ? `${masked.slice(0, MAX_CHARACTERS)}…` : masked);
  }
}
