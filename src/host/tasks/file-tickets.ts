/** Tickets in a folder: a file each, for its user alone, written whole or not at all. */
import { isObject } from '../../jsonrpc/message.ts';
import { checkText } from '../../model/check-argument.ts';
import { RecordFolder } from '../consent/record-folder.ts';
import type { HostTicket, TicketStore } from './tickets.ts';

const ENDING = 'ticket';
const texts: readonly (keyof HostTicket)[] = ['id', 'server', 'name', 'principal', 'act'];

/** The folder is made when there is something to keep, with mode 0700. */
export function fileTickets(folder: string): TicketStore {
  checkText(folder, 'fileTickets(folder)', 'the path of a folder');
  const records = new RecordFolder(folder);
  return {
    list: () => records.list(ENDING, isTicket),
    put: (ticket) => records.replace(`${ticket.id}.${ENDING}`, ticket),
    remove: (id) => records.remove(`${id}.${ENDING}`),
  };
}

/** The ticket inside is checked by the client that it is given to. */
const isTicket = (value: unknown): value is HostTicket =>
  isObject(value) && texts.every((key) => typeof value[key] === 'string') && isObject(value['ticket']);
