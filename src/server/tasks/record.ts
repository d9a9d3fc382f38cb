/** All state transitions of a task: pure functions that return the next record, or undefined if the transition must not happen. */
import { INTERNAL_ERROR, type JsonObject } from '../../jsonrpc/message.ts';
import type { AuthInfo, Caller } from '../../model/caller.ts';
import type { StepRecord, StoredTask, TaskHolder, TaskOutcome } from '../../model/task-record.ts';
import { NONE } from './copy-task.ts';

export type TaskChange = (task: StoredTask) => StoredTask | undefined;
type Asked = StoredTask['asked'][number];
type OpenQuestions = StoredTask['questions'];

/** How long a tool's tasks can run, can wait for answers, and are kept after they have ended. */
export interface TaskTimes {
  readonly runMs: number;
  readonly askMs: number;
  readonly keepMs: number;
}

/** Fencing: only the run that holds the lease can write. Comparing versions is not enough: a process that stalled reads the new version. */
export const isHeldBy = (task: StoredTask, { by, run }: TaskHolder): boolean =>
  task.outcome === undefined && task.lease?.by === by && task.runs === run;

/** Extends the time limits. They never shrink, because the caller relies on those that it was sent. */
const extend = (task: StoredTask, endsAt: number, keepMs: number): Pick<StoredTask, 'endsAt' | 'ttlMs'> => {
  const later = Math.max(task.endsAt, endsAt);
  const ttlMs = task.ttlMs === null ? null : Math.max(task.ttlMs, later + keepMs - task.createdAt);
  return { endsAt: later, ttlMs };
};

export interface TakeOptions {
  readonly by: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly maxInterruptions: number;
  readonly code: string;
  readonly times: TaskTimes;
  /** Runs the task even if the authorization of its caller has expired. */
  readonly outliveAuth: boolean;
}

/** Acquires the lease of a task that is due, or ends the task if it cannot be run. */
export function takeTask(task: StoredTask, options: TakeOptions): StoredTask | undefined {
  const { by, now, leaseMs, maxInterruptions, code, times } = options;
  if (task.outcome !== undefined || (task.lease !== undefined && task.lease.until > now)) return undefined;
  const wasCut = task.lease !== undefined;
  const interruptions = task.interruptions + (wasCut ? 1 : 0);
  const fail = (message: string): StoredTask | undefined =>
    endTask(task, { error: { code: INTERNAL_ERROR, message } }, now, times);
  if (task.endsAt <= now) {
    const open = task.questions.map(([wire]) => `"${wire}"`).join(', ');
    return fail(open === '' ? 'The task took too long' : `Not answered in time: ${open}`);
  }
  if (wasCut && !task.resume) return fail('Interrupted by a restart');
  if (interruptions > maxInterruptions) return fail(`Interrupted ${interruptions} times without progress`);
  if (!options.outliveAuth && hasExpiredAuth(task.auth, now))
    return fail('The authorization of the caller has expired');
  const until = now + leaseMs;
  return { ...task, lease: { by, until }, dueAt: until, runs: task.runs + 1, interruptions, code };
}

export const hasExpiredAuth = (auth: AuthInfo | undefined, now: number): boolean =>
  auth?.expiresAt !== undefined && auth.expiresAt <= now;

/** Parks an interrupted task whose caller never used its id, and so has probably called again. It stays idle unless the caller requests it. */
export const parkTask = (task: StoredTask, now: number): StoredTask | undefined =>
  task.outcome === undefined && !task.isSeen && task.lease !== undefined && task.lease.until <= now
    ? { ...task, dueAt: task.endsAt }
    : undefined;

/** Defers a task that this process cannot run, to give another process the chance. */
export const postponeTask = (task: StoredTask, now: number, until: number): StoredTask | undefined =>
  task.outcome === undefined && task.dueAt <= now ? { ...task, dueAt: Math.min(until, task.endsAt) } : undefined;

/** Records that the caller requested the task, and its newer authorization, if any. A parked task becomes due at once. */
export function seeTask(task: StoredTask, now: number, auth: AuthInfo | undefined): StoredTask | undefined {
  const isNewer = (auth?.expiresAt ?? 0) > (task.auth?.expiresAt ?? Number.POSITIVE_INFINITY);
  if (task.outcome !== undefined || (task.isSeen && !isNewer)) return undefined;
  const seen = { ...task, isSeen: true, auth: isNewer ? auth : task.auth };
  const isParked = !task.isSeen && task.lease !== undefined && task.lease.until <= now;
  return isParked ? { ...seen, dueAt: now } : seen;
}

/** Records that a step which must not run twice is about to run. */
export const beginStep = (task: StoredTask, holder: TaskHolder, key: string): StoredTask | undefined =>
  isHeldBy(task, holder) ? { ...task, begun: [...task.begun, key] } : undefined;

export const recordStep = (
  task: StoredTask,
  holder: TaskHolder,
  key: string,
  record: StepRecord,
): StoredTask | undefined =>
  isHeldBy(task, holder)
    ? {
        ...task,
        // A write that failed can have taken effect, and is repeated.
        steps: [...task.steps.filter(([one]) => one !== key), [key, record]],
        begun: task.begun.filter((one) => one !== key),
        interruptions: 0,
      }
    : undefined;

export interface ProgressReport {
  readonly message: string;
  readonly done: number;
  readonly total?: number | undefined;
}

export const withTaskProgress = (
  task: StoredTask,
  holder: TaskHolder,
  { message, done, total }: ProgressReport,
  now: number,
): StoredTask | undefined =>
  isHeldBy(task, holder)
    ? { ...task, message, progress: total === undefined ? { done } : { done, total }, updatedAt: now }
    : undefined;

export interface Suspended {
  readonly questions: OpenQuestions;
  readonly asked: readonly Asked[];
}

/** Stores the questions that suspended the handler. Answered questions are not open, and questions that it no longer asks are withdrawn. */
export function suspendTask(
  task: StoredTask,
  holder: TaskHolder,
  { questions, asked }: Suspended,
  now: number,
  { askMs, keepMs }: TaskTimes,
): StoredTask | undefined {
  if (!isHeldBy(task, holder)) return undefined;
  const isAnswered = new Set(task.answers.map(([wire]) => wire));
  const open = questions.filter(([wire]) => !isAnswered.has(wire));
  const known = new Set(task.asked.map(([, { wire }]) => wire));
  return {
    ...task,
    ...extend(task, now + askMs, keepMs),
    questions: open,
    asked: [...task.asked, ...asked.filter(([, { wire }]) => !known.has(wire))],
    status: open.length > 0 ? 'input_required' : 'working',
    updatedAt: now,
  };
}

/** Releases the lease, after the run has ended and its steps have settled. A task that only waits for answers is due at `endsAt`. */
export function releaseTask(
  task: StoredTask,
  holder: TaskHolder,
  now: number,
  seenAnswers: number,
): StoredTask | undefined {
  if (!isHeldBy(task, holder)) return undefined;
  const isDue = task.questions.length === 0 || task.answers.length > seenAnswers;
  return { ...task, lease: undefined, dueAt: isDue ? now : task.endsAt };
}

/** Hands a task over because the process closes: another one continues at once. A run that must not be repeated counts as interrupted. */
export function handOverTask(task: StoredTask, holder: TaskHolder, now: number): StoredTask | undefined {
  if (!isHeldBy(task, holder)) return undefined;
  return { ...task, lease: task.resume ? undefined : { by: holder.by, until: now }, dueAt: now };
}

export function answerTask(
  task: StoredTask,
  answers: Readonly<Record<string, JsonObject>>,
  now: number,
  { runMs, keepMs }: TaskTimes,
): StoredTask | undefined {
  if (task.outcome !== undefined) return undefined;
  const given = task.questions.flatMap(([wire]): StoredTask['answers'][number][] => {
    const answer = Object.hasOwn(answers, wire) ? answers[wire] : undefined;
    return answer === undefined ? [] : [[wire, answer]];
  });
  if (given.length === 0) return undefined;
  const questions = task.questions.filter(([wire]) => given.every(([one]) => one !== wire));
  return {
    ...task,
    // A late answer must leave time for the work.
    ...extend(task, now + runMs, keepMs),
    questions,
    answers: [...task.answers, ...given],
    interruptions: 0,
    status: questions.length > 0 ? 'input_required' : 'working',
    dueAt: task.lease === undefined ? now : task.dueAt,
    updatedAt: now,
  };
}

const NO_ARGUMENTS: JsonObject = Object.freeze({});
const NO_CALLER: Caller = Object.freeze({ capabilities: Object.freeze({}) });

/** Ends a task. Empties the members that only runs need: a finished task is small, and holds no data of its caller but the outcome. */
export function endTask(
  task: StoredTask,
  outcome: TaskOutcome,
  now: number,
  { keepMs }: TaskTimes,
): StoredTask | undefined {
  if (task.outcome !== undefined) return undefined;
  const status = 'cancelled' in outcome ? 'cancelled' : 'error' in outcome ? 'failed' : 'completed';
  const ttlMs = task.ttlMs === null ? null : Math.max(task.ttlMs, now - task.createdAt + keepMs);
  const dueAt = ttlMs === null ? Number.MAX_SAFE_INTEGER : task.createdAt + ttlMs;
  // The status message of a failed task is its error.
  const message = 'error' in outcome ? outcome.error.message : task.message;
  return {
    ...task,
    arguments: NO_ARGUMENTS,
    caller: NO_CALLER,
    auth: undefined,
    asked: NONE,
    questions: NONE,
    answers: NONE,
    begun: NONE,
    steps: NONE,
    lease: undefined,
    message,
    outcome,
    status,
    ttlMs,
    dueAt,
    updatedAt: now,
  };
}
