/** The task service of one server: decides which calls become tasks, and creates them. Loaded with the first use of tasks. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { waitForAbort } from '../../peer/wait.ts';
import type { KnownCall } from '../../revisions/asks/replayed.ts';
import type { TaskForm } from '../../revisions/tasks/form.ts';
import { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { CallDetails, HandlerCall, RequestDetails, TaskHandlers } from '../call.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { DefinedTool } from '../part.ts';
import type { ServerSettings } from '../settings.ts';
import { runAttached } from './attached-run.ts';
import { copyJson } from './copy-json.ts';
import { NONE } from './copy-task.ts';
import { limitError } from './limit-error.ts';
import { listenForTasks, type OpenStream } from './listen.ts';
import { memoryTasks } from './memory-store.ts';
import { TaskMethods } from './methods.ts';
import { type NowOrLater, whenReady } from './now-or-later.ts';
import { ANYONE, ownerOf } from './owner.ts';
import { RandomIds } from './random-ids.ts';
import { TaskRecovery } from './recovery.ts';
import { TaskRunner } from './runner.ts';
import { readTaskSettings, readToolTask, type ToolTask } from './settings.ts';
import type { TaskCore } from './task-core.ts';
import type { ServerTaskOptions } from './task-options.ts';
import { openOutlet } from './task-outlet.ts';
import { TaskRecords } from './task-records.ts';
import { toTaskState } from './task-state.ts';

/** Dependencies of the task service. */
export interface TaskServiceContext {
  readonly options: true | ServerTaskOptions;
  readonly settings: ServerSettings;
  readonly catalogue: PartCatalogue;
  readonly handlers: TaskHandlers;
}

export class TaskService {
  readonly methods: TaskMethods;
  readonly #core: TaskCore;
  readonly #runner: TaskRunner;
  readonly #recovery: TaskRecovery;
  readonly #ids: RandomIds = new RandomIds();

  constructor({ options: given, settings, catalogue, handlers }: TaskServiceContext) {
    const options = given === true ? {} : given;
    const tasks = readTaskSettings(options, settings.info.version);
    const records = new TaskRecords(options.store ?? memoryTasks(), settings.clock, tasks.maxBytes);
    const forms = new TaskForms();
    this.#core = { records, forms, tasks, settings, catalogue, handlers, outlets: new Map() };
    this.#runner = new TaskRunner(this.#core);
    this.methods = new TaskMethods(this.#core, this.#runner);
    this.#recovery = new TaskRecovery(this.#core, this.#runner);
    this.#recovery.start(true);
  }

  /** Answers a call of a tool that can run as a task, or whose caller requests one. Undefined if it is an ordinary call. */
  call(part: DefinedTool, details: CallDetails, call: HandlerCall): NowOrLater<JsonObject | undefined> {
    return whenReady(this.#core.forms.find(details.revision), (form) => this.#answer(part, details, call, form));
  }

  #answer(
    part: DefinedTool,
    details: CallDetails,
    call: HandlerCall,
    form: TaskForm | undefined,
  ): NowOrLater<JsonObject | undefined> {
    const wish = form?.choiceOf(details.request.params ?? {}, details.caller) ?? 'never';
    const { name } = part.definition;
    if (part.task === undefined) {
      if (form !== undefined && wish === 'now') throw form.tasksUnsupportedError(name);
      return undefined;
    }
    const tool = readToolTask(part);
    if (form === undefined || wish === 'never') {
      if (!tool.required) return undefined;
      if (form !== undefined) throw form.taskRequiredError(name);
      // A result that the model can read, because the caller's revision has no error for this.
      const text = `Tool "${name}" runs as a task only, and this client does not support tasks`;
      return { content: [{ type: 'text', text }], isError: true };
    }
    const about = { tool, details, form };
    const begins = wish === 'now' ? 'at once' : tool.begins;
    return begins === 'at once' ? this.#begin(about) : this.#attach(about, call, begins);
  }

  /** Begins a task at once: responds when the record is stored, and then runs the handler. */
  #begin(about: TaskCandidate): NowOrLater<JsonObject> {
    const runner = this.#runner;
    const id = this.#ids.next();
    const isRunning = runner.reserve(id);
    const fail = (thrown: unknown): never => {
      runner.release(id);
      throw thrown;
    };
    try {
      const created = this.#create(id, NOTHING, about, isRunning);
      return created instanceof Promise
        ? created.then((made) => this.#start(made, about), fail)
        : this.#start(created, about);
    } catch (thrown) {
      return fail(thrown);
    }
  }

  #start({ task }: CreatedTask, about: TaskCandidate): JsonObject {
    if (about.form.hasResultRequest) openOutlet(task, about.details, this.#core);
    if (task.lease !== undefined) this.#runner.runNext(task);
    else this.#core.records.wake(task.id);
    return toHandle(task, about);
  }

  async #attach(
    about: TaskCandidate,
    call: HandlerCall,
    begins: Exclude<ToolTask['begins'], 'at once'>,
  ): Promise<JsonObject> {
    const { details } = about;
    const answer = await runAttached({
      runner: this.#runner,
      handlers: this.#core.handlers,
      details,
      call,
      afterMs: typeof begins === 'object' ? begins.afterMs : undefined,
      // Copies, because the running handler has all of these objects and can mutate them.
      make: async (id, known) => {
        const copied = { ...details, request: copyJson(details.request) };
        return this.#create(id, copyJson(known), { ...about, details: copied }, true);
      },
    });
    return 'task' in answer ? toHandle(answer.task, about) : answer.result;
  }

  /** Creates the record of a task. If the same round was sent before, returns the existing record. */
  #create(id: string, known: KnownCall, about: TaskCandidate, isRunning: boolean): NowOrLater<CreatedTask> {
    const {
      records,
      tasks: { maxTasks, maxTasksPerCaller, maxBytes },
    } = this.#core;
    return whenReady(ownerOf(about.details), (owner) => {
      const task = this.#newRecord(id, owner, known, about, isRunning);
      // Callers that cannot be distinguished have only the total limit.
      const limits = owner === ANYONE ? { maxTasks, maxBytes } : { maxTasks, maxTasksPerCaller, maxBytes };
      return whenReady(records.store.create(task, limits), (created) => {
        if (typeof created === 'string') throw limitError(created, limits[created]);
        return created ? { task, isNew: true } : this.#findCreated(id);
      });
    });
  }

  async #findCreated(id: string): Promise<CreatedTask> {
    const task = await this.#core.records.store.get(id);
    if (task === undefined) throw new RpcError(INTERNAL_ERROR, 'The task of this call has expired');
    return { task, isNew: false };
  }

  #newRecord(
    id: string,
    owner: string,
    known: KnownCall,
    { tool, details, form }: TaskCandidate,
    isRunning: boolean,
  ): StoredTask {
    const runner = this.#runner;
    const params = details.request.params ?? {};
    const { code, leaseMs, maxTtlMs } = this.#core.tasks;
    const { now } = runner;
    const asked = isObject(params['task']) ? params['task']['ttl'] : undefined;
    const wanted = typeof asked === 'number' && asked > 0 ? Math.min(asked, maxTtlMs) : tool.runMs + tool.keepMs;
    const ttlMs = Math.max(1, Math.ceil(wanted));
    const until = now + leaseMs;
    // Sets all members, even undefined ones: objects of one shape (hidden class) are copied in a fraction of the time.
    return {
      id,
      version: 1,
      owner,
      form: form.name,
      tool: String(params['name']),
      arguments: isObject(params['arguments']) ? params['arguments'] : {},
      caller: details.caller,
      auth: details.link.auth,
      code,
      resume: tool.resume,
      isSeen: false,
      status: 'working',
      message: undefined,
      progress: undefined,
      createdAt: now,
      updatedAt: now,
      ttlMs,
      pollMs: tool.pollMs,
      endsAt: now + Math.min(tool.runMs, ttlMs),
      dueAt: isRunning ? until : now,
      asked: known === NOTHING ? NONE : known.answers.map(([key, , digest]) => [key, { wire: key, digest, code }]),
      questions: NONE,
      answers: known === NOTHING ? NONE : known.answers.map(([key, answer]) => [key, answer]),
      begun: NONE,
      steps: known.steps,
      outcome: undefined,
      lease: isRunning ? { by: runner.by, until } : undefined,
      runs: isRunning ? 1 : 0,
      interruptions: 0,
    };
  }

  listen(details: RequestDetails, open: OpenStream): Promise<JsonObject> {
    return listenForTasks(details, this.methods, open);
  }

  /** Runs tasks of other processes until the signal aborts. */
  async work(signal: AbortSignal): Promise<void> {
    this.#recovery.start(false);
    await waitForAbort(signal);
    await this.close();
  }

  async close(): Promise<void> {
    this.#recovery.stop();
    await this.#runner.close();
  }
}

const NOTHING: KnownCall = { answers: NONE, steps: NONE };

interface CreatedTask {
  readonly task: StoredTask;
  readonly isNew: boolean;
}

/** A call that becomes a task, or can become one. */
interface TaskCandidate {
  readonly tool: ToolTask;
  readonly details: CallDetails;
  readonly form: TaskForm;
}

/** The response that gives the caller its handle. Omits questions and outcome, even if the task has them already. */
function toHandle(task: StoredTask, { form, details }: TaskCandidate): JsonObject {
  const isPlain = task.outcome === undefined && task.status !== 'input_required';
  const shown: StoredTask = isPlain ? task : { ...task, outcome: undefined, status: 'working', questions: NONE };
  return form.encodeCreated(toTaskState(shown, details.revision));
}
