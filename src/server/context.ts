/** The context of a handler: the caller, questions to the user, progress and logging. */
import type { AuthInfo, Caller } from '../model/caller.ts';
import type { FormValue } from '../model/elicitation.ts';
import type { LoggingLevel } from '../model/logging.ts';
import type { ReadResourceResult } from '../model/parts.ts';
import type { CreateMessageParams, CreateMessageResult, Root } from '../model/sampling.ts';
import type { OnceOptions, StepInfo } from '../revisions/contract.ts';
import type { InferInput, InferOutput, Schema, SingleSchema } from '../schema/index.ts';

/** What the user said. `value` is there when they accepted. */
export type Answer<T> =
  | { readonly action: 'accept'; readonly accepted: true; readonly value: T }
  | { readonly action: 'decline' | 'cancel'; readonly accepted: false; readonly value?: undefined };

/** Whether the user agreed to a visit. */
export type VisitAnswer =
  | {
      readonly action: 'accept';
      readonly accepted: true;
      readonly value?: undefined;
      /** Says that what was to be done there is done, so that the client need not wait for it any more. */
      completed(): void;
    }
  | Exclude<Answer<undefined>, { readonly accepted: true }>;

/** A page of the server's own that the user is asked to visit; for everything that must not pass through the client. */
export interface Visit {
  readonly url: string;
}

/** A page with a `url` could pass for a JSON Schema, so it is looked for first. */
type AnswerTo<S> = S extends { readonly '~standard': unknown }
  ? Answer<InferOutput<S>>
  : S extends Visit
    ? VisitAnswer
    : Answer<InferOutput<S>>;
/** A type that nothing fits where a field of the form cannot be asked for. */
type FlatForm<S> = true extends { [K in keyof InferInput<S>]-?: IsNested<InferInput<S>[K]> }[keyof InferInput<S>]
  ? 'Forms are flat. Ask for text, numbers, yes or no, or a choice of texts'
  : unknown;
type IsNested<T> = unknown extends T ? false : [T] extends [FormValue | null | undefined] ? false : true;

/** The connection that waits for the answer. */
export interface HttpStream {
  /** Ends the connection, not the work: the client comes back for the rest after so many milliseconds. */
  release(retryMs?: number): void;
}

/** What a handler gets in addition to its input: the caller, ways to report and to ask, and a signal that aborts when the call is cancelled. */
export interface Context<Env = unknown> {
  /** Aborts when the caller cancelled, went away or the server closes. */
  readonly signal: AbortSignal;
  /** What `createServer({ env })` gave. */
  readonly env: Env;
  /** What the transport verified about the caller. */
  readonly auth: AuthInfo | undefined;
  /**
   * One string that stands for the verified caller: issuer, subject and client. Keep what you keep for a caller under it, so
   * that other callers cannot use it. Empty where callers are not verified.
   */
  readonly principal: string;
  /** What the caller says of itself: for display and for what it can do, never for trust. */
  readonly caller: Caller;
  /** There only where the client can come back for the answer: over HTTP, in revisions whose clients poll. */
  readonly http: HttpStream | undefined;
  /**
   * Sends a log line to the client, if it wants lines of this level.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Write to stderr, or use OpenTelemetry.
   */
  log(level: LoggingLevel, message: string, data?: object): void;
  /** How far the work is. Values that do not grow are dropped. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Asks the user to fill in a flat form, or to visit a page: accepting means that they agreed to go there, not that they are done.
   * The key names the question within this call.
   */
  ask<S extends Schema | Visit>(
    key: string,
    message: string,
    wanted: S & SingleSchema<S> & FlatForm<S>,
  ): Promise<AnswerTo<S>>;
  /** Asks the user a yes-or-no question. */
  confirm(key: string, message: string): Promise<boolean>;
  /**
   * Runs a step and keeps its result, which must be JSON: where a question makes the handler start again, the step is not
   * run again. A step runs at least once, not exactly once: a step that was interrupted, or whose call is repeated by the
   * client, runs again with the same `idempotencyKey`.
   */
  once<T>(key: string, step: (info: StepInfo) => T | Promise<T>, options?: OnceOptions): Promise<T>;
  /** The task that this call is; undefined where it is an ordinary call, or still is one. */
  readonly task: { readonly id: string } | undefined;
  /**
   * Gives the caller a handle and goes on as a task. Does nothing where the call is a task already, or cannot be one: the caller
   * waits. Questions before it are rounds of the call.
   */
  detach(): Promise<void>;
  /** Reads a resource of this server. */
  read(uri: string): Promise<ReadResourceResult>;
  /**
   * Asks the client's model for a message.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Call a model provider directly.
   */
  sample(key: string, params: CreateMessageParams): Promise<CreateMessageResult>;
  /**
   * Asks the client which folders the user opened.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that comes out a year or
   * more after it. Take paths as tool arguments or configuration.
   */
  roots(key?: string): Promise<readonly Root[]>;
}

/** What `list` of a template gets: the caller, and no way to ask. */
export type ResourceListContext<Env = unknown> = Pick<Context<Env>, 'auth' | 'caller' | 'env' | 'principal' | 'signal'>;
