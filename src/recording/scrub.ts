/** Masks secrets in messages: known ones, members with names such as `password`, and text that looks like a secret. */
import type { Message } from '../jsonrpc/message.ts';
import { Masks, maskSecrets, maskSecretsIn, maskSecretWords } from '../model/secrets.ts';

export class Scrubber {
  readonly #masks: Masks;

  constructor(masks: Masks = new Masks()) {
    this.#masks = masks;
  }

  message<M extends Message>(message: M): M {
    const text = (one: string): string => this.text(one);
    return maskSecretsIn(message, { text, whole: false }) as M; // only texts change, not the shape
  }

  text(text: string): string {
    return maskSecrets(this.#masks.mask(text));
  }

  /** For a question to the user, which shows all that can be more than a secret. */
  question<T>(asked: T): T {
    const text = (one: string): string => maskSecretWords(this.#masks.mask(one));
    return maskSecretsIn(asked, { text, whole: false, words: true }) as T; // keeps the shape
  }
}
