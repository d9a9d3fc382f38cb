/** Answers `tasks/get`, `tasks/update`, `tasks/cancel`, `tasks/list` and `tasks/result`. Checks the declaration, then params, then the lookup. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { Throttle } from '../../peer/throttle.ts';
import { answerFault } from '../../revisions/asks/question.ts';
import type { Question } from '../../revisions/contract.ts';
import type { TaskForm } from '../../revisions/tasks/form.ts';
import type { RequestDetails } from '../call.ts';
import { type NowOrLater, whenReady } from './now-or-later.ts';
import { ANYONE, canOpen, ownerOf } from './owner.ts';
import { relayResult } from './relay.ts';
import type { TaskRunner } from './runner.ts';
import type { TaskCore } from './task-core.ts';
import { toTaskState } from './task-state.ts';

/** Polls of one task per second that are always allowed. */
const MIN_POLLS = 10;
/** Clients that obey `pollMs` are never rejected: they can send twice as many polls per second. */
const POLLED_MS = 2_000;
/** Tasks whose polls are counted at once. Beyond that, the oldest is evicted. */
const MAX_COUNTED = 10_000;
const PAGE = 100;

type Answerer = (params: JsonObject, about: TaskRequest) => NowOrLater<JsonObject>;
interface TaskRequest {
  readonly details: RequestDetails;
  readonly form: TaskForm;
}

export class TaskMethods {
  readonly core: TaskCore;
  readonly runner: TaskRunner;
  readonly #polls: Map<string, Throttle> = new Map();
  readonly #answerers: ReadonlyMap<string, Answerer>;
  /** Questions that a stream is asking now: task id and wire key. */
  readonly relayed: Set<string> = new Set();

  constructor(core: TaskCore, runner: TaskRunner) {
    this.core = core;
    this.runner = runner;
    this.#answerers = new Map<string, Answerer>([
      ['tasks/get', (params, about) => this.#get(params, about)],
      ['tasks/update', (params, about) => this.#update(params, about)],
      ['tasks/cancel', (params, about) => this.#cancel(params, about)],
      ['tasks/list', (params, about) => this.#list(params, about)],
      [
        'tasks/result',
        async (params, about) => relayResult(await this.find(params['taskId'], about.details), this, about.details),
      ],
    ]);
  }

  answer(params: JsonObject, details: RequestDetails): NowOrLater<JsonObject> {
    return whenReady(this.core.forms.find(details.revision), (form) => {
      const answerer = this.#answerers.get(details.request.method);
      if (form === undefined || answerer === undefined) throw new RpcError(INTERNAL_ERROR, 'No tasks');
      form.requireDeclaration(details.caller);
      return answerer(params, { details, form });
    });
  }

  /** Finds a task of this caller. An expired task, and a task of another caller, are reported like one that never existed. */
  find(taskId: unknown, details: RequestDetails): NowOrLater<StoredTask> {
    if (typeof taskId !== 'string') throw new RpcError(INVALID_PARAMS, '"params.taskId" must be a string');
    const { runner } = this;
    const { records, catalogue, handlers } = this.core;
    return whenReady(records.store.get(taskId), (task) =>
      whenReady(ownerOf(details), (owner) => {
        const isHere = task !== undefined && canOpen(task, owner) && !hasExpired(task, runner.now);
        if (!isHere) throw new RpcError(INVALID_PARAMS, 'Unknown task');
        handlers.requireScopes(catalogue.tools.get(task.tool)?.scopes ?? [], details.link.auth);
        return runner.see(task, details.link.auth);
      }),
    );
  }

  #get({ taskId }: JsonObject, { details, form }: TaskRequest): NowOrLater<JsonObject> {
    return whenReady(this.find(taskId, details), (task) => {
      this.#countPoll(task);
      return form.encodeState(toTaskState(task, details.revision));
    });
  }

  #countPoll({ id, pollMs }: StoredTask): void {
    const limit = Math.max(MIN_POLLS, Math.ceil(POLLED_MS / Math.max(1, pollMs)));
    const polls = this.#polls.get(id) ?? this.#addPolls(id, limit);
    if (polls.allows()) return;
    throw new RpcError(INTERNAL_ERROR, `Polled more than ${limit} times a second`);
  }

  #addPolls(id: string, limit: number): Throttle {
    const polls = new Throttle(limit, this.core.settings.clock);
    setNewest(this.#polls, id, polls, MAX_COUNTED);
    return polls;
  }

  /** Stores the answers before it acknowledges them: the next `tasks/get` must not show the questions. */
  async #update({ taskId, inputResponses }: JsonObject, { details }: TaskRequest): Promise<JsonObject> {
    if (!isObject(inputResponses)) throw new RpcError(INVALID_PARAMS, '"params.inputResponses" must be an object');
    const task = await this.find(taskId, details);
    const answers: Record<string, JsonObject> = Object.create(null);
    for (const [wire, { method }] of task.questions) {
      if (!Object.hasOwn(inputResponses, wire)) continue;
      const answer = inputResponses[wire];
      const fault = answerFault(method as Question['method'], answer); // a handler asked it as a Question
      // The question stays open: an invalid answer would fail the task if the handler got it.
      if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `"params.inputResponses.${wire}" ${fault}`);
      answers[wire] = answer as JsonObject; // answerFault found an object
    }
    await this.runner.answer(task.id, answers);
    return {};
  }

  async #cancel({ taskId }: JsonObject, { details, form }: TaskRequest): Promise<JsonObject> {
    const task = await this.find(taskId, details);
    const ended = await this.runner.cancel(task);
    return form.encodeCancelled(toTaskState(ended ?? task, details.revision), ended === undefined);
  }

  async #list({ cursor }: JsonObject, { details, form }: TaskRequest): Promise<JsonObject> {
    const { runner } = this;
    const { records, settings } = this.core;
    const owner = await ownerOf(details);
    // Callers that cannot be distinguished get no list: each must know its ids.
    if (owner === ANYONE) return { tasks: [] };
    const { auth } = details.link;
    if (cursor !== undefined) {
      const after = typeof cursor === 'string' ? await records.store.get(cursor) : undefined;
      if (after?.owner !== owner) throw new RpcError(INVALID_PARAMS, 'Unknown cursor');
    }
    const limit = Math.min(PAGE, settings.pageSize);
    const found = await records.store.list(owner, cursor as string | undefined, limit); // its type was checked above
    const tasks = await Promise.all(
      found.filter((task) => !hasExpired(task, runner.now)).map(async (task) => runner.see(task, auth)),
    );
    const last = found.length === limit ? found.at(-1) : undefined;
    return {
      tasks: tasks.map((task) => form.encodeState(toTaskState(task, details.revision))),
      ...(last === undefined ? {} : { nextCursor: last.id }),
    };
  }
}

const hasExpired = ({ createdAt, ttlMs, outcome }: StoredTask, now: number): boolean =>
  outcome !== undefined && ttlMs !== null && createdAt + ttlMs <= now;
