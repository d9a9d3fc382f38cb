/** The context of a handler: the caller, questions to the user, progress and logging. */
import type { AuthInfo, Caller } from '../model/caller.ts';
import type { FormValue } from '../model/elicitation.ts';
import type { LoggingLevel } from '../model/logging.ts';
import type { ReadResourceResult } from '../model/parts.ts';
import type { CreateMessageParams, CreateMessageResult, Root } from '../model/sampling.ts';
import type { OnceOptions, StepInfo } from '../revisions/contract.ts';
import type { InferInput, InferOutput, Schema, SingleSchema } from '../schema/index.ts';

/** The user's answer. `value` is set if they accepted. */
export type Answer<T> =
  | { readonly action: 'accept'; readonly accepted: true; readonly value: T }
  | { readonly action: 'decline' | 'cancel'; readonly accepted: false; readonly value?: undefined };

/** The user's answer to a visit: whether they agreed to open the page. */
export type VisitAnswer =
  | {
      readonly action: 'accept';
      readonly accepted: true;
      readonly value?: undefined;
      /** Reports that the user has finished on the page, so that the client stops waiting for it. */
      completed(): void;
    }
  | Exclude<Answer<undefined>, { readonly accepted: true }>;

/** A page of the server that the user is asked to visit, for data that must not pass through the client. */
export interface Visit {
  readonly url: string;
}

/** Tests for `Visit` first, because `{ url }` would also pass as a JSON Schema. */
type AnswerTo<S> = S extends { readonly '~standard': unknown }
  ? Answer<InferOutput<S>>
  : S extends Visit
    ? VisitAnswer
    : Answer<InferOutput<S>>;
/** Makes the compiler reject a form with a nested field. */
type FlatForm<S> = true extends { [K in keyof InferInput<S>]-?: IsNested<InferInput<S>[K]> }[keyof InferInput<S>]
  ? 'Forms are flat. Ask for text, numbers, yes or no, or a choice of texts'
  : unknown;
type IsNested<T> = unknown extends T ? false : [T] extends [FormValue | null | undefined] ? false : true;

/** The HTTP connection that waits for the response of a call. */
export interface HttpStream {
  /** Closes the connection while the call continues: the client reconnects after `retryMs`. */
  release(retryMs?: number): void;
}

/** What a handler gets in addition to its input: the caller, progress and logging, questions, and a signal that aborts if the call is cancelled. */
export interface Context<Env = unknown> {
  /** Aborts when the caller cancels or disconnects, or the server closes. */
  readonly signal: AbortSignal;
  /** The environment from `createServer({ env })`. */
  readonly env: Env;
  /** What the transport verified about the caller. */
  readonly auth: AuthInfo | undefined;
  /**
   * A string that identifies the verified caller: issuer, subject and client. Use it as the key of data that you store for a caller,
   * so that other callers cannot access it. Empty if callers are not verified.
   */
  readonly principal: string;
  /** How the client describes itself: for display and its capabilities, never for trust. */
  readonly caller: Caller;
  /** Set only if the client can reconnect for the response: over HTTP, in revisions whose clients poll. */
  readonly http: HttpStream | undefined;
  /**
   * Sends a log line to the client, if it wants lines of this level.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that is published a year or more
   * later. Write to stderr, or use OpenTelemetry.
   */
  log(level: LoggingLevel, message: string, data?: object): void;
  /** Reports progress. Values that do not grow are dropped. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Elicitation: asks the user to fill in a flat form, or to visit a page. Accepting a visit means that they agreed to open the page, not
   * that they are done. The key identifies the question within this call.
   */
  ask<S extends Schema | Visit>(
    key: string,
    message: string,
    wanted: S & SingleSchema<S> & FlatForm<S>,
  ): Promise<AnswerTo<S>>;
  /** Asks the user a yes-or-no question. */
  confirm(key: string, message: string): Promise<boolean>;
  /**
   * Runs a step and stores its result, which must be JSON: if a question restarts the handler, the step is not run again. A step
   * runs at least once, not exactly once: a step that was interrupted, or whose call the client retries, runs again with the same
   * `idempotencyKey`.
   */
  once<T>(key: string, step: (info: StepInfo) => T | Promise<T>, options?: OnceOptions): Promise<T>;
  /** The task as which this call runs; undefined for an ordinary call, and for one that has not become a task yet. */
  readonly task: { readonly id: string } | undefined;
  /**
   * Continues the call as a task, and gives the caller its handle. Does nothing if the call is a task already; or if it cannot become
   * one, and then the caller waits. Questions asked before it are rounds of the call.
   */
  detach(): Promise<void>;
  /** Reads a resource of this server. */
  read(uri: string): Promise<ReadResourceResult>;
  /**
   * Sampling: asks the client's model for a message.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that is published a year or more
   * later. Call a model provider directly.
   */
  sample(key: string, params: CreateMessageParams): Promise<CreateMessageResult>;
  /**
   * Asks the client which folders the user opened.
   * @deprecated by the newest revision (SEP-2577); the earliest removal is the first revision that is published a year or more
   * later. Take paths as tool arguments or configuration.
   */
  roots(key?: string): Promise<readonly Root[]>;
}

/** The context of a template's `list` and of completers: the caller, but no questions. */
export type ResourceListContext<Env = unknown> = Pick<Context<Env>, 'auth' | 'caller' | 'env' | 'principal' | 'signal'>;
