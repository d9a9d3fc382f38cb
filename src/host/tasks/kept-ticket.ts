/** The ticket of one task in its store: written as the task goes on, until it is forgotten. */
import type { TaskTicket } from '../../client/index.ts';
import type { HostTicket, TicketStore } from './tickets.ts';

export class KeptTicket {
  readonly #tickets: TicketStore;
  /** Undefined where the server made no task of the call. */
  readonly #ticket: HostTicket | undefined;
  readonly #warn: (warning: string) => void;
  /** One write after the other, and none after the end. */
  #writing: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(tickets: TicketStore, ticket: HostTicket | undefined, warn: (warning: string) => void) {
    this.#tickets = tickets;
    this.#ticket = ticket;
    this.#warn = warn;
  }

  /** Stores the task as it is now, with the questions that were answered. */
  keep(task: TaskTicket | undefined): Promise<unknown> {
    this.#writing = this.#writing.then(async () => {
      if (this.#isOver || this.#ticket === undefined || task === undefined) return;
      await this.#tickets
        .put({ ...this.#ticket, ticket: task })
        .catch((error: unknown) => this.#warn(`A ticket was not kept: ${String(error)}`));
    });
    return this.#writing;
  }

  /** Nothing is written any more; what was written stays. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
  }

  async forget(): Promise<void> {
    await this.end();
    if (this.#ticket !== undefined) await this.#tickets.remove(this.#ticket.id).catch(() => false);
  }
}
