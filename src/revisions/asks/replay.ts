/** Replays a handler: known answers and finished steps resolve by key, and the first questions without an answer suspend it. */
import { McpError, RpcError, ToolError } from '../../errors.ts';
import { INTERNAL_ERROR, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson, digestText } from '../../model/canonical.ts';
import type { StepRecord } from '../../model/task-record.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { ClientRequests, OnceOptions, OnceStep, Question } from '../contract.ts';
import { runStep } from './question.ts';

/** Thrown into a handler to suspend it until an answer arrives. Never reaches a caller. */
class Suspension extends Error {
  override readonly name = 'Suspension';
}

export interface HandlerRun {
  /** The name of the call in error messages. */
  readonly what: string;
  /** Fencing token: grows with every run. */
  readonly fence: number;
  readonly signal: AbortSignal;
  warn(warning: string): void;
}

/** Stores answers and steps between runs: in a sealed state, or in the record of a task. */
export interface CallMemory {
  /** Returns the stored answer to exactly this question. Rejects if the client cannot be asked. */
  recall(key: string, question: Question, digest: string): Promise<JsonObject | undefined>;
  /** The common prefix of the idempotency keys of the steps. */
  stem(): Promise<string>;
  /** Called before a step runs. Throws if it must not run again. */
  beginStep(key: string, again: boolean): Promise<void> | void;
  /** Stores the outcome of a step. */
  keepStep(key: string, record: StepRecord): Promise<void> | void;
  /** Returns the interim result, once all open questions are known. */
  suspend(what: string, run: ReplayedCall): Promise<JsonObject>;
}

export class ReplayedCall<M extends CallMemory = CallMemory> implements ClientRequests {
  readonly memory: M;
  readonly #run: HandlerRun;
  /** Outcomes of steps of earlier runs and of this one. */
  readonly steps: Map<string, StepRecord>;
  readonly #open: Map<string, Question> = new Map();
  readonly #unused: Set<string>;
  readonly #running: Map<string, Promise<unknown>> = new Map();
  readonly #texts: Map<string, string> = new Map();
  #gathered: Promise<void> | undefined;
  /** The number of questions that are being looked up in the memory. */
  #recalling = 0;
  #hasEnded = false;

  constructor(memory: M, run: HandlerRun, steps: Iterable<readonly [string, StepRecord]>) {
    this.memory = memory;
    this.#run = run;
    this.steps = new Map(steps);
    this.#unused = new Set(this.steps.keys());
  }

  /** Questions without an answer in this run, in the order in which the handler asked; their digests can finish in another order. */
  get open(): ReadonlyMap<string, Question> {
    return new Map(
      [...this.#texts.keys()].flatMap((key) => {
        const question = this.#open.get(key);
        return question === undefined ? [] : [[key, question]];
      }),
    );
  }

  ask(key: string, question: Question): Promise<JsonObject> {
    const text = canonicalJson(question);
    const before = this.#texts.get(key);
    if (before !== undefined && before !== text) {
      return Promise.reject(new McpError('MCP_DUPLICATE_KEY', { what: this.#run.what, key }));
    }
    this.#texts.set(key, text);
    return this.#find(key, question, text);
  }

  /** Returns the stored answer, or suspends. An answer is valid only for the question it was given to, not for another under its key. */
  async #find(key: string, question: Question, text: string): Promise<JsonObject> {
    this.#recalling++;
    let known: JsonObject | undefined;
    try {
      known = await this.memory.recall(key, question, await digestText(text));
    } finally {
      this.#recalling--;
    }
    return known ?? this.#suspend(key, question);
  }

  #suspend(key: string, question: Question): Promise<JsonObject> {
    this.#open.set(key, question);
    this.#gathered ??= this.#gather();
    return new Promise((_resolve, reject) => {
      void this.#gathered?.then(() => {
        // After the handler has ended, nothing awaits this promise: an unhandled rejection would end the process.
        if (!this.#hasEnded) reject(new Suspension(`Waiting for the answer to "${key}"`));
      });
    });
  }

  /** Batches questions into one round: those asked in the same turn, and those that follow from stored answers. */
  async #gather(): Promise<void> {
    do await nextTurn();
    while (this.#recalling > 0);
  }

  /** Revisions that replay handlers have no notification of completed visits: the client retries after the visit. */
  completeVisit(): void {}

  once<T>(key: string, step: OnceStep<T>, { again = true }: OnceOptions = {}): Promise<T> {
    const running = this.#running.get(key);
    if (running !== undefined) {
      this.#run.warn(
        `${this.#run.what} reached the step "${key}" twice, and the second time got the result of the first: give each its own key`,
      );
      return running as Promise<T>; // the same key is the same step
    }
    this.#unused.delete(key);
    const known = this.steps.get(key);
    const now = known === undefined ? this.#runStep(key, step, again) : replayStep<T>(known);
    this.#running.set(key, now);
    return now;
  }

  async #runStep<T>(key: string, step: OnceStep<T>, again: boolean): Promise<T> {
    await this.memory.beginStep(key, again);
    const { fence, signal } = this.#run;
    try {
      const value = await runStep(step, { idempotencyKey: `${await this.memory.stem()}:${key}`, fence, signal });
      await this.keep(key, value === undefined ? {} : { value });
      return value;
    } catch (thrown) {
      if (signal.aborted || this.steps.has(key)) throw thrown;
      if (isSuspension(thrown)) {
        throw new RpcError(INTERNAL_ERROR, `The step "${key}" asks a question: ask first, then begin the step`);
      }
      // Stores the failure, so that a handler that catches it takes the same path when it is replayed.
      await this.keep(key, { error: failureOf(thrown) });
      throw thrown;
    }
  }

  /** Stores the outcome of a step, of this run or of one that this run continues. */
  async keep(key: string, record: StepRecord): Promise<void> {
    this.steps.set(key, record);
    await this.memory.keepStep(key, record);
  }

  /** Continues another run of the same call: shares its running steps and its questions' texts. */
  takeOver(other: ReplayedCall): void {
    for (const [key, step] of other.#running) {
      this.#running.set(key, step);
      this.#unused.delete(key);
    }
    for (const [key, text] of other.#texts) this.#texts.set(key, text);
  }

  /** Adopts the open questions of another run of the same call. */
  async takeOverQuestions(other: ReplayedCall): Promise<void> {
    for (const [key, question] of other.open) {
      const known = await this.memory.recall(key, question, await digestQuestion(question));
      if (known === undefined) this.#open.set(key, question);
    }
  }

  /** Resolves when all steps have ended. A replay must wait for this, or it would run an unfinished step a second time. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  async outcome(what: string, thrown?: unknown): Promise<JsonObject | undefined> {
    this.#hasEnded = true;
    // A question that the handler did not await may still be looked up.
    if (this.#recalling > 0) await this.#gather();
    if (this.#open.size === 0) {
      for (const key of thrown === undefined ? this.#unused : []) {
        this.#run.warn(
          `${what} ended without the step "${key}" that an earlier run made: use the same key in every run`,
        );
      }
      return undefined;
    }
    const [first = ''] = this.open.keys();
    if (thrown === undefined) throw new McpError('MCP_SUSPENSION_SWALLOWED', { what, key: first });
    // The handler itself failed while a question was open: the failure is the outcome.
    if (!isSuspension(thrown)) return undefined;
    await this.#gathered;
    return this.memory.suspend(what, this);
  }
}

/** Identifies the question that an answer was given to. */
export const digestQuestion = (question: Question): Promise<string> => digestText(canonicalJson(question));

/** The prefix of a call's idempotency keys: a digest, so that services that get the keys do not learn the task id. */
export const stepStem = (taskId: string): Promise<string> => digestText(`step ${taskId}`);

/** Returns or throws the outcome of a step in an earlier run. */
async function replayStep<T>(record: StepRecord): Promise<T> {
  if (!('error' in record)) return record.value as T; // the step's own result
  const { name, message, isToolError } = record.error;
  throw isToolError ? new ToolError(message) : Object.assign(new Error(message), { name });
}

function failureOf(thrown: unknown): Extract<StepRecord, { error: unknown }>['error'] {
  const { name, message } = thrown instanceof Error ? thrown : { name: 'Error', message: String(thrown) };
  return { name, message, isToolError: thrown instanceof ToolError };
}

/** Whether the error or one of its causes is a suspension, since handlers may wrap what they catch. */
function isSuspension(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 16; error = error.cause, depth++) {
    if (error instanceof Suspension) return true;
  }
  return false;
}
