/** The message history of a session's model. Servers never receive it. */
import { badDefinition } from '../../errors.ts';
import type { ModelMessage } from '../models/model.ts';

export class ModelConversation {
  messages: readonly ModelMessage[] = [];
  #busy = false;

  /** Throws if another run is in progress: concurrent runs would interleave their messages. */
  begin(): void {
    if (this.#busy)
      throw badDefinition(
        'This session',
        'it is still running another prompt; wait for that run to end, or open another session',
      );
    this.#busy = true;
  }

  /** Stores the history. Call it only if every tool call has its result, because providers reject unpaired calls. */
  keep(messages: readonly ModelMessage[]): void {
    this.messages = [...messages];
  }

  end(): void {
    this.#busy = false;
  }
}
