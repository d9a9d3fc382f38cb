/** The tasks of one server: which calls become tasks, and who answers about them. Loaded with the first use of tasks. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { StoredTask, TaskStore } from '../../model/task-record.ts';
import type { KnownCall } from '../../revisions/asks/replayed.ts';
import type { TaskForm } from '../../revisions/tasks/form.ts';
import { TaskForms } from '../../revisions/tasks/task-forms.ts';
import type { CallFacts, MethodContext, RequestFacts, TaskHandlers } from '../call.ts';
import type { PartCatalogue } from '../catalogue.ts';
import type { DefinedTool } from '../part.ts';
import type { ServerSettings } from '../settings.ts';
import { runAttached } from './attached-run.ts';
import { listenForTasks, type OpenStream } from './listen.ts';
import { memoryTasks } from './memory-store.ts';
import { TaskMethods } from './methods.ts';
import { ANYONE, ownerOf } from './owner.ts';
import { RandomIds } from './random-ids.ts';
import { TaskRecovery } from './recovery.ts';
import { TaskRunner } from './runner.ts';
import { readTaskSettings, readToolTask, type TaskSettings, type ToolTask } from './settings.ts';
import type { TaskCore } from './task-core.ts';
import type { ServerTaskOptions } from './task-options.ts';
import { openOutlet } from './task-outlet.ts';
import { TaskRecords } from './task-records.ts';
import { toTaskState } from './task-state.ts';

/** What a service of tasks is made from. */
export interface TaskServiceContext {
  readonly options: true | ServerTaskOptions;
  readonly settings: ServerSettings;
  readonly catalogue: PartCatalogue;
  readonly handlers: TaskHandlers;
}

export class TaskService {
  readonly core: TaskCore;
  readonly methods: TaskMethods;
  readonly #tasks: TaskSettings;
  readonly #recovery: TaskRecovery;
  readonly #ids: RandomIds = new RandomIds();

  constructor({ options: given, settings, catalogue, handlers }: TaskServiceContext) {
    const options = given === true ? {} : given;
    const store: TaskStore = options.store ?? memoryTasks();
    const tasks = readTaskSettings(options, settings.info.version);
    const records = new TaskRecords(store, settings.clock);
    const runner = new TaskRunner({ records, tasks, settings, catalogue, handlers });
    this.core = { records, runner, settings, catalogue, handlers, forms: new TaskForms() };
    this.methods = new TaskMethods(this.core);
    this.#tasks = tasks;
    this.#recovery = new TaskRecovery({ runner, records, tasks, settings, catalogue });
    this.#recovery.start(true);
  }

  /** Answers a call of a tool that may be a task, or whose caller asks for one. */
  call(part: DefinedTool, params: JsonObject, serving: MethodContext): Promise<JsonObject | undefined> {
    const form = this.core.forms.find(serving.revision);
    return form instanceof Promise
      ? form.then((loaded) => this.#answer(part, params, serving, loaded))
      : this.#answer(part, params, serving, form);
  }

  #answer(
    part: DefinedTool,
    params: JsonObject,
    serving: MethodContext,
    form: TaskForm | undefined,
  ): Promise<JsonObject | undefined> {
    const { facts } = serving;
    const wish = form === undefined || facts === undefined ? 'never' : form.wish(params, facts.caller);
    const { name } = part.definition;
    if (part.task === undefined) {
      if (form !== undefined && wish === 'now') throw form.unsupported(name);
      return PLAIN;
    }
    const tool = readToolTask(part);
    if (form === undefined || facts === undefined || wish === 'never') {
      if (!tool.required) return PLAIN;
      if (form !== undefined) throw form.needed(name);
      // A model can read this, and no revision of this caller has an error for it.
      const text = `Tool "${name}" runs as a task only, and this client does not support tasks`;
      return Promise.resolve({ content: [{ type: 'text', text }], isError: true });
    }
    const about = { tool, facts, form };
    const begins = wish === 'now' ? 'at once' : tool.begins;
    return begins === 'at once' ? this.#begin(params, about) : this.#attach(params, about, serving, begins);
  }

  /** A task at once: the answer is sent when the record can be found, and then its handler runs. */
  #begin(params: JsonObject, about: CallAbout): Promise<JsonObject> {
    const { runner, records } = this.core;
    const id = this.#ids.next();
    const isRunning = runner.reserve(id);
    return this.#create(id, NOTHING, params, about, isRunning).then(
      ({ task }) => {
        if (about.form.hasResultRequest) openOutlet(task, about.facts, this.core);
        if (task.lease !== undefined) runner.runNext(task);
        else records.wake(id);
        return toHandle(task, about);
      },
      (thrown: unknown) => {
        runner.release(id);
        throw thrown;
      },
    );
  }

  async #attach(
    params: JsonObject,
    about: CallAbout,
    serving: MethodContext,
    begins: Exclude<ToolTask['begins'], 'at once'>,
  ): Promise<JsonObject> {
    const answer = await runAttached(params, {
      runner: this.core.runner,
      handlers: this.core.handlers,
      facts: about.facts,
      serving,
      afterMs: typeof begins === 'object' ? begins.afterMs : undefined,
      make: (id, known) => this.#create(id, known, params, about, true),
    });
    return 'task' in answer ? toHandle(answer.task, about) : answer.result;
  }

  /** The record of a new task; of a round that is sent twice, the one that is there. */
  async #create(
    id: string,
    known: KnownCall,
    params: JsonObject,
    { tool, facts, form }: CallAbout,
    isRunning: boolean,
  ): Promise<{ readonly task: StoredTask; readonly isNew: boolean }> {
    const { runner, records } = this.core;
    const { store } = records;
    const { code, leaseMs, maxTtlMs, maxTasks, maxTasksPerCaller } = this.#tasks;
    const owned = ownerOf(facts);
    const owner = typeof owned === 'string' ? owned : await owned;
    // Callers that cannot be told apart share the limit of all.
    if ((await store.count()) >= maxTasks) throw tooMany(maxTasks, 'maxTasks');
    if (owner !== ANYONE && (await store.count(owner)) >= maxTasksPerCaller)
      throw tooMany(maxTasksPerCaller, 'maxTasksPerCaller');
    const { now } = runner;
    const asked = isObject(params['task']) ? params['task']['ttl'] : undefined;
    const ttlMs = typeof asked === 'number' && asked > 0 ? Math.min(asked, maxTtlMs) : tool.runMs + tool.keepMs;
    const until = now + leaseMs;
    // Every member is named, also where there is nothing to say: objects of one shape are copied in a fraction of the time.
    const task: StoredTask = {
      id,
      version: 1,
      owner,
      form: form.name,
      tool: String(params['name']),
      arguments: isObject(params['arguments']) ? params['arguments'] : {},
      caller: facts.caller,
      auth: facts.link.auth,
      code,
      resume: tool.resume,
      isSeen: false,
      status: 'working',
      message: undefined,
      progress: undefined,
      createdAt: now,
      updatedAt: now,
      ttlMs: Math.ceil(ttlMs),
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
    if (await store.create(task)) return { task, isNew: true };
    const there = await store.get(id);
    if (there === undefined) throw new RpcError(INTERNAL_ERROR, 'The task of this call has expired');
    return { task: there, isNew: false };
  }

  listen(facts: RequestFacts, open: OpenStream): Promise<JsonObject> {
    return listenForTasks(facts, this.methods, open);
  }

  /** Works for other processes until the signal aborts. */
  async work(signal: AbortSignal): Promise<void> {
    this.#recovery.start(false);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await this.close();
  }

  async close(): Promise<void> {
    this.#recovery.stop();
    await this.core.runner.close();
  }
}

const tooMany = (limit: number, setting: string): RpcError =>
  new RpcError(INTERNAL_ERROR, `Too many unfinished tasks: ${limit} (${setting})`);

/** An ordinary call. */
const PLAIN: Promise<undefined> = Promise.resolve(undefined);
const NONE: readonly never[] = Object.freeze([]);
const NOTHING: KnownCall = { answers: NONE, steps: NONE };

interface CallAbout {
  readonly tool: ToolTask;
  readonly facts: CallFacts;
  readonly form: TaskForm;
}

/** A handle has neither questions nor an outcome, even if there are some already. */
function toHandle(task: StoredTask, { form, facts }: CallAbout): JsonObject {
  const isPlain = task.outcome === undefined && task.status !== 'input_required';
  const shown: StoredTask = isPlain ? task : { ...task, outcome: undefined, status: 'working', questions: NONE };
  return form.created(toTaskState(shown, facts.revision));
}
