/** The last lines of a server's log, its standard error and its host's remarks: bounded, printable, without secrets. */
import { printable } from '../../model/printable.ts';
import type { Masks } from '../../model/secrets.ts';
import { maskText } from '../audit/mask-act.ts';

const MAX_LINES = 500;
const MAX_CHARACTERS = 2000;

export class ServerLog {
  readonly #masks: Masks;
  readonly #lines: string[] = [];
  /** The beginning of a line whose end has not come. */
  #open = '';
  /** The rest of a line that is too long. */
  #skipping = false;
  readonly #listeners: Set<(line: string) => void> = new Set();

  constructor(masks: Masks) {
    this.#masks = masks;
  }

  get lines(): readonly string[] {
    return this.#open === '' ? [...this.#lines] : [...this.#lines, this.#shown(`stderr: ${this.#open}`)];
  }

  onLine(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** `from` is the host, the logger of the server, or its standard error. */
  write(from: string, text: string): void {
    for (const line of text.split(/\r?\n/)) this.#push(`${from}: ${line}`);
  }

  /** Standard error in chunks: a line can arrive in pieces, and never end. */
  readonly stderr = (chunk: string): void => {
    const [first = '', ...more] = chunk.split(/\r?\n/);
    const lines = [this.#skipping ? '' : this.#open + first, ...more];
    const open = lines.pop() ?? '';
    if (more.length > 0) {
      for (const line of this.#skipping ? lines.slice(1) : lines) this.#push(`stderr: ${line}`);
      this.#skipping = false;
    }
    // Twice as much as is shown: a secret is never cut before it is masked.
    const endless = open.length > 2 * MAX_CHARACTERS;
    if (endless) this.#push(`stderr: ${open}`);
    this.#skipping ||= endless;
    this.#open = endless ? '' : open;
  };

  #push(line: string): void {
    const shown = this.#shown(line);
    this.#lines.push(shown);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    for (const listener of this.#listeners) {
      try {
        listener(shown);
      } catch {
        // A listener must not break the server, and there is no other log to report it in.
      }
    }
  }

  #shown(line: string): string {
    const masked = maskText(this.#masks.mask(line));
    return printable(masked.length > MAX_CHARACTERS ? `${masked.slice(0, MAX_CHARACTERS)}…` : masked);
  }
}
