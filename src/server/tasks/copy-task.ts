/** Copies of records: a task whose caller, code or handler changes what it was given stays as it is. */
import type { StoredTask } from '../../model/task-record.ts';
import { copyJson } from './copy-json.ts';

export type WritableTask = { -readonly [K in keyof StoredTask]: StoredTask[K] };

/** A record that shares nothing with the given one. Who the caller says it is, is only ever read. */
export function copyTask(task: StoredTask): StoredTask {
  const copy: WritableTask = { ...task };
  copy.arguments = copyJson(task.arguments);
  if (task.lease !== undefined) copy.lease = { ...task.lease };
  ownMembers(copy, undefined);
  return copy;
}

/** Copies what a record has that the one before it did not have. */
export function ownMembers(task: WritableTask, before: StoredTask | undefined): void {
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

/** Most lists of a task are empty. */
export const NONE: readonly never[] = Object.freeze([]);
const copyList = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? NONE : copyJson(list));
