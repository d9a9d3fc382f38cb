/** Task tickets of the command line. Each stores the typed target, so that `mooring tasks wait <id>` can reconnect. */
import { join } from 'node:path';
import { fileTickets, type HostTicket, type TicketStore } from '../../host/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { stateFolder } from '../paths.ts';
import type { Shell } from '../shell.ts';
import type { TargetInput } from '../target/options.ts';
import { type CommandTarget, targetIn } from '../target/target.ts';

/** Length of a printed id. */
const SHORT_ID = 8;

interface TypedTarget {
  readonly cwd: string;
  /** A URL, a module, or a configured name. */
  readonly word?: string;
  readonly after?: readonly string[];
}

export interface CommandTicket extends HostTicket {
  readonly typed: TypedTarget;
}

export const shortId = ({ id }: Pick<HostTicket, 'id'>): string => id.slice(0, SHORT_ID);

const storeOf = (shell: Shell): TicketStore => fileTickets(join(stateFolder(shell), 'tasks'));

/** The ticket store for a command that can start tasks. Adds the typed target to each ticket. */
export function ticketsFor({ words, after, shell }: Pick<TargetInput, 'words' | 'after' | 'shell'>): TicketStore {
  const store = storeOf(shell);
  const typed = { cwd: shell.cwd, ...(after === undefined ? { word: words[0] } : { after }) };
  return { ...store, put: (ticket) => store.put(Object.assign({ typed }, ticket)) };
}

/** Oldest first. Skips tickets of an incompatible version. */
export async function listTickets(shell: Shell): Promise<readonly CommandTicket[]> {
  const all = (await storeOf(shell).list()).filter(isCommandTicket);
  return all.toSorted((a, b) => a.ticket.createdAt.localeCompare(b.ticket.createdAt));
}

const isCommandTicket = (ticket: HostTicket): ticket is CommandTicket =>
  'typed' in ticket && isObject(ticket.typed) && typeof ticket.typed['cwd'] === 'string';

/** Finds a ticket by its id or a unique prefix, and resolves its target. */
export async function findTask(
  input: TargetInput,
): Promise<{ readonly ticket: CommandTicket; readonly target: CommandTarget; readonly tickets: TicketStore }> {
  const { shell } = input;
  const [id, ...rest] = input.words;
  rejectExtra([...rest, ...(input.after ?? [])]);
  // Each id begins with the empty text, such as that of a variable that is not set.
  if (id === undefined || id === '') throw badArgument('<id>', 'expected the id of a task; `mooring tasks` lists them');
  const [ticket, ...others] = (await listTickets(shell)).filter((one) => one.id.startsWith(id));
  if (ticket === undefined) throw badArgument(id, 'unknown task id; `mooring tasks` lists all tasks');
  if (others.length > 0) throw badArgument(id, 'several task ids begin with this; type more of the id');
  const { word, after, cwd } = ticket.typed;
  const typed = { ...input, words: word === undefined ? [] : [word], after, shell: { ...shell, cwd } };
  return { ticket, target: (await targetIn(typed)).target, tickets: ticketsFor(typed) };
}
