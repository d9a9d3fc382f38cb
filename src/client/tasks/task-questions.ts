/** The questions of one task: each is answered once, by the same handlers as any other, and all that are open at the same time. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { malformedResult } from '../../revisions/decode.ts';
import type { TaskQuestion } from '../../revisions/tasks/form.ts';
import type { LiveConnection } from '../connection.ts';
import { type QuestionHandlers, unansweredError } from '../question-handlers.ts';

/** A task that asks more is not followed. */
const MAX_TASK_QUESTIONS = 1_000;
/** Keys are kept in the ticket. */
const MAX_QUESTION_KEY = 256;

export interface TaskQuestionsContext {
  readonly taskId: string;
  readonly questions: QuestionHandlers;
  /** Keys that were answered, also before this process knew the task. */
  readonly answered: Set<string>;
  /** Sends an answer, and resolves when the server has it. */
  send(inputResponses: JsonObject): Promise<void>;
}

export class TaskQuestions {
  readonly #context: TaskQuestionsContext;
  /** What was asked under a key, in this process. */
  readonly #asked: Map<string, string> = new Map();
  #open = 0;

  constructor(context: TaskQuestionsContext) {
    this.#context = context;
  }

  /** A user is thinking, or an answer is on its way. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  /** Whether there was something new, once it is answered. Rejects when one of them cannot be answered, or the server asks what it must not. */
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
    // An answered question may be shown until the server has caught up.
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
      // An answer that comes after the end of the task, or of the waiting, is dropped.
      signal.throwIfAborted();
      await this.#context.send({ [key]: answer });
      this.#context.answered.add(key);
    } catch (error) {
      // The next one to wait for this task asks it again.
      this.#asked.delete(key);
      throw error;
    } finally {
      this.#open--;
    }
  }
}
