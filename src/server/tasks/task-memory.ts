/** The answers and steps of one run of a task, which its record stores. */
import { RpcError, ToolError } from '../../errors.ts';
import { INTERNAL_ERROR, type JsonObject } from '../../jsonrpc/message.ts';
import { MISSING_CAPABILITY } from '../../model/names.ts';
import type { StepRecord, StoredTask, TaskHolder } from '../../model/task-record.ts';
import { cannotAskError, missingCapability } from '../../revisions/asks/question.ts';
import { type CallMemory, type ReplayedCall, stepStem } from '../../revisions/asks/replay.ts';
import type { Question, Revision } from '../../revisions/contract.ts';
import { beginStep, recordStep, type Suspended, type TaskChange } from './record.ts';
import { requireRecordSize } from './task-records.ts';

/** The stored form of a client's error in place of an answer. A client whose answer has this form rejects the question, too. */
export const rejection = (message: string): JsonObject => ({ rejected: message });

type AskedTaskQuestion = StoredTask['asked'][number][1];

export interface TaskMemoryContext {
  readonly task: StoredTask;
  readonly holder: TaskHolder;
  /** The revision of the call that began the task. */
  readonly revision: Revision;
  /** Writes a change of this run. Throws if the run no longer holds the task. */
  write(change: TaskChange): Promise<void>;
}

export class TaskMemory implements CallMemory {
  readonly #context: TaskMemoryContext;
  readonly #answers: ReadonlyMap<string, JsonObject>;
  readonly #begun: ReadonlySet<string>;
  /** The questions of this run, by key. */
  readonly #asked: Map<string, AskedTaskQuestion> = new Map();

  constructor(context: TaskMemoryContext) {
    this.#context = context;
    this.#answers = new Map(context.task.answers);
    this.#begun = new Set(context.task.begun);
  }

  async recall(key: string, question: Question, digest: string): Promise<JsonObject | undefined> {
    const { wire } = this.#nameQuestion(key, digest);
    const answer = this.#answers.get(wire);
    if (answer === undefined) return this.#requireCapability(question);
    const { rejected } = answer;
    if (rejected !== undefined) throw new ToolError(`The client rejected ${question.method}: ${String(rejected)}`);
    return answer;
  }

  /**
   * Identifies a question by its key and the digest of its text, so that an answer belongs to one question. A different text from the
   * same code means that the handler is not deterministic; from other code, that the question is a new one.
   */
  #nameQuestion(key: string, digest: string): AskedTaskQuestion {
    const { asked, code } = this.#context.task;
    const before = asked.flatMap(([one, entry]) => (one === key ? [entry] : []));
    const same = before.find((entry) => entry.digest === digest);
    if (same === undefined && before.at(-1)?.code === code) {
      throw new RpcError(
        INTERNAL_ERROR,
        `The question "${key}" has changed since it was asked: build it from values that ctx.once returns`,
      );
    }
    const taken = new Set(asked.map(([, { wire }]) => wire));
    let wire = key;
    for (let n = 2; taken.has(wire); n++) wire = `${key}~${n}`;
    const entry = same ?? { wire, digest, code };
    this.#asked.set(key, entry);
    return entry;
  }

  #requireCapability(question: Question): undefined {
    const { task, revision } = this.#context;
    const missing = missingCapability(question, task.caller.capabilities, revision.vocabulary);
    if (missing === undefined) return;
    const error = cannotAskError(question, missing);
    if (revision.hasServerRequests) throw error;
    throw new RpcError(MISSING_CAPABILITY, error.message, { requiredCapabilities: missing });
  }

  stem(): Promise<string> {
    return stepStem(this.#context.task.id);
  }

  async beginStep(key: string, again: boolean): Promise<void> {
    if (this.#begun.has(key)) {
      throw new ToolError(`The step "${key}" was interrupted, and whether it took effect is not known`);
    }
    const { holder } = this.#context;
    if (!again) await this.#context.write((task) => beginStep(task, holder, key));
  }

  keepStep(key: string, record: StepRecord): Promise<void> {
    const { holder } = this.#context;
    return this.#context.write((task) => requireRecordSize(recordStep(task, holder, key, record)));
  }

  /** Only reports the suspension: the runner reads the questions and stores them. */
  async suspend(): Promise<JsonObject> {
    return { resultType: 'input_required' };
  }

  suspension({ open }: ReplayedCall): Suspended {
    return {
      questions: [...open].map(([key, { method, params }]) => [this.#asked.get(key)?.wire ?? key, { method, params }]),
      asked: [...this.#asked],
    };
  }
}
