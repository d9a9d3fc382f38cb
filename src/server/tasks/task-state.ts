/** Converts a record for a client: encodes results and questions for the client that reads them, not for the one that began the task. */
import { RpcError } from '../../errors.ts';
import { defined } from '../../jsonrpc/message.ts';
import type { StoredTask } from '../../model/task-record.ts';
import type { Question, Revision } from '../../revisions/contract.ts';
import { encodeCallResult } from '../../revisions/encode.ts';
import { encodeQuestion } from '../../revisions/encode-questions.ts';
import type { TaskQuestion, TaskState } from '../../revisions/tasks/form.ts';

export function toTaskState(task: StoredTask, revision: Revision): TaskState {
  const { id, status, message, createdAt, updatedAt, ttlMs, pollMs, outcome } = task;
  const state = { taskId: id, status, message, createdAt, updatedAt, ttlMs, pollMs };
  if (status === 'input_required') return { ...state, questions: questionsOf(task, revision) };
  if (outcome === undefined || 'cancelled' in outcome) return state;
  if ('error' in outcome) return { ...state, error: errorOf(outcome.error, revision) };
  return { ...state, result: encodeCallResult(revision.vocabulary, outcome.result, 'CallToolResult') };
}

function questionsOf({ questions }: StoredTask, revision: Revision): Readonly<Record<string, TaskQuestion>> {
  const encoded: Record<string, TaskQuestion> = Object.create(null);
  for (const [wire, { method, params }] of questions) {
    encoded[wire] = { method, params: encodeQuestion(revision.vocabulary, { method, params } as Question) }; // a handler asked it as a Question
  }
  return encoded;
}

/** The error with the code of the reader's revision. */
function errorOf(error: NonNullable<TaskState['error']>, revision: Revision): NonNullable<TaskState['error']> {
  const { code, message, data } = error;
  return defined<NonNullable<TaskState['error']>>({
    code: revision.code(new RpcError(code, message, data)),
    message,
    data,
  });
}
