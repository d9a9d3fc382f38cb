/** One request being served: the context that its handler gets. What nobody asks for is not made. */
import { McpError, ToolError } from '../errors.ts';
import { isObject, type JsonObject, notification, type Request } from '../jsonrpc/message.ts';
import { type AuthInfo, type Caller, principalOf } from '../model/caller.ts';
import { atLeast, type LoggingLevel } from '../model/logging.ts';
import { MESSAGE, PROGRESS } from '../model/names.ts';
import type { ReadResourceResult } from '../model/resource.ts';
import type { CreateMessageParams, CreateMessageResult, Root } from '../model/sampling.ts';
import { samplingFault } from '../model/sampling-fault.ts';
import type { Link } from '../peer/exchange.ts';
import { Rate } from '../peer/rate.ts';
import type { Feature } from '../peer/warnings.ts';
import type { Asking, Question, Revision } from '../revisions/contract.ts';
import { pick } from '../revisions/encode.ts';
import { checker, describe, type Schema } from '../schema/index.ts';
import type { Asked, Context, HttpStream, Visit, Visited } from './context.ts';
import { formOf } from './form.ts';
import { spoken, withinReach } from './sampled.ts';
import { envFor, type Settings } from './settings.ts';

/** Notifications of one kind that one call may send per second. */
const MAX_PER_SECOND = 2_000;

export interface CallFacts {
  readonly request: Request;
  readonly revision: Revision;
  readonly caller: Caller;
  readonly link: Link;
  readonly settings: Settings;
  readonly logLevel: LoggingLevel | undefined;
  /** The client is done with the handshake, where there is one. */
  readonly ready: boolean;
  read(uri: string, context: Call): Promise<ReadResourceResult>;
}

export class Call implements Context<never> {
  readonly #facts: CallFacts;
  readonly #token: unknown;
  #asking: Asking | Promise<Asking> | undefined;
  #env: { readonly value: unknown } | undefined;
  #done = false;
  #progress = Number.NEGATIVE_INFINITY;
  #rate: Rate | undefined;
  /** What is running, for error texts. */
  what: string;

  constructor(facts: CallFacts) {
    this.#facts = facts;
    this.what = facts.request.method;
    const meta = facts.request.params?.['_meta'];
    this.#token = isObject(meta) ? meta['progressToken'] : undefined;
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

  log(level: LoggingLevel, message: string, data?: object): void {
    const { logLevel, link } = this.#facts;
    if (this.#done || logLevel === undefined || !atLeast(level, logLevel) || !this.#mayTell()) return;
    this.#deprecated('logging');
    link.notify(notification(MESSAGE, { level, data: data === undefined ? message : { message, ...data } }));
  }

  progress(done: number, total?: number, message?: string): void {
    const grows = done > this.#progress && Number.isFinite(done);
    if (this.#done || this.#token === undefined || !grows || !this.#mayTell()) return;
    this.#progress = done;
    const { link, revision } = this.#facts;
    const known = Number.isFinite(total) ? { total } : {};
    const told = { progressToken: this.#token, progress: done, ...known, message };
    link.notify(notification(PROGRESS, pick(revision.words, 'Progress', told)));
  }

  /** A handler in a loop must not flood its caller. */
  #mayTell(): boolean {
    this.#rate ??= new Rate(MAX_PER_SECOND, this.#facts.settings.clock);
    return this.#rate.allows();
  }

  // The interface has a signature for each kind of question; both come here.
  ask(key: string, message: string, wanted: Schema | Visit): Promise<never> {
    const asked = isVisit(wanted) ? this.#visit(key, message, wanted) : this.#form(key, message, wanted);
    return minded(asked) as Promise<never>; // what the signature says
  }

  async #form(key: string, message: string, schema: Schema): Promise<Asked<unknown>> {
    const what = `question "${key}" of ${this.what}`;
    const form = checker(schema, { what, side: 'input' });
    const params = { mode: 'form', message, requestedSchema: formOf(form.jsonSchema, what) };
    const { action, content } = await this.#question(key, { method: 'elicitation/create', params });
    if (action !== 'accept') return refused(action);
    const checked = await form.check(content ?? {});
    // The client sent it, so the client may read what is wrong with it.
    if (!checked.ok) throw new ToolError(`The answer to ${what} does not fit the form: ${describe(checked.issues)}`);
    return { action, accepted: true, value: checked.value };
  }

  async #visit(key: string, message: string, { url }: Visit): Promise<Visited> {
    if (!URL.canParse(url)) {
      const what = `question "${key}" of ${this.what}`;
      throw new McpError('MCP_BAD_DEFINITION', { what, why: `"${url}" is no absolute URL` });
    }
    const asking = await this.resume();
    const params = { mode: 'url', message, url };
    const { action } = await asking.ask(key, { method: 'elicitation/create', params });
    if (action !== 'accept') return refused(action);
    return {
      action,
      accepted: true,
      completed: () => {
        if (!this.#done) asking.visited(key);
      },
    };
  }

  confirm(key: string, message: string): Promise<boolean> {
    const requestedSchema = {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Confirm', description: message, default: true } },
      required: ['confirm'],
    };
    const params = { mode: 'form', message, requestedSchema };
    const answer = this.#question(key, { method: 'elicitation/create', params });
    return minded(
      answer.then(({ action, content }) => action === 'accept' && isObject(content) && content['confirm'] === true),
    );
  }

  sample(key: string, params: CreateMessageParams): Promise<CreateMessageResult> {
    const fault = samplingFault(params);
    if (fault !== undefined) {
      const what = `question "${key}" of ${this.what}`;
      return minded(Promise.reject(new McpError('MCP_BAD_DEFINITION', { what, why: fault })));
    }
    this.#deprecated('sampling');
    const asked = withinReach(params, this.caller.capabilities, this.#facts.revision.words);
    const answer = this.#question(key, { method: 'sampling/createMessage', params: asked });
    return minded(answer.then(spoken));
  }

  roots(key = 'roots'): Promise<readonly Root[]> {
    this.#deprecated('roots');
    const answer = this.#question(key, { method: 'roots/list', params: {} });
    return minded(answer.then(({ roots }) => (Array.isArray(roots) ? roots.filter(isRoot) : [])));
  }

  read(uri: string): Promise<ReadResourceResult> {
    return this.#facts.read(uri, this);
  }

  once<T>(key: string, step: () => T | Promise<T>): Promise<T> {
    return minded(Promise.resolve(this.resume()).then((asking) => asking.once(key, step)));
  }

  async #question(key: string, question: Question): Promise<JsonObject> {
    const asking = await this.resume();
    return asking.ask(key, question);
  }

  #deprecated(feature: Feature): void {
    this.#facts.settings.warnings.deprecated(feature, this.#facts.revision);
  }

  /** The way to ask, made when the first question is asked or when the request brings answers. */
  resume(): Asking | Promise<Asking> {
    const { request, link, caller, ready, revision, settings } = this.#facts;
    const { sealer, clock, maxRounds } = settings;
    this.#asking ??= revision.asks.begin({ request, link, caller, ready, revision, sealer, clock, maxRounds });
    return this.#asking;
  }

  /** What to send instead, if the handler stopped to ask. */
  async suspended(thrown?: unknown): Promise<JsonObject | undefined> {
    return (await this.#asking)?.outcome(this.what, thrown);
  }

  /** The answer is on its way: nothing more is said about this request. */
  finish(): void {
    this.#done = true;
  }
}

/** A promise that the handler may forget about: its failure is told by what the call comes to, and must not end the process. */
function minded<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

const isVisit = (wanted: Schema | Visit): wanted is Visit =>
  'url' in wanted && typeof wanted.url === 'string' && !('~standard' in wanted);

const isRoot = (root: unknown): root is Root => isObject(root) && typeof root['uri'] === 'string';

const refused = (action: unknown): Exclude<Asked<never>, { accepted: true }> => ({
  action: action === 'decline' ? 'decline' : 'cancel',
  accepted: false,
});
