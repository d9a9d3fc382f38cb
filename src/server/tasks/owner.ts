/** Whose task it is. A task of another owner reads exactly like one that does not exist. */
import { principalOf } from '../../model/caller.ts';
import { digestText } from '../../model/canonical.ts';
import type { StoredTask } from '../../model/task-record.ts';
import type { RequestFacts } from '../call.ts';

/** Callers that cannot be told apart: the id alone opens their tasks. */
export const ANYONE = '';

export function ownerOf({ link, push, revision }: RequestFacts): string | Promise<string> {
  const principal = principalOf(link.auth);
  if (principal !== '') return `p:${principal}`;
  // An empty id names a session that is not kept, which all of them share.
  return revision.hasSessions && push?.id ? digestText(push.id).then((digest) => `s:${digest}`) : ANYONE;
}

export const canOpen = (task: StoredTask, owner: string): boolean => task.owner === owner || task.owner === ANYONE;
