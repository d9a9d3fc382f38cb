/** Messages without secrets: those that a server was given, those that stand under a telling name, those that look like some. */
import type { Message } from '../jsonrpc/message.ts';
import { Masks, maskSecrets, maskSecretsIn } from '../model/secrets.ts';

export class Scrubber {
  readonly #masks: Masks;

  constructor(masks: Masks = new Masks()) {
    this.#masks = masks;
  }

  message<M extends Message>(message: M): M {
    const text = (one: string): string => this.text(one);
    return maskSecretsIn(message, { text, whole: false }) as M; // the same shape, with other texts
  }

  text(text: string): string {
    return maskSecrets(this.#masks.mask(text));
  }
}
