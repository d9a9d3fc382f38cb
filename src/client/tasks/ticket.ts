/** Tickets: what is written down of a task, and whether what was read again is a ticket of this server. */
import { badDefinition } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { ServerFacts } from '../../model/caller.ts';
import { digestText } from '../../model/canonical.ts';
import type { TaskState } from '../../revisions/tasks/form.ts';
import type { TaskTicket } from './task.ts';

/** Names the server without what may be secret: queries and arguments of commands can carry tokens. */
export async function serverIdentity(origin: string | undefined, { info }: ServerFacts): Promise<string> {
  if (origin === undefined) return `name:${info?.name ?? ''}`;
  if (URL.canParse(origin) && /^https?:/.test(origin)) {
    const { origin: site, pathname } = new URL(origin);
    return site + pathname;
  }
  return `command:${await digestText(origin)}`;
}

/** What a ticket says of itself that a later look cannot know. */
export type TicketHead = Pick<TaskTicket, 'server' | 'revision' | 'tool'>;

/** From a ticket before, or from a state. */
export type TicketFacts = Pick<TaskTicket | TaskState, 'taskId' | 'createdAt' | 'ttlMs'>;

export const makeTicket = (
  { server, revision, tool }: TicketHead,
  { taskId, createdAt, ttlMs }: TicketFacts,
  answered: Iterable<string>,
): TaskTicket => {
  const created = typeof createdAt === 'string' ? createdAt : new Date(createdAt).toISOString();
  return { v: 1, server, revision, taskId, tool, createdAt: created, ttlMs, answered: [...answered] };
};

const isText = (value: unknown): value is string => typeof value === 'string';

/** Throws where it is no ticket, or one of another server: an id can be all that opens a task, so no other gets to read it. */
export function checkTicket(value: unknown, server: string): TaskTicket {
  const { v, server: at, revision, taskId, tool, createdAt, ttlMs, answered } = isObject(value) ? value : {};
  const given = JSON.stringify(v) ?? 'absent';
  if (v !== 1) throw badDefinition('The ticket', `"v" must be 1, not ${given}; pass what "task.ticket" gave`);
  const isWhole =
    [at, revision, taskId, tool, createdAt].every(isText) && (ttlMs === null || typeof ttlMs === 'number');
  if (!isWhole || !Array.isArray(answered) || !answered.every(isText))
    throw badDefinition('The ticket', 'a member is missing or has another type; pass what "task.ticket" gave');
  if (at !== server)
    throw badDefinition('The ticket', `it is for ${String(at)}, and this is ${server}; connect to that server`);
  return value as TaskTicket; // every member was looked at
}
