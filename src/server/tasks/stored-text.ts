/** How stores serialize a task: as JSON text, with the run that holds it and the renewal of its lease. */
import type { StoredTask, TaskHolder } from '../../model/task-record.ts';

/** The run that can renew the lease of a task, as text; empty if none can. */
export const holderOf = ({ lease, runs, outcome }: StoredTask): string =>
  lease === undefined || outcome !== undefined ? '' : holderText({ by: lease.by, run: runs });

export const holderText = ({ by, run }: TaskHolder): string => `${run} ${by}`;

/** Parses a stored task, and applies the renewal of its lease since it was written. */
export function readTask(text: string, renewedUntil: number | null | undefined): StoredTask {
  const task = JSON.parse(text) as StoredTask; // a store wrote it
  if (renewedUntil === null || renewedUntil === undefined || task.lease === undefined) return task;
  return { ...task, dueAt: renewedUntil, lease: { ...task.lease, until: renewedUntil } };
}
