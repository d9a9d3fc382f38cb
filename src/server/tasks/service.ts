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
  async call(part: DefinedTool, params: JsonObject, serving: MethodContext): Promise<JsonObject | undefined> {
    const { facts, revision } = serving;
    const found = this.core.forms.find(revision);
    const form = found instanceof Promise ? await found : found;
    const wish = form === undefined || facts === undefined ? 'never' : form.wish(params, facts.caller);
    const { name } = part.definition;
    if (part.task === undefined) {
      if (form !== undefined && wish === 'now') throw form.unsupported(name);
      return undefined;
    }
    const tool = readToolTask(part);
    if (form === undefined || facts === undefined || wish === 'never') {
      if (!tool.required) return undefined;
      if (form !== undefined) throw form.needed(name);
      // A model can read this, and no revision of this caller has an error for it.
      const text = `Tool "${name}" runs as a task only, and this client does not support tasks`;
      return { content: [{ type: 'text', text }], isError: true };
    }
    const begins = wish === 'now' ? 'at once' : tool.begins;
    const about = { tool, facts, form };
    const answer =
      begins === 'at once'
        ? { task: await this.#begin(params, about) }
        : await this.#attach(params, { ...about, serving });
    return 'task' in answer ? form.created(toTaskState(withoutDetails(answer.task), revision)) : answer.result;
  }

  /** A task at once: the answer is sent when the record can be found, and then its handler runs. */
  async #begin(params: JsonObject, about: CallAbout): Promise<StoredTask> {
    const { runner, records } = this.core;
    const id = this.#ids.next();
    const isRunning = runner.reserve(id);
    try {
      const { task } = await this.#create(id, NOTHING, params, about, isRunning);
      if (about.form.hasResultRequest) openOutlet(task, about.facts, this.core);
      if (task.lease !== undefined) void runner.runNext(task);
      else records.wake(id);
      return task;
    } catch (thrown) {
      runner.release(id);
      throw thrown;
    }
  }

  #attach(params: JsonObject, about: CallAbout & { readonly serving: MethodContext }): ReturnType<typeof runAttached> {
    const { tool, facts, serving } = about;
    return runAttached(params, {
      runner: this.core.runner,
      handlers: this.core.handlers,
      facts,
      serving,
      afterMs: typeof tool.begins === 'object' ? tool.begins.afterMs : undefined,
      make: (id, known) => this.#create(id, known, params, about, true),
    });
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
    const { code, leaseMs, maxTtlMs } = this.#tasks;
    const owned = ownerOf(facts);
    const owner = typeof owned === 'string' ? owned : await owned;
    await this.#requireRoom(owner);
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
      asked: known.answers.map(([key, , digest]) => [key, { wire: key, digest, code }]),
      questions: [],
      answers: known.answers.map(([key, answer]) => [key, answer]),
      begun: [],
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

  /** Callers that cannot be told apart share the limit of all. */
  async #requireRoom(owner: string): Promise<void> {
    const { store } = this.core.records;
    const { maxTasks, maxTasksPerCaller } = this.#tasks;
    const tooMany = (limit: number, setting: string): RpcError =>
      new RpcError(INTERNAL_ERROR, `Too many unfinished tasks: ${limit} (${setting})`);
    if ((await store.count()) >= maxTasks) throw tooMany(maxTasks, 'maxTasks');
    if (owner !== ANYONE && (await store.count(owner)) >= maxTasksPerCaller) {
      throw tooMany(maxTasksPerCaller, 'maxTasksPerCaller');
    }
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

const NOTHING: KnownCall = { answers: [], steps: [] };

interface CallAbout {
  readonly tool: ToolTask;
  readonly facts: CallFacts;
  readonly form: TaskForm;
}

/** A handle has neither questions nor an outcome, even if there are some already. */
function withoutDetails(task: StoredTask): StoredTask {
  if (task.outcome === undefined && task.status !== 'input_required') return task;
  const { outcome: _, ...rest } = task;
  return { ...rest, status: 'working', questions: [] };
}
