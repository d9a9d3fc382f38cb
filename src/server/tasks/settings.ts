/** Defaults of the task settings of servers and tools. */
import type { PartCatalogue } from '../catalogue.ts';
import type { DefinedTool } from '../part.ts';
import type { TaskTimes } from './record.ts';
import type { ServerTaskOptions, TaskSpec } from './task-options.ts';

export interface TaskSettings extends Required<Omit<ServerTaskOptions, 'store'>> {
  /** How often a task can be interrupted in a row without recording a step or an answer. */
  readonly maxInterruptions: number;
}

const HOUR = 3_600_000;
/** A hundred years. `Infinity` would become `null` in stores, which write records as JSON. */
const MAX_MS = 100 * 365 * 24 * HOUR;

/** Whole milliseconds, as the protocol requires. */
const wholeMs = (ms: number): number => Math.min(Math.ceil(ms), MAX_MS);

export const readTaskSettings = (options: ServerTaskOptions, version: string): TaskSettings => ({
  code: options.code ?? version,
  maxRunning: options.maxRunning ?? 100,
  maxTasksPerCaller: options.maxTasksPerCaller ?? 100,
  maxTasks: options.maxTasks ?? 10_000,
  maxBytes: options.maxBytes ?? 512 * 1024 * 1024,
  maxTtlMs: wholeMs(options.maxTtlMs ?? 7 * 24 * HOUR),
  outliveAuth: options.outliveAuth ?? false,
  leaseMs: wholeMs(options.leaseMs ?? 30_000),
  maxInterruptions: 5,
});

export interface ToolTask extends TaskTimes {
  readonly required: boolean;
  readonly begins: NonNullable<TaskSpec['begins']>;
  readonly pollMs: number;
  readonly resume: boolean;
}

export function readToolTask({ task: spec = {}, definition }: Pick<DefinedTool, 'task' | 'definition'>): ToolTask {
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  return {
    required: spec.required ?? false,
    begins: spec.begins ?? 'at once',
    runMs: wholeMs(spec.runMs ?? HOUR),
    askMs: wholeMs(spec.askMs ?? 24 * HOUR),
    keepMs: wholeMs(spec.keepMs ?? HOUR / 4),
    // The protocol has no interval of zero.
    pollMs: Math.max(1, wholeMs(spec.pollMs ?? 1_000)),
    resume: spec.resume ?? (readOnlyHint === true || idempotentHint === true),
  };
}

/** The times of the tasks of a tool; the defaults if the server no longer has it. */
export const readTaskTimes = ({ tools }: PartCatalogue, name: string): TaskTimes =>
  readToolTask(tools.get(name) ?? { definition: { name, inputSchema: {} } });
