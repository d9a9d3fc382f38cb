/** The context that a handler gets for one request. Its members are created on first use. */
import { badDefinition } from '../errors.ts';
import { type JsonObject, notification, type RpcRequest } from '../jsonrpc/message.ts';
import { type AuthInfo, type Caller, principalOf } from '../model/caller.ts';
import { atLeast, type LoggingLevel } from '../model/logging.ts';
import { MESSAGE, PROGRESS } from '../model/names.ts';
import type { Link, ServerPush } from '../peer/exchange.ts';
import { Throttle } from '../peer/throttle.ts';
import type { Feature } from '../peer/warnings.ts';
import type { ClientRequests, Revision } from '../revisions/contract.ts';
import { pickKnown } from '../revisions/encode.ts';
import type { PartCatalogue } from './catalogue.ts';
import type { Context, HttpStream, ResourceListContext } from './context.ts';
import type { DefinedTool } from './part.ts';
import type { HandlerQuestions } from './questions.ts';
import { readUri } from './read-uri.ts';
import { envFor, type ServerSettings } from './settings.ts';

/** Notifications (progress and log lines together) that one call can send per second. */
const MAX_PER_SECOND = 2_000;

/** A request, its sender and its revision. */
export interface RequestDetails {
  readonly request: RpcRequest;
  readonly revision: Revision;
  readonly caller: Caller;
  readonly link: Link;
  /** Sends messages to the client that belong to no request. */
  readonly push?: ServerPush;
}

/** Everything that a method needs to answer a request: the request itself, and the server's parts and settings. */
export interface CallDetails extends RequestDetails {
  readonly settings: ServerSettings;
  readonly logLevel: LoggingLevel | undefined;
  /** Whether the client has completed the handshake, in revisions that have one. */
  readonly ready: boolean;
  readonly catalogue: PartCatalogue;
  /** Absent if the server has no tasks, and in calls that run as tasks. */
  readonly tasks?: TaskCalls | undefined;
  /** Overrides how the revision asks questions, for runs of tasks. */
  asking?(): Promise<ClientRequests>;
  /** The task that the call is, or can become. */
  readonly task?: { readonly id: string | undefined; detach(): Promise<void> };
}

export class HandlerCall implements Context<never> {
  readonly #details: CallDetails;
  readonly #token: unknown;
  #questions: Promise<HandlerQuestions> | undefined;
  #env: { readonly value: unknown } | undefined;
  /** The questions that the handler asked. */
  #asked: HandlerQuestion<unknown>[] | undefined;
  #done = false;
  #progress = Number.NEGATIVE_INFINITY;
  #rate: Throttle | undefined;
  /** The method or part that is running, for error texts. */
  what: string;

  constructor(details: CallDetails) {
    this.#details = details;
    this.what = details.request.method;
    const meta = details.request.params?.['_meta'] as JsonObject | undefined; // requestMetaFault checked it
    this.#token = meta?.['progressToken'];
  }

  get signal(): AbortSignal {
    return this.#details.link.signal;
  }
  get auth(): AuthInfo | undefined {
    return this.#details.link.auth;
  }
  get principal(): string {
    return principalOf(this.auth);
  }
  get caller(): Caller {
    return this.#details.caller;
  }
  get http(): HttpStream | undefined {
    const { release } = this.#details.link;
    return release === undefined ? undefined : { release };
  }
  get env(): never {
    this.#env ??= { value: envFor(this.#details.settings.env, this) };
    return this.#env.value as never; // the types of createServer require what the parts need
  }

  get task(): { readonly id: string } | undefined {
    const id = this.#details.task?.id;
    return id === undefined ? undefined : { id };
  }

  // Handlers destructure their context, as in `run(input, { progress })`, so each method is a closure.
  get detach(): Context['detach'] {
    return () => ignoreRejection(Promise.resolve(this.#details.task?.detach()));
  }

  get log(): Context['log'] {
    return (level, message, data) => {
      const { logLevel, link } = this.#details;
      if (this.#done || logLevel === undefined || !atLeast(level, logLevel) || !this.#canNotify()) return;
      this.#warnDeprecated('logging');
      link.notify(notification(MESSAGE, { level, data: data === undefined ? message : { message, ...data } }));
    };
  }

  get progress(): Context['progress'] {
    return (done, total, message) => {
      if (typeof done !== 'number')
        throw badDefinition(this.what, `ctx.progress(done, total, message) needs a number, not ${typeof done}`);
      const grows = done > this.#progress && Number.isFinite(done);
      if (this.#done || this.#token === undefined || !grows || !this.#canNotify()) return;
      this.#progress = done;
      const { link, revision } = this.#details;
      const known = Number.isFinite(total) ? total : undefined;
      const params = { progressToken: this.#token, progress: done, total: known, message };
      link.notify(notification(PROGRESS, pickKnown(revision.vocabulary, 'Progress', params)));
    };
  }

  /** Rate limit: a handler in a loop must not flood its caller. */
  #canNotify(): boolean {
    this.#rate ??= new Throttle(MAX_PER_SECOND, this.#details.settings.clock);
    return this.#rate.allows();
  }

  get ask(): Context['ask'] {
    return (key, message, wanted) =>
      this.#ask(key, (questions) => questions.ask(key, message, wanted)) as Promise<never>; // the public signature has the exact type
  }

  get confirm(): Context['confirm'] {
    return (key, message) => this.#ask(key, (questions) => questions.confirm(key, message));
  }

  get sample(): Context['sample'] {
    return (key, params) => this.#ask(key, (questions) => questions.sample(key, params));
  }

  get roots(): Context['roots'] {
    return (key = 'roots') => this.#ask(key, (questions) => questions.roots(key));
  }

  get once(): Context['once'] {
    return (key, step, options) =>
      ignoreRejection(this.resume().then((questions) => questions.asking.once(key, step, options)));
  }

  get read(): Context['read'] {
    return (uri) => ignoreRejection(readUri(uri, this, this.#details));
  }

  #ask<T>(key: string, ask: (questions: HandlerQuestions) => Promise<T>): Promise<T> {
    const answer = this.resume().then(ask);
    const question = new HandlerQuestion<T>(key, (resolve, reject) => void answer.then(resolve, reject));
    this.#asked ??= [];
    this.#asked.push(question);
    return question;
  }

  #warnDeprecated(feature: Feature): void {
    this.#details.settings.warnings.deprecated(feature, this.#details.revision);
  }

  /** The context of lists and completers: the protocol cannot resume these requests after a question. */
  withoutQuestions(): ResourceListContext<never> {
    const call = this;
    const { auth, caller, principal, signal } = call;
    return {
      auth,
      caller,
      principal,
      signal,
      get env() {
        return call.env;
      },
    };
  }

  /** Creates the questions of this call: with the first one, or at once if the request carries answers. */
  resume(): Promise<HandlerQuestions> {
    this.#questions ??= this.#begin();
    return this.#questions;
  }

  async #begin(): Promise<HandlerQuestions> {
    const { caller, revision, asking: own } = this.#details;
    const begun = own?.() ?? revision.asks.begin(this.#details);
    // Loaded lazily: many servers never ask anything.
    const [asking, { HandlerQuestions }] = await Promise.all([begun, import('./questions.ts')]);
    return new HandlerQuestions(asking, {
      what: () => this.what,
      capabilities: caller.capabilities,
      revision,
      warnDeprecated: (feature) => this.#warnDeprecated(feature),
    });
  }

  /** The interim result, if the handler is suspended by a question; undefined if it never asked one. */
  interimResult(thrown?: unknown): Promise<JsonObject | undefined> | undefined {
    return this.#questions?.then((questions) =>
      questions.finish(this.what, thrown, this.#asked?.find((one) => !one.isAwaited)?.key),
    );
  }

  /** Called with the response: from then on, no notification is sent for this request. */
  finish(): void {
    this.#done = true;
  }
}

/**
 * A question, as a promise of its answer. Notes whether the handler waits for it: in `if (!ctx.confirm(…))`, without `await`, the promise
 * is always true, and the handler would go on as if the user had agreed.
 */
class HandlerQuestion<T> extends Promise<T> {
  static override readonly [Symbol.species]: PromiseConstructor = Promise;
  readonly key: string;
  isAwaited = false;

  constructor(key: string, settle: (resolve: (value: T) => void, reject: (reason: unknown) => void) => void) {
    super(settle);
    this.key = key;
    void super.then(undefined, () => undefined); // an unhandled rejection would end the process; the call reports it
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise that notes who waits for it
  override then<A = T, B = never>(
    onAnswer?: ((value: T) => A | PromiseLike<A>) | null,
    onFailure?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true;
    return super.then(onAnswer, onFailure);
  }
}

/** Marks a rejection as handled. A handler may not await the promise, and an unhandled rejection would end the process; the call reports it. */
function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

export interface TaskCalls {
  /** Answers a call of a tool that can run as a task, or whose caller requests one. Undefined if it is an ordinary call. */
  call(
    part: DefinedTool,
    details: CallDetails,
    call: HandlerCall,
  ): JsonObject | undefined | Promise<JsonObject | undefined>;
}

/** Passed to the code that runs tasks, which is loaded lazily: importing these there would split the entry point into more files. */
export interface TaskHandlers {
  /** Runs a tool call that is a task, or can become one. */
  runTool(details: CallDetails): Promise<JsonObject>;
  /** Throws if the caller lacks a needed scope. */
  requireScopes(needed: readonly string[], auth: AuthInfo | undefined): void;
}

/** Answers one method, for parts or for an extension. `call` is the context of the handlers that it runs. */
export type MethodHandler = (
  params: JsonObject,
  details: CallDetails,
  call: HandlerCall,
) => JsonObject | Promise<JsonObject>;
