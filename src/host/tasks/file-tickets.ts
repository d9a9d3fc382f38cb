/** Stores tickets in a folder: one file each, readable only by its user, written atomically. */
import { isObject } from '../../jsonrpc/message.ts';
import { checkText } from '../../model/check-argument.ts';
import { RecordFolder } from '../consent/record-folder.ts';
import type { HostTicket, TicketStore } from './tickets.ts';

const ENDING = 'ticket';
const texts: readonly (keyof HostTicket)[] = ['id', 'server', 'name', 'principal', 'act'];

/** Creates a store for tickets in a folder. The folder is created with the first ticket, with mode 0700. */
export function fileTickets(folder: string): TicketStore {
  checkText(folder, 'fileTickets(folder)', 'the path of a folder');
  const records = new RecordFolder(folder);
  return {
    list: () => records.list(ENDING, isTicket),
    put: (ticket) => records.replace(`${ticket.id}.${ENDING}`, ticket),
    remove: (id) => records.remove(`${id}.${ENDING}`),
  };
}

/** The client validates the inner ticket. */
const isTicket = (value: unknown): value is HostTicket =>
  isObject(value) && texts.every((key) => typeof value[key] === 'string') && isObject(value['ticket']);
