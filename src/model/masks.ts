/** Secrets that are known, because a server was given them, kept out of everything that is shown or written down. */
import { MASK } from './secrets.ts';

/** Shorter ones would make holes in every other word. */
const SHORTEST = 6;

export class Masks {
  readonly #secrets: Set<string> = new Set();

  add(secret: string): void {
    for (const line of secret.split(/\r?\n/)) if (line.trim().length >= SHORTEST) this.#secrets.add(line.trim());
  }

  mask(text: string): string {
    let masked = text;
    for (const secret of this.#secrets) masked = masked.replaceAll(secret, MASK);
    return masked;
  }
}
