/** `tasks/result`: waits until the task has ended, and meanwhile sends its questions to the client. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, isFailure, type JsonObject } from '../../jsonrpc/message.ts';
import { withRelatedTask } from '../../model/related-task.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { answerFault } from '../../revisions/asks/question.ts';
import type { Question } from '../../revisions/contract.ts';
import { decodeAnswer, encodeQuestion } from '../../revisions/encode-questions.ts';
import type { RequestDetails } from '../call.ts';
import type { NowOrLater } from './now-or-later.ts';
import type { TaskRunner } from './runner.ts';
import type { TaskCore } from './task-core.ts';
import { rejection } from './task-memory.ts';
import { toTaskState } from './task-state.ts';

export interface RelayContext {
  readonly core: TaskCore;
  readonly runner: TaskRunner;
  /** Questions that a stream is asking now: task id and wire key. */
  readonly relayed: Set<string>;
  find(taskId: string, details: RequestDetails): NowOrLater<StoredTask>;
}

export async function relayResult(
  found: StoredTask,
  context: RelayContext,
  details: RequestDetails,
): Promise<JsonObject> {
  const { records } = context.core;
  const { signal } = details.link;
  const { id } = found;
  const changes = records.changes(id, signal);
  try {
    for (;;) {
      const changed = changes.next();
      const task = await context.find(id, details);
      if (task.outcome !== undefined) return finalResult(task, details);
      // A question of an outdated record may have its answer.
      if (changes.hasChanged) continue;
      const broken = new Promise<never>((_resolve, reject) => {
        for (const [wire, question] of task.questions) {
          if (context.relayed.has(`${id} ${wire}`)) continue;
          const asked = relayQuestion(id, wire, question as Question, context, details); // a handler asked it as a Question
          // Rejects this stream first, and then wakes the others, which ask the question again.
          void asked.catch(() => reject(brokenStream())).then(() => records.wake(id));
        }
      });
      await Promise.race([changed, broken]);
      if (signal.aborted) throw new RpcError(INTERNAL_ERROR, 'The request was cancelled');
    }
  } finally {
    changes.stop();
  }
}

const brokenStream = (): RpcError =>
  new RpcError(INTERNAL_ERROR, 'A question of the task could not be asked on this stream');

/** Returns the result of the call, marked with its task, or throws the error of the call. */
function finalResult(task: StoredTask, { revision }: RequestDetails): JsonObject {
  const { result, error } = toTaskState(task, revision);
  if (result !== undefined) return withRelatedTask(result, task.id);
  const { code, message, data } = error ?? { code: INTERNAL_ERROR, message: 'The task was cancelled' };
  throw new RpcError(code, message, data);
}

/** Sends a question on one stream at a time. If the stream breaks, the question stays open and the next stream sends it again. */
async function relayQuestion(
  id: string,
  wire: string,
  question: Question,
  { runner, relayed }: RelayContext,
  { link, revision }: RequestDetails,
): Promise<void> {
  const name = `${id} ${wire}`;
  relayed.add(name);
  try {
    const { method } = question;
    const params = withRelatedTask(encodeQuestion(revision.vocabulary, question), id);
    const response = await link.ask({ jsonrpc: '2.0', id: 0, method, params });
    const fault = isFailure(response) ? response.error.message : answerFault(method, response.result);
    const answer =
      fault === undefined && !isFailure(response)
        ? decodeAnswer(revision.vocabulary, question, response.result)
        : rejection(fault ?? '');
    await runner.answer(id, { [wire]: answer });
  } finally {
    relayed.delete(name);
  }
}
