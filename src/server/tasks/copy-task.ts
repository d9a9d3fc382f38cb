/** Copies records, so that a stored task does not change if its caller, its code or its handler mutates an object. */
import type { StoredTask } from '../../model/task-record.ts';
import { copyJson } from './copy-json.ts';

export type WritableTask = { -readonly [K in keyof StoredTask]: StoredTask[K] };

/** A copy of a record. Shares only `caller`, which is never mutated. */
export function copyTask(task: StoredTask): StoredTask {
  const copy: WritableTask = { ...task };
  copy.arguments = copyJson(task.arguments);
  if (task.lease !== undefined) copy.lease = { ...task.lease };
  copyChangedMembers(copy, undefined);
  return copy;
}

/** Copies the members of a record that differ from the previous record. */
export function copyChangedMembers(task: WritableTask, before: StoredTask | undefined): void {
  const { auth, progress, asked, questions, answers, begun, steps, outcome } = task;
  if (auth !== undefined && auth !== before?.auth) task.auth = copyJson(auth);
  if (progress !== undefined && progress !== before?.progress) task.progress = copyJson(progress);
  if (asked !== before?.asked) task.asked = copyList(asked);
  if (questions !== before?.questions) task.questions = copyList(questions);
  if (answers !== before?.answers) task.answers = copyList(answers);
  if (begun !== before?.begun) task.begun = copyList(begun);
  if (steps !== before?.steps) task.steps = copyList(steps);
  if (outcome !== undefined && outcome !== before?.outcome) task.outcome = copyJson(outcome);
}

/** Shared by all records: most lists of a task are empty. */
export const NONE: readonly never[] = Object.freeze([]);
const copyList = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : copyJson(list));
