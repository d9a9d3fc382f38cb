/** Tickets of running tasks, with which a later process can resume them. */
import type { TaskTicket } from '../../client/index.ts';

/** Identifies a task of a host: its user, server and tool. It contains no secrets and no arguments. */
export interface HostTicket {
  /** Unique among the tickets of a host. */
  readonly id: string;
  /** The label of the server. */
  readonly server: string;
  /** The name of the tool in the catalogue. */
  readonly name: string;
  readonly principal: string;
  /** The id of the action that started the task. */
  readonly act: string;
  readonly ticket: TaskTicket;
}

/** Stores tickets. Those of `fileTickets` survive a restart. */
export interface TicketStore {
  list(): Promise<readonly HostTicket[]>;
  /** Adds a ticket, or replaces the one with the same id. */
  put(ticket: HostTicket): Promise<void>;
  /** Removes a ticket. Resolves with false if it did not exist. */
  remove(id: string): Promise<boolean>;
}

/** Stores tickets in memory. */
export function memoryTickets(): TicketStore {
  const tickets = new Map<string, HostTicket>();
  return {
    list: async () => [...tickets.values()],
    put: async (ticket) => void tickets.set(ticket.id, ticket),
    remove: async (id) => tickets.delete(id),
  };
}
