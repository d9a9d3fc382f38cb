/** Defaults of the task settings of servers and tools. */
import type { DefinedTool } from '../part.ts';
import type { TaskTimes } from './record.ts';
import type { ServerTaskOptions, TaskSpec } from './task-options.ts';

export interface TaskSettings extends Required<Omit<ServerTaskOptions, 'store'>> {
  /** How often a task can be interrupted in a row without recording a step or an answer. */
  readonly maxInterruptions: number;
}

const HOUR = 3_600_000;

export const readTaskSettings = (options: ServerTaskOptions, version: string): TaskSettings => ({
  code: options.code ?? version,
  maxRunning: options.maxRunning ?? 100,
  maxTasksPerCaller: options.maxTasksPerCaller ?? 100,
  maxTasks: options.maxTasks ?? 10_000,
  maxTtlMs: options.maxTtlMs ?? 7 * 24 * HOUR,
  outliveAuth: options.outliveAuth ?? false,
  leaseMs: options.leaseMs ?? 30_000,
  maxInterruptions: 5,
});

export interface ToolTask extends TaskTimes {
  readonly required: boolean;
  readonly begins: NonNullable<TaskSpec['begins']>;
  readonly pollMs: number;
  readonly resume: boolean;
}

export function readToolTask({ task, definition }: Pick<DefinedTool, 'task' | 'definition'>): ToolTask {
  const spec: TaskSpec = typeof task === 'object' ? task : { required: task === 'required' };
  const { readOnlyHint, idempotentHint } = definition.annotations ?? {};
  return {
    required: spec.required ?? false,
    begins: spec.begins ?? 'at once',
    runMs: spec.runMs ?? HOUR,
    askMs: spec.askMs ?? 24 * HOUR,
    keepMs: spec.keepMs ?? HOUR / 4,
    pollMs: spec.pollMs ?? 1_000,
    resume: spec.resume ?? (readOnlyHint === true || idempotentHint === true),
  };
}
