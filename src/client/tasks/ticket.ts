/** Creates and validates tickets, with which another process can resume a task. */
import { badDefinition } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { ServerFacts } from '../../model/caller.ts';
import { digestText } from '../../model/canonical.ts';
import type { TaskState } from '../../revisions/tasks/form.ts';
import type { TaskTicket } from './task.ts';

/** Identifies the server without possible secrets: a URL without its query, or the digest of a command with its arguments. */
export async function serverIdentity(origin: string | undefined, { info }: ServerFacts): Promise<string> {
  if (origin === undefined) return `name:${info?.name ?? ''}`;
  if (URL.canParse(origin) && /^https?:/.test(origin)) {
    const { origin: site, pathname } = new URL(origin);
    return site + pathname;
  }
  return `command:${await digestText(origin)}`;
}

/** The members of a ticket that no later report of the task contains. */
export type TicketHead = Pick<TaskTicket, 'server' | 'revision' | 'tool'>;

/** The id and lifetime of a task, from an earlier ticket or a reported state. */
export type TaskLifetime = Pick<TaskTicket | TaskState, 'taskId' | 'createdAt' | 'ttlMs'>;

export const makeTicket = (
  { server, revision, tool }: TicketHead,
  { taskId, createdAt, ttlMs }: TaskLifetime,
  answered: Iterable<string>,
): TaskTicket => {
  const created = typeof createdAt === 'string' ? createdAt : new Date(createdAt).toISOString();
  return { v: 1, server, revision, taskId, tool, createdAt: created, ttlMs, answered: [...answered] };
};

const isText = (value: unknown): value is string => typeof value === 'string';

/** Throws unless the value is a ticket of this server. A task id can be a bearer secret, so it is never sent to another server. */
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
  return value as TaskTicket; // every member was checked
}
