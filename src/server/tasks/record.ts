/** Every change that is ever made to the record of a task: pure functions to the next record, or to nothing if it must not happen. */
import { INTERNAL_ERROR, type JsonObject } from '../../jsonrpc/message.ts';
import type { AuthInfo, Caller } from '../../model/caller.ts';
import type { StepRecord, StoredTask, TaskHolder, TaskOutcome } from '../../model/task-record.ts';
import { NONE } from './copy-task.ts';

export type TaskChange = (task: StoredTask) => StoredTask | undefined;
type Asked = StoredTask['asked'][number];
type OpenQuestions = StoredTask['questions'];

/** How long a task of one tool may work, wait and be kept. */
export interface TaskTimes {
  readonly runMs: number;
  readonly askMs: number;
  readonly keepMs: number;
}

/** Only the run that holds the lease may write what a run learnt. The version alone would not do: a process that stalled reads the new one. */
export const isHeldBy = (task: StoredTask, { by, run }: TaskHolder): boolean =>
  task.outcome === undefined && task.lease?.by === by && task.runs === run;

/** Time limits only ever grow: what was told to the caller must hold. */
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
  /** What the caller was allowed to may have expired. */
  readonly outliveAuth: boolean;
}

/** Takes a task that is due, or ends it where it cannot be run. */
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

/** A caller that never got its id has probably called again: no process looks at the task before its time is up, unless the caller asks. */
export const parkTask = (task: StoredTask, now: number): StoredTask | undefined =>
  task.outcome === undefined && !task.isSeen && task.lease !== undefined && task.lease.until <= now
    ? { ...task, dueAt: task.endsAt }
    : undefined;

/** For a process that cannot run it: others look first, and this one later again. */
export const postponeTask = (task: StoredTask, now: number, until: number): StoredTask | undefined =>
  task.outcome === undefined && task.dueAt <= now ? { ...task, dueAt: Math.min(until, task.endsAt) } : undefined;

/** The caller came back for it, perhaps with a newer authorization: a task that was parked may be run at once. */
export function seeTask(task: StoredTask, now: number, auth: AuthInfo | undefined): StoredTask | undefined {
  const isNewer = (auth?.expiresAt ?? 0) > (task.auth?.expiresAt ?? Number.POSITIVE_INFINITY);
  if (task.outcome !== undefined || (task.isSeen && !isNewer)) return undefined;
  const seen = { ...task, isSeen: true, auth: isNewer ? auth : task.auth };
  const isParked = !task.isSeen && task.lease !== undefined && task.lease.until <= now;
  return isParked ? { ...seen, dueAt: now } : seen;
}

/** The intent of a step that must not run twice. */
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
        steps: [...task.steps, [key, record]],
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

/** The handler stopped to ask. What was answered meanwhile is not open, and what it no longer asks is withdrawn. */
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

/** The run is over and its steps have settled. With nothing but questions left, no process looks before `endsAt`. */
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

/** The process closes. The next one goes on at once; a run that must not be repeated was cut short all the same. */
export function letGo(task: StoredTask, holder: TaskHolder, now: number): StoredTask | undefined {
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
    // An answer in the last minute leaves time for the work.
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

/** What only runs need goes, because there will be none: a finished task is small, and holds nothing of its caller but the outcome. */
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
  // A task that failed says why.
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
