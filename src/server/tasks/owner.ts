/** Determines the owner of a task. A task of another owner is reported exactly like one that does not exist. */
import { principalOf } from '../../model/caller.ts';
import { digestText } from '../../model/canonical.ts';
import type { StoredTask } from '../../model/task-record.ts';
import type { RequestDetails } from '../call.ts';

/** The owner of tasks of callers that cannot be distinguished: the id alone gives access to these tasks. */
export const ANYONE = '';

export function ownerOf({ link, push, revision }: RequestDetails): string | Promise<string> {
  const principal = principalOf(link.auth);
  if (principal !== '') return `p:${principal}`;
  // An empty id belongs to a session that is not stored, and all such sessions share it.
  return revision.hasSessions && push?.id ? digestText(push.id).then((digest) => `s:${digest}`) : ANYONE;
}

export const canOpen = (task: StoredTask, owner: string): boolean => task.owner === owner || task.owner === ANYONE;
