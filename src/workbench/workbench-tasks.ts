/** Tasks as pages show them: those that this session follows, and stored tickets that can be attached. */
import { toWireResult } from '../host/apps/view-acts.ts';
import type { HostTask, HostTicket } from '../host/index.ts';
import { setNewest } from '../peer/set-newest.ts';
import type { PageActs } from './page-acts.ts';
import type { TaskInfo } from './protocol-rows.ts';
import { callValue, findTool } from './tool-calls.ts';
import type { WorkbenchCore } from './workbench-core.ts';
import type { WorkbenchServers } from './workbench-servers.ts';

/** States per task; the oldest are removed. */
const MAX_STATES = 200;
/** Followed tasks; the oldest are removed. */
const MAX_TASKS = 500;

interface TaskEntry {
  info: TaskInfo;
  readonly task: HostTask;
  readonly control: AbortController;
}

export class WorkbenchTasks {
  readonly #bench: WorkbenchCore;
  readonly #servers: WorkbenchServers;
  readonly #acts: PageActs;
  readonly #tasks: Map<string, TaskEntry> = new Map();
  readonly #attaching: Map<string, Promise<TaskInfo>> = new Map();

  constructor(bench: WorkbenchCore, servers: WorkbenchServers, acts: PageActs) {
    this.#bench = bench;
    this.#servers = servers;
    this.#acts = acts;
  }

  async list(): Promise<readonly TaskInfo[]> {
    const { host, options } = this.#bench;
    const stored = (await host.tasks(options.principal)).filter(({ id }) => !this.#tasks.has(id));
    return [...[...this.#tasks.values()].map(({ info }) => info), ...stored.map((ticket) => infoOf(ticket, false))];
  }

  follow(task: HostTask, ticket: HostTicket): void {
    const followed: TaskEntry = { info: infoOf(ticket, true), task, control: new AbortController() };
    setNewest(this.#tasks, ticket.id, followed, MAX_TASKS);
    void this.#followStates(followed);
    void this.#followResult(followed, ticket);
  }

  /** Attaches the task once: the host would follow it twice otherwise, and ask each of its questions twice. */
  attach(id: string): Promise<TaskInfo> {
    const attaching = this.#attaching.get(id) ?? this.#attach(id).finally(() => this.#attaching.delete(id));
    this.#attaching.set(id, attaching);
    return attaching;
  }

  async #attach(id: string): Promise<TaskInfo> {
    const known = this.#tasks.get(id)?.info;
    if (known?.attached === true) return known;
    const { host, options } = this.#bench;
    const ticket = (await host.tasks(options.principal)).find((one) => one.id === id);
    if (ticket === undefined) return this.#entry(id).info;
    await this.#servers.ensureReady(ticket.server);
    const { task } = await host.resume(ticket);
    this.follow(task, ticket);
    return this.#entry(id).info;
  }

  /** Stops following the task, which continues on the server. */
  detach(id: string): TaskInfo {
    const followed = this.#entry(id);
    followed.control.abort();
    this.#change(followed, { attached: false });
    this.#tasks.delete(id);
    return followed.info;
  }

  async cancel(id: string): Promise<TaskInfo> {
    if (!this.#tasks.has(id)) await this.attach(id);
    const followed = this.#entry(id);
    await followed.task.cancel();
    return followed.info;
  }

  #entry(id: string): TaskEntry {
    const found = this.#tasks.get(id);
    if (found === undefined)
      throw new Error(`Unknown ticket "${id}". Copy the ticket of the task from where you started it.`);
    return found;
  }

  async #followStates(followed: TaskEntry): Promise<void> {
    const { clock } = this.#bench;
    try {
      for await (const { status, message, progress } of followed.task.states({ signal: followed.control.signal })) {
        const state = { at: clock.wall(), status, message: this.#bench.scrub(followed.info.server, message) };
        const states = [...followed.info.states, state].slice(-MAX_STATES);
        this.#change(followed, { status, message: state.message, progress, states });
      }
    } catch {
      // `#followResult` reports the error.
    }
  }

  async #followResult(followed: TaskEntry, { server, act, id: ref, ticket: { tool } }: HostTicket): Promise<void> {
    const from = this.#bench.clock.wall();
    const about = (): { ref: string; act: string; ms: number; waitedMs: number } => ({
      ref,
      act,
      ms: this.#bench.clock.wall() - from,
      waitedMs: 0,
    });
    try {
      const result = toWireResult(await followed.task.result());
      const found = await findTool(this.#bench, server, tool);
      this.#change(followed, { outcome: { ...about(), result: await callValue(this.#bench, { ref, found, result }) } });
    } catch (error) {
      if (followed.control.signal.aborted) return;
      // A task that has not ended can be attached again.
      const isOver = ['completed', 'failed', 'cancelled'].includes(followed.info.status);
      const outcome = { ...about(), error: this.#acts.failure(server, error) };
      this.#change(followed, { outcome, ...(!isOver && { attached: false, status: 'detached' }) });
    }
  }

  #change(followed: TaskEntry, changes: Partial<TaskInfo>): void {
    followed.info = { ...followed.info, ...changes };
    this.#bench.feed.emit('task', { task: followed.info });
  }
}

function infoOf({ id, server, ticket }: HostTicket, attached: boolean): TaskInfo {
  const { tool, taskId, createdAt: at, ttlMs } = ticket;
  const createdAt = Date.parse(at);
  const until = ttlMs === null ? undefined : createdAt + ttlMs;
  return {
    ticket: id,
    server,
    tool,
    taskId,
    status: attached ? 'working' : 'detached',
    createdAt,
    until,
    attached,
    states: [],
  };
}
