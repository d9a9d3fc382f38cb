/** A session that this process is serving: its calls, its questions, its streams. What it agreed on is data, kept elsewhere. */
import { McpError, RpcError } from '../../errors.ts';
import {
  failure,
  type Id,
  INVALID_REQUEST,
  type JsonObject,
  type Message,
  type Notification,
  notification,
  type Request,
  type Response,
} from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { CANCELLED } from '../../model/names.ts';
import type { Exchange, Servable } from '../../peer/exchange.ts';
import { answerFor, outgoing, Pending } from '../../peer/pending.ts';
import type { Session } from '../../peer/session.ts';
import type { HttpRules } from '../../revisions/http/rules.ts';
import { find } from '../../revisions/index.ts';
import type { HttpSettings } from './options.ts';
import { PostAnswer } from './post-answer.ts';
import type { Pulse } from './pulse.ts';
import { type Asker, SessionCall } from './session-call.ts';
import { SessionStreams, token } from './session-streams.ts';
import type { Incoming } from './stateless.ts';

export interface SessionContext {
  readonly server: Servable;
  readonly settings: HttpSettings;
  readonly pulse: Pulse;
}

export interface SessionFacts {
  readonly id: string;
  readonly principal: string;
  readonly session: Session;
  readonly createdAt: number;
  /** The client asked for its end. */
  onEnd(): void;
}

export class LiveSession implements Asker {
  readonly facts: SessionFacts;
  readonly #context: SessionContext;
  readonly #exchange: Exchange;
  readonly #close: () => void;
  #streams: SessionStreams | undefined;
  #calls: Map<Id, SessionCall> | undefined;
  #pending: Pending | undefined;
  /** Keeps our questions apart from those that another process asked in the same session. */
  #tag: string | undefined;
  usedAt: number;

  constructor(facts: SessionFacts, context: SessionContext, usedAt: number) {
    this.facts = facts;
    this.#context = context;
    this.usedAt = usedAt;
    const outlet = {
      notify: (message: Notification): void => this.streams.push(message),
      ask: (request: Request): Promise<Response> => this.#question(request, (message) => this.streams.push(message)),
      end: (): void => facts.onEnd(),
    };
    const { exchange, close } = context.server.open(outlet, facts.session);
    this.#exchange = exchange;
    this.#close = close;
  }

  get rules(): HttpRules | undefined {
    return find(this.facts.session.revision ?? '')?.http;
  }

  get pollMs(): number | undefined {
    return this.rules?.polling === true ? this.#context.settings.retryMs : undefined;
  }

  get streams(): SessionStreams {
    const { settings, pulse } = this.#context;
    this.#streams ??= new SessionStreams(this.facts.id, { settings, pulse, rules: () => this.rules });
    return this.#streams;
  }

  /** Calls that are open now. */
  get open(): number {
    return this.#calls?.size ?? 0;
  }

  /** Nothing of it is going on. */
  get idle(): boolean {
    return this.open === 0 && this.#streams?.connected !== true;
  }

  /** The way out of a POST of this session. */
  answering({ reply, accepts, headers }: Incoming, batch?: number): PostAnswer {
    return new PostAnswer(reply, { accepts, headers, batch, stream: () => this.streams.post() });
  }

  /** The answer to a request; undefined when it was called off, and everything has been said. */
  async serve(request: Request, answer: PostAnswer, auth: AuthInfo | undefined): Promise<Response | undefined> {
    const { id } = request;
    this.#calls ??= new Map();
    if (this.#calls.has(id)) {
      return failure(id, new RpcError(INVALID_REQUEST, 'Invalid request: a request with this id is still open'));
    }
    const call = new SessionCall(this, request, { answer, auth });
    this.#calls.set(id, call);
    let response: Response | undefined;
    try {
      response = (await this.#exchange(request, call)) ?? failure(id, undefined);
    } catch (thrown) {
      response = failure(id, thrown);
    }
    this.#calls.delete(id);
    if (call.done) return undefined;
    call.done = true;
    return response;
  }

  /** Takes what needs no answer. */
  async take(message: Notification | Response, auth: AuthInfo | undefined): Promise<void> {
    if (!('method' in message)) this.#settle(message);
    else if (message.method === CANCELLED) this.#cancelled(message.params);
    else {
      const link = { ...silent, auth };
      await this.#exchange(message, link).catch(() => undefined);
    }
  }

  ask(request: Request, call: SessionCall): Promise<Response> {
    return this.#question(request, (message) => call.say(message), call);
  }

  /** Lets go of everything in this process. Streams that are connected end. */
  close(why: string): void {
    const reason = new McpError('MCP_CLOSED', { why });
    for (const { caller } of this.#pending?.clear() ?? []) caller.reject(reason);
    for (const call of [...(this.#calls?.values() ?? [])]) call.cancel(reason);
    this.#close();
    this.#streams?.end();
  }

  #question(request: Request, say: (message: Message) => void, call?: SessionCall): Promise<Response> {
    this.#pending ??= new Pending();
    this.#tag ??= token();
    const pending = this.#pending;
    const tag = this.#tag;
    return new Promise((resolve, reject) => {
      const waiting = pending.add({ request, link: call ?? silent, resolve, reject });
      const id = `${tag}-${waiting.id}`;
      call?.onAbort((reason) => {
        if (!pending.remove(waiting)) return;
        say(notification(CANCELLED, { requestId: id, reason: reason instanceof Error ? reason.message : 'cancelled' }));
        reject(reason);
      });
      if (pending.get(waiting.id) !== undefined) say({ ...outgoing(waiting), id });
    });
  }

  #settle(response: Response): void {
    const [tag, number] = String(response.id).split(/-(?=\d+$)/);
    const waiting = tag === this.#tag ? this.#pending?.get(Number(number)) : undefined;
    if (waiting === undefined) return;
    this.#pending?.remove(waiting);
    waiting.caller.resolve(answerFor(waiting, response));
  }

  #cancelled(params: JsonObject | undefined): void {
    const call = this.#calls?.get(params?.['requestId'] as Id); // any other type finds nothing
    const why = typeof params?.['reason'] === 'string' ? params['reason'] : 'no reason given';
    call?.cancel(new McpError('MCP_CANCELLED', { method: call.method, why }));
  }
}

/** A notification has nobody who waits for an answer. */
const silent = {
  get signal(): AbortSignal {
    return new AbortController().signal;
  },
  onAbort: (): void => undefined,
  notify: (): void => undefined,
  ask: (): Promise<never> => Promise.reject(new McpError('MCP_CLOSED', { why: 'this link leads nowhere' })),
};
