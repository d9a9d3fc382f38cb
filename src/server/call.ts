/** The context that a handler gets, for one request. Everything in it is made on first use. */
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
import type { Context, HttpStream } from './context.ts';
import type { DefinedTool } from './part.ts';
import type { HandlerQuestions } from './questions.ts';
import { readUri } from './read-uri.ts';
import { envFor, type ServerSettings } from './settings.ts';

/** Notifications of one kind that one call may send per second. */
const MAX_PER_SECOND = 2_000;

/** A request, and who sent it. */
export interface RequestFacts {
  readonly request: RpcRequest;
  readonly revision: Revision;
  readonly caller: Caller;
  readonly link: Link;
  /** The way to the client that no request of its own leads to. */
  readonly push?: ServerPush;
}

export interface CallFacts extends RequestFacts {
  readonly settings: ServerSettings;
  readonly logLevel: LoggingLevel | undefined;
  /** The client is done with the handshake, where there is one. */
  readonly ready: boolean;
  readonly catalogue: PartCatalogue;
  /** Absent where the server has no tasks, and in calls that are tasks. */
  readonly tasks?: TaskCalls | undefined;
  /** How a run of a task asks, instead of the way of the revision. */
  asking?(): Promise<ClientRequests>;
  /** The task that the call is, or can become. */
  readonly task?: { readonly id: string | undefined; detach(): Promise<void> };
}

export class HandlerCall implements Context<never> {
  readonly #facts: CallFacts;
  readonly #token: unknown;
  #questions: Promise<HandlerQuestions> | undefined;
  #env: { readonly value: unknown } | undefined;
  #done = false;
  #progress = Number.NEGATIVE_INFINITY;
  #rate: Throttle | undefined;
  /** What is running, for error texts. */
  what: string;

  constructor(facts: CallFacts) {
    this.#facts = facts;
    this.what = facts.request.method;
    const meta = facts.request.params?.['_meta'] as JsonObject | undefined; // it was looked at before
    this.#token = meta?.['progressToken'];
  }

  get signal(): AbortSignal {
    return this.#facts.link.signal;
  }
  get auth(): AuthInfo | undefined {
    return this.#facts.link.auth;
  }
  get principal(): string {
    return principalOf(this.auth);
  }
  get caller(): Caller {
    return this.#facts.caller;
  }
  get http(): HttpStream | undefined {
    const { release } = this.#facts.link;
    return release === undefined ? undefined : { release };
  }
  get env(): never {
    this.#env ??= { value: envFor(this.#facts.settings.env, this) };
    return this.#env.value as never; // createServer demanded what the parts need
  }

  get task(): { readonly id: string } | undefined {
    const id = this.#facts.task?.id;
    return id === undefined ? undefined : { id };
  }

  // Handlers take methods out of their context, as in `run(input, { progress })`: each is a function that knows its call.
  get detach(): Context['detach'] {
    return () => ignoreRejection(Promise.resolve(this.#facts.task?.detach()));
  }

  get log(): Context['log'] {
    return (level, message, data) => {
      const { logLevel, link } = this.#facts;
      if (this.#done || logLevel === undefined || !atLeast(level, logLevel) || !this.#mayTell()) return;
      this.#deprecated('logging');
      link.notify(notification(MESSAGE, { level, data: data === undefined ? message : { message, ...data } }));
    };
  }

  get progress(): Context['progress'] {
    return (done, total, message) => {
      if (typeof done !== 'number')
        throw badDefinition(this.what, `ctx.progress(done, total, message) needs a number, not ${typeof done}`);
      const grows = done > this.#progress && Number.isFinite(done);
      if (this.#done || this.#token === undefined || !grows || !this.#mayTell()) return;
      this.#progress = done;
      const { link, revision } = this.#facts;
      const known = Number.isFinite(total) ? total : undefined;
      const params = { progressToken: this.#token, progress: done, total: known, message };
      link.notify(notification(PROGRESS, pickKnown(revision.vocabulary, 'Progress', params)));
    };
  }

  /** A handler in a loop must not flood its caller. */
  #mayTell(): boolean {
    this.#rate ??= new Throttle(MAX_PER_SECOND, this.#facts.settings.clock);
    return this.#rate.allows();
  }

  get ask(): Context['ask'] {
    return (key, message, wanted) => this.#asked((questions) => questions.ask(key, message, wanted)) as Promise<never>; // what the signature says
  }

  get confirm(): Context['confirm'] {
    return (key, message) => this.#asked((questions) => questions.confirm(key, message));
  }

  get sample(): Context['sample'] {
    return (key, params) => this.#asked((questions) => questions.sample(key, params));
  }

  get roots(): Context['roots'] {
    return (key = 'roots') => this.#asked((questions) => questions.roots(key));
  }

  get once(): Context['once'] {
    return (key, step, options) => this.#asked((questions) => questions.asking.once(key, step, options));
  }

  get read(): Context['read'] {
    return (uri) => ignoreRejection(readUri(uri, this, this.#facts));
  }

  #asked<T>(ask: (questions: HandlerQuestions) => Promise<T>): Promise<T> {
    return ignoreRejection(this.resume().then(ask));
  }

  #deprecated(feature: Feature): void {
    this.#facts.settings.warnings.deprecated(feature, this.#facts.revision);
  }

  /** The way to ask, made when the first question is asked or when the request brings answers. */
  resume(): Promise<HandlerQuestions> {
    this.#questions ??= this.#begin();
    return this.#questions;
  }

  async #begin(): Promise<HandlerQuestions> {
    const { caller, revision, asking: own } = this.#facts;
    const begun = own?.() ?? revision.asks.begin(this.#facts);
    // Many servers never ask anything.
    const [asking, { HandlerQuestions }] = await Promise.all([begun, import('./questions.ts')]);
    return new HandlerQuestions(asking, {
      what: () => this.what,
      capabilities: caller.capabilities,
      revision,
      deprecated: (feature) => this.#deprecated(feature),
    });
  }

  /** The interim result, if the handler is suspended by a question; undefined if it never asked one. */
  suspended(thrown?: unknown): Promise<JsonObject | undefined> | undefined {
    return this.#questions?.then((questions) => questions.over(this.what, thrown));
  }

  /** After the response, no notification is sent for this request. */
  finish(): void {
    this.#done = true;
  }
}

/** A handler may not await it: the call reports the failure, and an unhandled rejection would end the process. */
function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

export interface TaskCalls {
  /** Answers a call of a tool that can run as a task, or whose caller asks for one. Undefined: it is an ordinary call. */
  call(
    part: DefinedTool,
    facts: CallFacts,
    call: HandlerCall,
  ): JsonObject | undefined | Promise<JsonObject | undefined>;
}

/** What runs tasks is loaded later, and is given these: importing them would split the entry point into more files. */
export interface TaskHandlers {
  /** A call of a tool that is a task, or can become one. */
  runTool(facts: CallFacts): Promise<JsonObject>;
  /** Throws where the caller lacks some of them. */
  requireScopes(needed: readonly string[], auth: AuthInfo | undefined): void;
}

/** Answers one method, for parts or for an extension. `call` is the context of the handlers that it runs. */
export type MethodHandler = (
  params: JsonObject,
  facts: CallFacts,
  call: HandlerCall,
) => JsonObject | Promise<JsonObject>;
