/** What arrives in the name of a session: its opening, its messages, its standing stream and its end. */
import { RpcError } from '../../errors.ts';
import {
  type Failure,
  failure,
  type Id,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isFailure,
  isRequest,
  type Notification,
  type Request,
  type Response,
} from '../../jsonrpc/message.ts';
import { asMessage, faultOf, readableId } from '../../jsonrpc/read.ts';
import type { Session } from '../../peer/session.ts';
import { expiring } from './expiry.ts';
import type { LiveSession, SessionContext } from './live-session.ts';
import { acceptsOf } from './media.ts';
import { PostAnswer, streamHeaders } from './post-answer.ts';
import { Sessions } from './sessions.ts';
import type { Incoming } from './stateless.ts';
import { type EventSink, type HttpView, type Reply, refuse } from './view.ts';

export interface DeskContext extends SessionContext {
  /** The revisions with a handshake that are spoken here. */
  readonly spoken: ReadonlySet<string>;
}

type Knock = Pick<Incoming, 'auth' | 'headers'>;

const SESSION = 'mcp-session-id';
/** Messages in one array. */
const MAX_BATCH = 50;

export class SessionDesk {
  readonly #context: DeskContext;
  readonly #sessions: Sessions;

  constructor(context: DeskContext) {
    this.#context = context;
    this.#sessions = new Sessions(context);
  }

  close(): void {
    this.#sessions.close();
  }

  async request(request: Request, incoming: Incoming): Promise<void> {
    if (request.method === 'initialize') return this.#initialize(request, incoming);
    const entering = this.#entered(incoming, request);
    const live = entering instanceof Promise ? await entering : entering;
    if (live === undefined || this.#crowded(live, 1, incoming, request)) return;
    const answer = new PostAnswer(incoming, live);
    const before = agreedIn(live);
    const response = await live.serve(request, answer, incoming.auth);
    if (changed(live, before)) await this.#sessions.save(live);
    if (response !== undefined) answer.answer(response, isFailure(response) ? statusOf(response, live) : 200);
  }

  async tell(message: Notification | Response, incoming: Incoming): Promise<void> {
    const live = await this.#entered(incoming);
    if (live === undefined) return;
    const before = agreedIn(live);
    await live.take(message, incoming.auth);
    if (changed(live, before)) await this.#sessions.save(live);
    incoming.reply.send(202, incoming.headers ?? {});
  }

  async batch(values: readonly unknown[], incoming: Incoming): Promise<void> {
    const live = await this.#entered(incoming);
    if (live === undefined) return;
    const { reply, headers } = incoming;
    const more = headers === undefined ? {} : { headers };
    const fault = batchFault(values, live);
    if (fault !== undefined) {
      refuse(reply, { status: 400, code: INVALID_REQUEST, message: `Invalid request: ${fault}`, ...more });
      return;
    }
    const answered = values.filter((value) => faultOf(value) !== undefined || isRequest(asMessage(value)));
    if (this.#crowded(live, answered.length, incoming)) return;
    const answer = new PostAnswer(incoming, live, answered.length);
    const before = agreedIn(live);
    const all = values.map(async (value) => {
      const wrong = faultOf(value) ?? (isInitialize(value) ? 'initialize comes alone' : undefined);
      if (wrong !== undefined) return answer.answer(invalid(value, wrong), 200);
      const message = asMessage(value);
      if (!isRequest(message)) return live.take(message, incoming.auth);
      const response = await live.serve(message, answer, incoming.auth);
      if (response !== undefined) answer.answer(response, 200);
    });
    await Promise.all(all);
    if (changed(live, before)) await this.#sessions.save(live);
    if (answered.length === 0) reply.send(202, headers ?? {});
  }

  /** GET opens the standing stream or takes up another one; DELETE ends the session. */
  async standing(view: HttpView, reply: Reply, { auth, headers }: Knock): Promise<void> {
    if (view.header(SESSION) === undefined) {
      const message = 'Method not allowed: GET and DELETE are for sessions, and Mcp-Session-Id names none';
      refuse(reply, { status: 405, code: INVALID_REQUEST, message, headers: { ...headers, Allow: 'POST' } });
      return;
    }
    const live = await this.#entered({ view, reply, auth, headers });
    if (live === undefined) return;
    if (view.method === 'DELETE') {
      await this.#sessions.end(live.id, 'the client ended the session');
      reply.send(204, headers ?? {});
      return;
    }
    if (!acceptsOf(view.header('accept')).events) {
      const message = 'Not acceptable: the answer is text/event-stream';
      refuse(reply, { status: 406, code: INVALID_REQUEST, message, ...(headers && { headers }) });
      return;
    }
    const standing = expiring(reply, auth, this.#context.settings.clock);
    const open = (): EventSink => standing.stream(200, { ...headers, ...streamHeaders });
    const last = live.rules?.resumable === true ? view.header('last-event-id') : undefined;
    if (last === undefined) live.streams.open(standing, open());
    else if (!(await live.streams.resume(last, standing, open))) {
      const message = 'Bad request: what followed this Last-Event-ID is not kept any more';
      refuse(reply, { status: 400, code: INVALID_REQUEST, message, ...(headers && { headers }) });
    }
  }

  async #initialize(request: Request, incoming: Incoming): Promise<void> {
    if (this.#sessions.crowded(incoming)) {
      const { maxSessionsPerCaller } = this.#context.settings;
      const message = `Too many sessions: ${maxSessionsPerCaller} of yours are in use (maxSessionsPerCaller)`;
      const refused = { status: 429, code: INTERNAL_ERROR, message, id: request.id };
      return refuse(incoming.reply, { ...refused, headers: { ...incoming.headers, 'Retry-After': '1' } });
    }
    const live = this.#sessions.create(incoming);
    const headers = { ...incoming.headers, 'Mcp-Session-Id': live.id };
    const answer = new PostAnswer({ ...incoming, headers }, live);
    const response = await live.serve(request, answer, incoming.auth);
    if (response === undefined) return;
    if (!isFailure(response)) {
      await this.#sessions.keep(live);
      answer.answer(response, 200);
      return;
    }
    live.close('the handshake failed');
    new PostAnswer(incoming, live).answer(response, statusOf(response, live));
  }

  /** The session that a request names, if it may use it; everybody else has been answered. */
  #entered(knocking: Knocking, request?: Request): LiveSession | undefined | Promise<LiveSession | undefined> {
    const id = knocking.view.header(SESSION);
    if (id === undefined) {
      const message = 'Bad request: Mcp-Session-Id is missing; initialize opens a session';
      return turnedAway(knocking, { status: 400, message, id: request?.id });
    }
    const found = this.#sessions.find(id, knocking);
    return found instanceof Promise
      ? found.then((live) => this.#judged(live, knocking, request))
      : this.#judged(found, knocking, request);
  }

  #judged(live: LiveSession | undefined, knocking: Knocking, request?: Request): LiveSession | undefined {
    if (live === undefined) {
      const message = 'Session not found: initialize opens another';
      return turnedAway(knocking, { status: 404, message, id: request?.id });
    }
    const version = knocking.view.header('mcp-protocol-version');
    if (version === undefined || this.#context.spoken.has(version) || live.rules?.versionHeader === 'none') return live;
    const message = `Bad request: MCP-Protocol-Version ${JSON.stringify(version.slice(0, 50))} is not spoken here`;
    return turnedAway(knocking, { status: 400, message, id: request?.id });
  }

  #crowded(live: LiveSession, more: number, { reply, headers }: Incoming, request?: Request): boolean {
    const { maxCallsPerSession } = this.#context.settings;
    if (live.open + more <= maxCallsPerSession) return false;
    const message = `Too many requests at once: ${maxCallsPerSession} are open in this session (maxCallsPerSession)`;
    const retry = { ...headers, 'Retry-After': '1' };
    refuse(reply, { status: 429, code: INTERNAL_ERROR, message, id: request?.id, headers: retry });
    return true;
  }
}

type Knocking = Omit<Incoming, 'accepts'>;

function turnedAway(
  { reply, headers }: Knocking,
  why: { status: number; message: string; id: Id | undefined },
): undefined {
  refuse(reply, { ...why, code: INVALID_REQUEST, ...(headers && { headers }) });
}

/** What a message may change about a session. It is written down before anybody is told that it did. */
type Agreed = Pick<Session, 'ready' | 'logLevel' | 'subscriptions'>;

const agreedIn = ({ session: { ready, logLevel, subscriptions } }: LiveSession): Agreed =>
  ({ ready, logLevel, subscriptions }) as Agreed; // absent and undefined are the same here

const changed = ({ session }: LiveSession, before: Agreed): boolean =>
  session.ready !== before.ready ||
  session.logLevel !== before.logLevel ||
  session.subscriptions !== before.subscriptions;

function batchFault(values: readonly unknown[], live: LiveSession): string | undefined {
  if (live.session.batches !== true) return 'this revision takes one message at a time';
  if (values.length > 0 && values.length <= MAX_BATCH) return undefined;
  return `an array holds between 1 and ${MAX_BATCH} messages`;
}

const isInitialize = (value: unknown): boolean => {
  const message = asMessage(value);
  return isRequest(message) && message.method === 'initialize';
};

const invalid = (value: unknown, fault: string): Response =>
  failure(readableId(value), new RpcError(INVALID_REQUEST, `Invalid request: ${fault}`));

/** An answer is an answer; only where the handshake itself fails is there no revision to ask. */
const statusOf = ({ error }: Failure, live: LiveSession): number => live.rules?.status(error.code) ?? 400;
