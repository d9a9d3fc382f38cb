/**
 * One run of a handler that may have run before. Answers and steps are found by their keys; the first questions without an answer
 * suspend the handler.
 */
import { McpError, RpcError, ToolError } from '../../errors.ts';
import { INTERNAL_ERROR, type JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson, digestText } from '../../model/canonical.ts';
import type { StepRecord } from '../../model/task-record.ts';
import { nextTurn } from '../../peer/runtime.ts';
import type { ClientRequests, OnceOptions, OnceStep, Question } from '../contract.ts';
import { runStep } from './question.ts';

/** Unwinds a handler that waits for an answer. Never reaches a caller. */
class Suspension extends Error {
  override readonly name = 'Suspension';
}

export interface HandlerRun {
  /** What runs, for error texts. */
  readonly what: string;
  /** Grows with every run. */
  readonly fence: number;
  readonly signal: AbortSignal;
  warn(warning: string): void;
}

/** Where answers and steps are kept: in a sealed state, or in the record of a task. */
export interface CallMemory {
  /** The answer to this very question, if there is one. Rejects where it cannot be asked. */
  recall(key: string, question: Question, digest: string): Promise<JsonObject | undefined>;
  /** What the idempotency keys of the steps begin with. */
  stem(): Promise<string>;
  /** Before a step runs; throws if it must not. */
  beginStep(key: string, again: boolean): Promise<void> | void;
  /** The step has ended: keeps what came of it. */
  keepStep(key: string, record: StepRecord): Promise<void> | void;
  /** The interim result, when all open questions are known. */
  suspend(what: string, run: ReplayedCall): Promise<JsonObject>;
}

export class ReplayedCall<M extends CallMemory = CallMemory> implements ClientRequests {
  readonly memory: M;
  readonly #run: HandlerRun;
  /** Results of steps: those of the runs before, and of this one. */
  readonly steps: Map<string, StepRecord>;
  /** Questions that this run has no answer to. */
  readonly open: Map<string, Question> = new Map();
  readonly #unused: Set<string>;
  readonly #running: Map<string, Promise<unknown>> = new Map();
  readonly #texts: Map<string, string> = new Map();
  #gathered: Promise<void> | undefined;
  /** Questions that are being compared with the one that was answered. */
  #comparing = 0;
  #over = false;

  constructor(memory: M, run: HandlerRun, steps: Iterable<readonly [string, StepRecord]>) {
    this.memory = memory;
    this.#run = run;
    this.steps = new Map(steps);
    this.#unused = new Set(this.steps.keys());
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

  /** An answer belongs to the question it was given to: another question under the same key is asked. */
  async #find(key: string, question: Question, text: string): Promise<JsonObject> {
    this.#comparing++;
    let known: JsonObject | undefined;
    try {
      known = await this.memory.recall(key, question, await digestText(text));
    } finally {
      this.#comparing--;
    }
    return known ?? this.#suspend(key, question);
  }

  #suspend(key: string, question: Question): Promise<JsonObject> {
    this.open.set(key, question);
    this.#gathered ??= this.#gather();
    return new Promise((_resolve, reject) => {
      void this.#gathered?.then(() => {
        // After the handler is done, nothing awaits this: an unhandled rejection would end the process.
        if (!this.#over) reject(new Suspension(`Waiting for the answer to "${key}"`));
      });
    });
  }

  /** Everything asked in the same turn shares a round, and so does what follows from answers that are known. */
  async #gather(): Promise<void> {
    do await nextTurn();
    while (this.#comparing > 0);
  }

  /** Most clients come back when a visit is over, so they need no notification. */
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
      // A handler that catches it goes another way from here, and must go the same way when it is replayed.
      await this.keep(key, { error: failureOf(thrown) });
      throw thrown;
    }
  }

  /** Keeps what a step came to, in this run or in one that this run goes on with. */
  async keep(key: string, record: StepRecord): Promise<void> {
    this.steps.set(key, record);
    await this.memory.keepStep(key, record);
  }

  /** Goes on with what another run of the same call has begun. */
  takeOver(other: ReplayedCall): void {
    for (const [key, step] of other.#running) this.#running.set(key, step);
    for (const [key, text] of other.#texts) this.#texts.set(key, text);
  }

  /** Asks what another run of the same call has asked already. */
  async takeOverQuestions(other: ReplayedCall): Promise<void> {
    for (const [key, question] of other.open) {
      const known = await this.memory.recall(key, question, await digestQuestion(question));
      if (known === undefined) this.open.set(key, question);
    }
  }

  /** Resolves when no step runs any more: a replay that began earlier would run it a second time. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }

  async outcome(what: string, thrown?: unknown): Promise<JsonObject | undefined> {
    this.#over = true;
    // A question that the handler did not await may not be open yet.
    if (this.#comparing > 0) await this.#gather();
    if (this.open.size === 0) {
      for (const key of thrown === undefined ? this.#unused : []) {
        this.#run.warn(`${what} ended without the step "${key}" that an earlier run made: is its key always the same?`);
      }
      return undefined;
    }
    const [first = ''] = this.open.keys();
    if (thrown === undefined) throw new McpError('MCP_SUSPENSION_SWALLOWED', { what, key: first });
    // The handler failed for a reason of its own while a question was open: the failure is the outcome.
    if (!isSuspension(thrown)) return undefined;
    await this.#gathered;
    return this.memory.suspend(what, this);
  }
}

/** By which an answer knows its question. */
export const digestQuestion = (question: Question): Promise<string> => digestText(canonicalJson(question));

/** What the idempotency keys of a call begin with. Services get them, and must not learn the id of a task from them. */
export const stepStem = (taskId: string): Promise<string> => digestText(`step ${taskId}`);

/** What a step came to in an earlier run. */
async function replayStep<T>(record: StepRecord): Promise<T> {
  if (!('error' in record)) return record.value as T; // what it gave
  const { name, message, isToolError } = record.error;
  throw isToolError ? new ToolError(message) : Object.assign(new Error(message), { name });
}

function failureOf(thrown: unknown): Extract<StepRecord, { error: unknown }>['error'] {
  const { name, message } = thrown instanceof Error ? thrown : { name: 'Error', message: String(thrown) };
  return { name, message, isToolError: thrown instanceof ToolError };
}

/** Handlers may wrap what they catch; the suspension is then somewhere among the causes. */
function isSuspension(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 16; error = error.cause, depth++) {
    if (error instanceof Suspension) return true;
  }
  return false;
}
