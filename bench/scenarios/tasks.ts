/** Task calls, compared with a plain call to the same server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../contenders.ts';
import type { HttpCaller } from '../load/http-caller.ts';
import { HttpSubject } from '../load/http-subject.ts';
import { type AnyScenario, type Sample, scenario } from '../scenario.ts';
import { type Call, callOf, echo } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

const CONNECTIONS = 16;
/** Number of tasks that are polled in turn, because polling a single task is rate limited. */
const POLLED = 200;
/** Number of tasks in long and in short rounds. */
const MANY = 10_000;
const FEW = 1_000;
const LONG_MS = 500;
const IDLE_MS = 3_000;

const entry: Entry = { name: 'Mooring', peer: 'mooring', program: 'tasks', setup: { era: 'stateless' } };

/** One step of a contender on one connection. */
type Step = (caller: HttpCaller, message: string) => Promise<void>;

class TaskSubject implements AsyncDisposable {
  readonly http: HttpSubject;
  readonly call: Step;
  readonly poll: Step;

  constructor(http: HttpSubject, { call, poll }: Record<'call' | 'poll', Step>) {
    this.http = http;
    this.call = call;
    this.poll = poll;
  }

  get process(): HttpSubject['process'] {
    return this.http.process;
  }

  async measure(step: Step, ms: number): Promise<Sample> {
    const callers = await this.http.callers(CONNECTIONS);
    const loops = callers.map((caller, at) => {
      let said = 0;
      return () => step(caller, `ahoy ${at} ${said++}`);
    });
    return this.http.measure(ms, loops);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.http[Symbol.asyncDispose]();
  }
}

const echoed: Step = async (caller, message) => {
  const { result } = await caller.call(echo(message));
  mustBe(message, textOf(result as ToolResult)); // checked by textOf
};

async function begin(caller: HttpCaller, tool: string, message: string): Promise<string> {
  const { result } = await caller.call(callOf(tool, { message }, true));
  const { resultType, taskId } = result as { resultType?: unknown; taskId?: unknown }; // checked next
  if (resultType !== 'task' || typeof taskId !== 'string') throw new Error(`Wrong answer: ${JSON.stringify(result)}`);
  return taskId;
}

const getTask = (taskId: string): Call => ({ method: 'tasks/get', name: taskId, params: { taskId }, tasks: true });

/** Polls tasks that run until the benchmark ends. */
async function pollOf(http: HttpSubject): Promise<Step> {
  const first = await http.first();
  const ids: string[] = [];
  for (let made = 0; made < POLLED; made++) ids.push(await begin(first, 'sail', `ship ${made}`));
  let next = 0;
  return async (caller) => {
    const taskId = ids[next++ % POLLED] ?? '';
    const { result } = await caller.call(getTask(taskId));
    mustBe('working', String((result as { status?: unknown }).status));
  };
}

export const taskCall: AnyScenario = scenario({
  id: 'task-call',
  title: 'Tasks, compared with plain calls',
  about:
    'Creates a task that echoes a message and completes; polls a running task. Both are compared with a plain call to the same server. Tasks are stored in memory.',
  rows: [
    { id: 'call', title: 'a call', unit: 'CPU µs', measure: (subject, ms) => subject.measure(subject.call, ms) },
    { id: 'poll', title: 'a poll', unit: 'CPU µs', measure: (subject, ms) => subject.measure(subject.poll, ms) },
  ],
  contenders: [
    {
      name: 'a plain call',
      open: async () => new TaskSubject(await HttpSubject.start(entry), { call: echoed, poll: echoed }),
    },
    {
      name: 'Mooring',
      async open() {
        const http = await HttpSubject.start(entry);
        const call: Step = async (caller, message) => void (await begin(caller, 'echo_later', message));
        return new TaskSubject(http, { call, poll: await pollOf(http) });
      },
    },
  ],
});

interface Weighed {
  /** Heap bytes per task. */
  readonly heap: number;
  /** Resident megabytes for 10,000 tasks. */
  readonly resident: number;
  /** Processor milliseconds in an idle second. */
  readonly idle: number;
}

/** A server with `--expose-gc`, filled once for all rows. */
class WaitingTasks implements AsyncDisposable {
  readonly #folder: string = mkdtempSync(join(tmpdir(), 'mooring-bench-'));
  readonly #isInFile: boolean;
  #weighed: Promise<Weighed> | undefined;

  constructor(isInFile: boolean) {
    this.#isInFile = isInFile;
  }

  async row(name: keyof Weighed, ms: number): Promise<Sample> {
    this.#weighed ??= this.#weigh(ms < LONG_MS ? FEW : MANY);
    return { cost: (await this.#weighed)[name] };
  }

  async #weigh(total: number): Promise<Weighed> {
    const servers: Record<string, string> = this.#isInFile ? { tasks: join(this.#folder, 'tasks.db') } : {};
    await using http = await HttpSubject.start(entry, { servers }, ['--expose-gc']);
    const callers = await http.callers(CONNECTIONS);
    const each = Math.ceil(total / CONNECTIONS);
    const fill = async (count: number): Promise<void> => {
      const all = callers.map(async (caller, at) => {
        for (let made = 0; made < count; made++) await begin(caller, 'approve', `sure ${at} ${made}?`);
      });
      await Promise.all(all);
    };
    const sizes = async (): Promise<readonly [number, number]> => {
      const resident = await http.process.ask<number>('resident');
      return [await http.process.ask<number>('heap'), resident];
    };
    // The first tasks warm up: what is loaded or allocated once is not part of the cost of a task.
    await fill(10);
    const [heap, resident] = await sizes();
    await fill(each);
    const [heapAfter, residentAfter] = await sizes();
    const used = await http.process.usage();
    await sleep(IDLE_MS);
    const idle = (await http.process.usage()) - used;
    const tasks = each * CONNECTIONS;
    return {
      heap: (heapAfter - heap) / tasks,
      resident: ((residentAfter - resident) / tasks) * (MANY / 1_000_000),
      idle: idle / IDLE_MS,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export const waitingTasks: AnyScenario = scenario({
  id: 'waiting-tasks',
  title: 'Memory of tasks that wait for input',
  about:
    'Creates 10,000 tasks that ask the user (1,000 in a quick run) and collects garbage. Measures how much the heap and the process grew, and the cost of an idle second.',
  rows: [
    {
      ...{ id: 'task', title: 'one task, heap', unit: 'bytes', exact: true },
      measure: (subject, ms) => subject.row('heap', ms),
    },
    {
      ...{ id: 'resident', title: '10,000 tasks, whole process', unit: 'MB', exact: true },
      measure: (subject, ms) => subject.row('resident', ms),
    },
    {
      ...{ id: 'idle', title: 'an idle second', unit: 'CPU ms', exact: true },
      measure: (subject, ms) => subject.row('idle', ms),
    },
  ],
  contenders: [
    { name: 'Mooring, in memory', open: async () => new WaitingTasks(false) },
    { name: 'Mooring, SQLite', open: async () => new WaitingTasks(true) },
  ],
});
