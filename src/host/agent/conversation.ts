/** What was said between the user, the model and the tools. It stays here: no server gets to see it. */
import { badDefinition } from '../../errors.ts';
import type { ModelMessage } from '../models/model.ts';

export class ModelConversation {
  messages: readonly ModelMessage[] = [];
  #busy = false;

  /** Two runs at once would talk at cross purposes. */
  begin(): void {
    if (this.#busy)
      throw badDefinition('This session', 'it is working on another prompt; wait for it, or open another session');
    this.#busy = true;
  }

  /** What was said is only kept where every call has its result. */
  keep(messages: readonly ModelMessage[]): void {
    this.messages = [...messages];
  }

  end(): void {
    this.#busy = false;
  }
}
