/** A task as a store keeps it: its text, the run that holds it, and how far its lease was renewed since it was written. */
import type { StoredTask, TaskHolder } from '../../model/task-record.ts';

/** The run that can renew a task, as one text; empty where none can. */
export const holderOf = ({ lease, runs, outcome }: StoredTask): string =>
  lease === undefined || outcome !== undefined ? '' : holderText({ by: lease.by, run: runs });

export const holderText = ({ by, run }: TaskHolder): string => `${run} ${by}`;

/** A task as it was written, with the lease that was renewed since. */
export function readTask(text: string, renewedUntil: number | null | undefined): StoredTask {
  const task = JSON.parse(text) as StoredTask; // a store wrote it
  if (renewedUntil === null || renewedUntil === undefined || task.lease === undefined) return task;
  return { ...task, dueAt: renewedUntil, lease: { ...task.lease, until: renewedUntil } };
}
