/** The ticket of one task in its store: updated while the task runs, until it is removed. */
import type { TaskTicket } from '../../client/index.ts';
import type { HostTicket, TicketStore } from './tickets.ts';

export class StoredTicket {
  readonly #tickets: TicketStore;
  /** Undefined if the server did not turn the call into a task. */
  readonly #ticket: HostTicket | undefined;
  readonly #warn: (warning: string) => void;
  /** Serializes writes. */
  #writing: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(tickets: TicketStore, ticket: HostTicket | undefined, warn: (warning: string) => void) {
    this.#tickets = tickets;
    this.#ticket = ticket;
    this.#warn = warn;
  }

  /** Stores the current state of the task, with the questions that were answered. */
  update(task: TaskTicket | undefined): Promise<unknown> {
    this.#writing = this.#writing.then(async () => {
      if (this.#isStopped || this.#ticket === undefined || task === undefined) return;
      await this.#tickets
        .put({ ...this.#ticket, ticket: task })
        .catch((error: unknown) => this.#warn(`A task ticket could not be stored: ${String(error)}`));
    });
    return this.#writing;
  }

  /** Ignores later updates. The stored ticket stays. */
  async stopWriting(): Promise<void> {
    this.#isStopped = true;
    await this.#writing;
  }

  async remove(): Promise<void> {
    await this.stopWriting();
    if (this.#ticket !== undefined) await this.#tickets.remove(this.#ticket.id).catch(() => false);
  }
}
