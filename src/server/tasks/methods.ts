/** `tasks/get`, `tasks/update`, `tasks/cancel` and `tasks/list`. The order of refusals: declaration, params, lookup. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { StoredTask } from '../../model/task-record.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { Throttle } from '../../peer/throttle.ts';
import { answerFault } from '../../revisions/asks/question.ts';
import type { Question } from '../../revisions/contract.ts';
import type { TaskForm } from '../../revisions/tasks/form.ts';
import type { RequestFacts } from '../call.ts';
import { type NowOrLater, whenReady } from './now-or-later.ts';
import { ANYONE, canOpen, ownerOf } from './owner.ts';
import { relayResult } from './relay.ts';
import type { TaskRunner } from './runner.ts';
import type { TaskCore } from './task-core.ts';
import { toTaskState } from './task-state.ts';

/** Polls of one task in a second that are always allowed. */
const MIN_POLLS = 10;
/** Clients that obey `pollMs` are never rejected: in one second they may send what they were told to send in two. */
const POLLED_MS = 2_000;
/** Tasks whose polls are counted at once. */
const MAX_COUNTED = 10_000;
const PAGE = 100;

type Answerer = (params: JsonObject, about: About) => NowOrLater<JsonObject>;
interface About {
  readonly facts: RequestFacts;
  readonly form: TaskForm;
}

export class TaskMethods {
  readonly core: TaskCore;
  readonly runner: TaskRunner;
  readonly #polls: Map<string, Throttle> = new Map();
  readonly #answerers: ReadonlyMap<string, Answerer>;
  /** Questions that a stream is asking now. */
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
        async (params, about) => relayResult(await this.find(params['taskId'], about.facts), this, about.facts),
      ],
    ]);
  }

  answer(method: string, params: JsonObject, facts: RequestFacts): NowOrLater<JsonObject> {
    return whenReady(this.core.forms.find(facts.revision), (form) => this.#answer(method, params, facts, form));
  }

  #answer(method: string, params: JsonObject, facts: RequestFacts, form: TaskForm | undefined): NowOrLater<JsonObject> {
    const answerer = this.#answerers.get(method);
    if (form === undefined || answerer === undefined) throw new RpcError(INTERNAL_ERROR, 'No tasks');
    form.requireDeclaration(facts.caller);
    return answerer(params, { facts, form });
  }

  /** The task of this caller. One that has expired, or is another caller's, reads like one that never was. */
  find(taskId: unknown, facts: RequestFacts): NowOrLater<StoredTask> {
    if (typeof taskId !== 'string') throw new RpcError(INVALID_PARAMS, '"params.taskId" must be a string');
    const { runner } = this;
    const { records, catalogue, handlers } = this.core;
    return whenReady(records.store.get(taskId), (task) =>
      whenReady(ownerOf(facts), (owner) => {
        const isHere = task !== undefined && canOpen(task, owner) && !hasExpired(task, runner.now);
        if (!isHere) throw new RpcError(INVALID_PARAMS, 'Unknown task');
        handlers.requireScopes(catalogue.tools.get(task.tool)?.scopes ?? [], facts.link.auth);
        return runner.see(task, facts.link.auth);
      }),
    );
  }

  #get({ taskId }: JsonObject, { facts, form }: About): NowOrLater<JsonObject> {
    return whenReady(this.find(taskId, facts), (task) => {
      this.#countPoll(task);
      return form.got(toTaskState(task, facts.revision));
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

  /** Answers are written before they are acknowledged: the next `tasks/get` must not show the question. */
  async #update({ taskId, inputResponses }: JsonObject, { facts }: About): Promise<JsonObject> {
    if (!isObject(inputResponses)) throw new RpcError(INVALID_PARAMS, '"params.inputResponses" must be an object');
    const task = await this.find(taskId, facts);
    const answers: Record<string, JsonObject> = Object.create(null);
    for (const [wire, { method }] of task.questions) {
      if (!Object.hasOwn(inputResponses, wire)) continue;
      const answer = inputResponses[wire];
      const fault = answerFault(method as Question['method'], answer); // a handler asked it
      // The question stays open: handed to the handler, this would fail the task.
      if (fault !== undefined) throw new RpcError(INVALID_PARAMS, `"params.inputResponses.${wire}" ${fault}`);
      answers[wire] = answer as JsonObject; // answerFault found an object
    }
    await this.runner.answer(task.id, answers);
    return {};
  }

  async #cancel({ taskId }: JsonObject, { facts, form }: About): Promise<JsonObject> {
    const task = await this.find(taskId, facts);
    const ended = await this.runner.cancel(task);
    return form.cancelled(toTaskState(ended ?? task, facts.revision), ended === undefined);
  }

  async #list({ cursor }: JsonObject, { facts, form }: About): Promise<JsonObject> {
    const { runner } = this;
    const { records, settings } = this.core;
    const owner = await ownerOf(facts);
    // Callers that cannot be told apart have no list: they need the ids.
    if (owner === ANYONE) return { tasks: [] };
    const { auth } = facts.link;
    if (cursor !== undefined) {
      const after = typeof cursor === 'string' ? await records.store.get(cursor) : undefined;
      if (after?.owner !== owner) throw new RpcError(INVALID_PARAMS, 'Unknown cursor');
    }
    const limit = Math.min(PAGE, settings.pageSize);
    const found = await records.store.list(owner, cursor as string | undefined, limit); // just seen
    const tasks = await Promise.all(
      found.filter((task) => !hasExpired(task, runner.now)).map(async (task) => runner.see(task, auth)),
    );
    const last = found.length === limit ? found.at(-1) : undefined;
    return {
      tasks: tasks.map((task) => form.got(toTaskState(task, facts.revision))),
      ...(last === undefined ? {} : { nextCursor: last.id }),
    };
  }
}

const hasExpired = ({ createdAt, ttlMs, outcome }: StoredTask, now: number): boolean =>
  outcome !== undefined && ttlMs !== null && createdAt + ttlMs <= now;
