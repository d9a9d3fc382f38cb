/**
 * Runs a call that can become a task while it runs. Until then, its questions are rounds of the call. Each round runs the handler from
 * the top, so this run has seen all answers and steps when it detaches: they become the task's record, and the same run continues.
 */
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { Abort } from '../../peer/abort.ts';
import { linkWith, whenAborted } from '../../peer/exchange.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { Deferred } from '../../peer/wait.ts';
import type { ReplayedCall } from '../../revisions/asks/replay.ts';
import type { KnownCall, RoundMemory } from '../../revisions/asks/replayed.ts';
import type { ClientRequests, OnceOptions, OnceStep, Question } from '../../revisions/contract.ts';
import type { CallDetails, HandlerCall, TaskHandlers } from '../call.ts';
import type { TaskRunner } from './runner.ts';
import { TaskLost, type TaskRun } from './task-run.ts';

/** Creates the task's record from the call's answers and steps. `isNew` is false if another run of the same call created it before. */
type MakeTask = (taskId: string, known: KnownCall) => Promise<{ readonly task: StoredTask; readonly isNew: boolean }>;

class AttachedRun implements ClientRequests {
  /** Resolves when the record is stored. */
  readonly handle: Deferred<StoredTask> = new Deferred();
  run: TaskRun | undefined;
  detaching: Promise<void> | undefined;
  /** The call has its response, which is no task. */
  hasEnded = false;
  readonly abort: Abort = new Abort();
  readonly #rounds: ReplayedCall<RoundMemory>;
  readonly #make: MakeTask;
  readonly #runner: TaskRunner;

  constructor(rounds: ReplayedCall<RoundMemory>, runner: TaskRunner, make: MakeTask) {
    this.#rounds = rounds;
    this.#runner = runner;
    this.#make = make;
  }

  /** Called by the handler, or by a timer. Resolves after the handle was sent, so that no message of the work precedes it. */
  detach(): Promise<void> {
    this.detaching ??= this.#detach();
    return this.detaching;
  }

  async #detach(): Promise<void> {
    // A record of a call that has its response, or whose caller has gone, would stay unfinished.
    if (this.hasEnded) return;
    if (this.abort.aborted) throw this.abort.reason;
    const taskId = await this.#rounds.memory.taskId;
    const tracked = new Deferred<TaskRun | undefined>();
    // Steps that finish while the record is being written are added to it afterwards.
    const { memory, steps } = this.#rounds;
    memory.handOver(async (key, record) => (await tracked.promise)?.questions.keep(key, record));
    const known = { answers: memory.answers, steps: [...steps] };
    try {
      const { task, isNew } = await this.#make(taskId, known);
      if (isNew) {
        this.run = this.#runner.track(task, this.abort);
        this.run.questions.takeOver(this.#rounds);
      } else this.abort.abort(new TaskLost('The same round was sent before, and has become a task'));
      tracked.resolve(this.run);
      this.handle.resolve(task);
    } catch (thrown) {
      tracked.resolve(undefined);
      this.detaching = undefined;
      throw thrown;
    }
    await nextTurn();
    if (this.abort.aborted) throw this.abort.reason;
  }

  ask(key: string, question: Question): Promise<JsonObject> {
    return (this.run?.questions ?? this.#rounds).ask(key, question);
  }

  completeVisit(): void {}

  once<T>(key: string, step: OnceStep<T>, options?: OnceOptions): Promise<T> {
    return (this.run?.questions ?? this.#rounds).once(key, step, options);
  }

  async outcome(what: string, thrown?: unknown): Promise<JsonObject | undefined> {
    await this.detaching?.catch(() => undefined);
    const { run } = this;
    if (run === undefined) return this.#rounds.outcome(what, thrown);
    await run.questions.takeOverQuestions(this.#rounds);
    return run.questions.outcome(what, thrown);
  }
}

export interface AttachContext {
  readonly runner: TaskRunner;
  readonly handlers: TaskHandlers;
  readonly details: CallDetails;
  readonly call: HandlerCall;
  readonly afterMs: number | undefined;
  readonly make: MakeTask;
}

/** Runs an ordinary call that may become a task. Resolves with its result, or with the task that it has become. */
export async function runAttached({
  runner,
  handlers,
  details,
  call,
  afterMs,
  make,
}: AttachContext): Promise<{ readonly result: JsonObject } | { readonly task: StoredTask }> {
  const rounds = (await call.resume()).asking as ReplayedCall<RoundMemory>; // revisions in which servers decide about tasks ask by replay
  const attached = new AttachedRun(rounds, runner, make);
  const { abort } = attached;
  // A disconnect cancels the call. If the call is becoming a task, only the response is lost, unless the task cannot be created.
  whenAborted(details.link, (reason) => {
    if (attached.detaching === undefined) abort.abort(reason);
    else void attached.detaching.catch(() => abort.abort(reason));
  });
  const params = details.request.params ?? {};
  const meta = (params['_meta'] ?? {}) as JsonObject; // requestMetaFault checked it
  const token = meta['progressToken'];
  const request = { ...details.request, params: { ...params, _meta: { ...meta, progressToken: token ?? 0 } } };
  const link = linkWith(details.link, {
    signal: abort.signal,
    notify(notification) {
      if (attached.run !== undefined) attached.run.recordProgress(notification);
      else if (token !== undefined || notification.params?.['progressToken'] === undefined)
        details.link.notify(notification);
    },
  });
  const task = {
    get id() {
      return attached.run?.task.id;
    },
    detach: () => attached.detach(),
  };
  const stopTimer =
    afterMs === undefined
      ? undefined
      : details.settings.clock.after(afterMs, () => void attached.detach().catch(() => undefined));
  const own = { ...details, request, link, asking: async () => attached, task, tasks: undefined };
  const response = handlers.runTool(own).finally(() => stopTimer?.());
  // The handler can end while the record is being written: then the task has its outcome.
  const ended = response.then(noop, noop).then(() => attached.detaching?.catch(noop));
  const handle = await Promise.race([attached.handle.promise, ended.then(noop)]);
  const { run } = attached;
  if (handle === undefined) {
    attached.hasEnded = true;
    return { result: await response };
  }
  if (run !== undefined) void runner.follow(run, response);
  // Another run of the same call has the task, so the outcome of this run is ignored.
  else response.catch(noop);
  return { task: handle };
}

const noop = (): undefined => undefined;
