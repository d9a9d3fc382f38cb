/** Answers the questions of one task with the client's handlers: each question once, open ones concurrently. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { malformedResult } from '../../revisions/decode.ts';
import type { TaskQuestion } from '../../revisions/tasks/form.ts';
import type { LiveConnection } from '../live-connection.ts';
import { type QuestionHandlers, unansweredError } from '../question-handlers.ts';

/** With more questions, waiting for the task fails. */
const MAX_TASK_QUESTIONS = 1_000;
/** Maximum length of a key, since keys are stored in the ticket. */
const MAX_QUESTION_KEY = 256;

export interface TaskQuestionsContext {
  readonly taskId: string;
  readonly questions: QuestionHandlers;
  /** Keys of answered questions, including those from the ticket. */
  readonly answered: Set<string>;
  /** Sends answers, again if the connection is lost. Resolves when the server has received them. */
  send(inputResponses: JsonObject, signal: AbortSignal): Promise<void>;
}

export class TaskQuestions {
  readonly #context: TaskQuestionsContext;
  /** The canonical JSON of each question that this process has seen, by key. */
  readonly #asked: Map<string, string> = new Map();
  #open = 0;

  constructor(context: TaskQuestionsContext) {
    this.#context = context;
  }

  /** Whether a handler is answering, or an answer is being sent. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  /** Answers new questions. Resolves with whether there were any. Rejects if one cannot be answered, or violates the protocol. */
  async answer(
    open: Readonly<Record<string, TaskQuestion>>,
    live: LiveConnection,
    signal: AbortSignal,
  ): Promise<boolean> {
    const fresh = Object.entries(open).filter(([key, question]) => this.#isNew(key, question));
    await Promise.all(fresh.map(([key, question]) => this.#answerOne(key, question, live, signal)));
    return fresh.length > 0;
  }

  #isNew(key: string, question: TaskQuestion): boolean {
    const text = canonicalJson(question);
    const before = this.#asked.get(key);
    if (before !== undefined && before !== text)
      throw malformedResult('tasks/get', `it asks two different questions under the key "${key}"`);
    // Servers may repeat an answered question until they have processed the answer.
    if (before !== undefined || this.#context.answered.has(key)) return false;
    if (key.length > MAX_QUESTION_KEY)
      throw malformedResult('tasks/get', `the key of a question has more than ${MAX_QUESTION_KEY} characters`);
    if (this.#asked.size >= MAX_TASK_QUESTIONS) {
      const setting = `at most ${MAX_TASK_QUESTIONS} questions of one task are answered`;
      throw new McpError('MCP_TOO_MANY_ROUNDS', { method: 'A task', rounds: MAX_TASK_QUESTIONS + 1, setting });
    }
    this.#asked.set(key, text);
    return true;
  }

  async #answerOne(key: string, question: TaskQuestion, live: LiveConnection, signal: AbortSignal): Promise<void> {
    const context = { signal, server: live.server, task: this.#context.taskId };
    this.#open++;
    try {
      const answer = await this.#context.questions
        .answer({ ...question, revision: live.revision, context })
        .catch((error: unknown) => {
          throw unansweredError('The task', question.method, error);
        });
      // Drops an answer that arrives after the task or the waiting has ended.
      signal.throwIfAborted();
      await this.#context.send({ [key]: answer }, signal);
      this.#context.answered.add(key);
    } catch (error) {
      // So that the next caller that waits for this task asks the question again.
      this.#asked.delete(key);
      throw error;
    } finally {
      this.#open--;
    }
  }
}
