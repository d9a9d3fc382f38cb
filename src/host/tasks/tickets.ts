/** What a host remembers of tasks that are under way, so that a later process can come back for them. */
import type { TaskTicket } from '../../client/index.ts';

/** A task of a host: whose it is, and where. Secrets and arguments are not in it. */
export interface HostTicket {
  /** Names it among the tickets of a host. */
  readonly id: string;
  /** The label of the server. */
  readonly server: string;
  /** The tool by its name in the catalogue. */
  readonly name: string;
  readonly principal: string;
  /** The act that began it. */
  readonly act: string;
  readonly ticket: TaskTicket;
}

/** Keeps tickets. `fileTickets` outlives the process. */
export interface TicketStore {
  list(): Promise<readonly HostTicket[]>;
  /** Adds it, or replaces the one with its id. */
  put(ticket: HostTicket): Promise<void>;
  /** False when it was not there. */
  remove(id: string): Promise<boolean>;
}

/** Tickets that live with the host. */
export function memoryTickets(): TicketStore {
  const tickets = new Map<string, HostTicket>();
  return {
    list: async () => [...tickets.values()],
    put: async (ticket) => void tickets.set(ticket.id, ticket),
    remove: async (id) => tickets.delete(id),
  };
}
